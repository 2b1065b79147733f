// The official weights, path and counts with their lists, order and floating-point sums (docs/m2.md, B.6-B.8);
// twin of gecbench/kernels/maxmatch/literal.py.
#pragma once

#include <vector>

#include "maxmatch/closure.hpp"
#include "maxmatch/path.hpp"

namespace gecbench::maxmatch {

struct ClosedSentence {
  const Closure& closure;
  const Lattice& lattice;
  TokenSpan source, hypothesis;
};

class LiteralMatcher {
 public:
  // Counts for one annotator; `spelling` may be null.
  Counts match(const ClosedSentence& sentence, const GoldEdits& golds, const Spelling* spelling,
               std::vector<PathEdit>& path);

 private:
  void weigh(const GoldEdits& golds);
  void weigh_position(const GoldEdits& golds, std::int32_t position, double reward);
  void find_path(std::vector<std::int32_t>& path) const;
  bool matches(const Arc& arc, const GoldEdits& golds, std::int32_t gold) const;
  bool is_dropped(const Arc& arc, const Spelling* spelling) const;

  const Closure* closure_ = nullptr;
  const Lattice* lattice_ = nullptr;
  TokenSpan source_, hypothesis_;
  std::vector<double> weights_;
};

}  // namespace gecbench::maxmatch
