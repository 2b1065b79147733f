// The best path by dynamic programming in exact arithmetic, without transitive arcs (docs/m2.md, B.7, B.8).
#pragma once

#include <cstdint>
#include <vector>

#include "maxmatch/gold.hpp"

namespace gecbench::maxmatch {

// Lower-cased characters of both sentences, to see which edits change only spaces and case (docs/m2.md, B.8).
class Spelling {
 public:
  void spell(TokenSpan source, TokenSpan hypothesis, const TokenArray& folded);
  bool folds_away(std::int32_t row, std::int32_t last_row, std::int32_t column, std::int32_t last_column) const;

 private:
  std::vector<std::int32_t> source_, hypothesis_;
  std::vector<std::int64_t> source_offsets_, hypothesis_offsets_;
};

// Edits proposed so far, those correct, and the position in the gold list.
struct Tally {
  std::int32_t proposed = 0, correct = 0, position = 0;
};

class PathSearch {
 public:
  // Merged edits are taken to be as short and as light as any path between their ends allows; `spelling` may be null.
  void run(const Lattice& lattice, const GoldEdits& golds, const GoldArcs& arcs, std::int32_t max_unchanged_words,
           const Spelling* spelling);

  // True if no equally good path has other counts and every arc of this one weighs what was assumed.
  bool is_official();
  Counts counts() const;
  void edits(std::vector<PathEdit>& path) const;

 private:
  enum Kind : std::uint8_t { kKeep, kSingle, kMerged, kAgreed };
  struct Closed {  // best way to a vertex with no edit open
    std::int64_t cost;
    Tally tally;
    std::int32_t tail;
    bool tied;  // an equally light way has other counts
    Kind kind;
  };
  struct Open {  // best way to a vertex inside an edit that began at `start`
    std::int64_t cost;
    std::int32_t start;
    bool tied;
  };

  Tally settle(Tally tally, std::int32_t row) const;
  Tally propose(Tally tally, std::int32_t tail, std::int32_t head) const;
  Tally match(Tally tally, const GoldArc& arc) const;
  void close_at(std::int32_t vertex);
  void open_at(std::int32_t vertex);
  void improve(Open& best, Open way, std::int32_t vertex) const;
  bool folds_away(std::int32_t tail, std::int32_t head) const;
  Open* ways(std::int32_t vertex) { return open_.data() + std::int64_t{vertex} * (limit_ + 1); }

  const Lattice* lattice_ = nullptr;
  const GoldEdits* golds_ = nullptr;
  const GoldArcs* arcs_ = nullptr;
  const Spelling* spelling_ = nullptr;
  std::int32_t limit_ = 0;
  bool in_order_ = true;
  std::size_t next_arc_ = 0;
  std::vector<std::int32_t> first_gold_of_row_;
  std::vector<Closed> closed_;
  std::vector<Open> open_;
  ArcFinder arc_finder_;
};

}  // namespace gecbench::maxmatch
