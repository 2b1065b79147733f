// Proof that all optimal alignments of a sentence pass through given cuts, for every mixed reference at once.
//
// A three-way alignment misses a cut only if one of its two-way projections does. If for each pair of texts every path
// that misses cuts costs more than the distances of its segments plus the charges of the cuts missed, and a cut is
// charged the largest slack of both its neighbours, no optimal alignment misses any.
#pragma once

#include <vector>

#include "imeasure/alignment.hpp"

namespace gecbench::imeasure {

struct Branch {
  TokenSpan tokens;
  int distance;
};

class Certificate {
 public:
  // A cut that some path may miss at too low a cost, -1 if there is none. Cut g, after segment g of the chain, is at
  // position cuts[g] of the text.
  int failing_cut(TokenSpan text, const std::vector<int>& cuts, const std::vector<std::vector<Branch>>& segments,
                  const std::vector<int>& charges);

 private:
  void through_branches(TokenSpan text, const std::vector<std::int32_t>& costs, const std::vector<Branch>& branches,
                        std::vector<std::int32_t>& arrived);
  void advance(TokenSpan text, std::int32_t token, bool last, const std::int32_t* row, std::int32_t* next) const;
  void miss(int cut, int charge);

  std::vector<std::int32_t> passed_, missed_, after_passing_, after_missing_, rows_;
};

}  // namespace gecbench::imeasure
