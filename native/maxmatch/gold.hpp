// Arcs of the lattice that agree with an annotator's edits (docs/m2.md, B.6).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "maxmatch/insertions.hpp"

namespace gecbench::maxmatch {

// An arc whose text agrees with the gold edits group_golds[golds_begin:golds_end].
struct GoldArc {
  std::int32_t tail, head;
  std::int64_t cost;
  std::int32_t golds_begin, golds_end;
};

struct GoldArcs {
  std::vector<GoldArc> arcs;  // by head
  std::vector<std::int32_t> group_golds;
  std::vector<InsertionPairing> pairings;  // of the positions with agreeing insertions, ascending
  bool certain = true;                     // no gold edit agrees with kept tokens

  const InsertionPairing* pairing(std::int32_t row) const;
};

class GoldArcFinder {
 public:
  const GoldArcs& find(const Lattice& lattice, TokenSpan source, TokenSpan hypothesis, const GoldEdits& golds,
                       std::int32_t max_unchanged_words);

 private:
  struct Entry {
    std::int32_t start, end;
    TokenSpan text;
    std::int32_t gold;
  };
  struct Group {  // one span and text, and the gold edits that accept it
    std::int32_t start, end;
    TokenSpan text;
    std::int32_t golds_begin, golds_end;
  };

  void group_by_text(TokenSpan source, const GoldEdits& golds);
  void add_texts(const Group& group);
  void add_insertions(const Group* first, const Group* last);

  const Lattice* lattice_ = nullptr;
  TokenSpan hypothesis_;
  std::int32_t max_unchanged_words_ = 0;
  ArcFinder arc_finder_;
  GoldArcs result_;
  std::vector<Entry> entries_;
  std::vector<Group> groups_;
  std::vector<std::pair<std::int32_t, std::int32_t>> runs_;
  std::vector<AgreeingArc> agreeing_;
};

}  // namespace gecbench::maxmatch
