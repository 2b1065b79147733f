// The official program's algorithm, literally (docs/metrics/m2.md §3-§8): the list of all arcs with its duplicates and
// order, weights as doubles, Bellman-Ford in list order. It decides where rounding or the order of the list can matter,
// which path.hpp detects. Python reference: gecbench/kernels/maxmatch.py.
//
// The official program visits all triples of vertices. This code visits only arcs that meet at a vertex, and it stops
// Bellman-Ford after a sweep without change. It finds the same list and the same path in less time.
#pragma once

#include <vector>

#include "maxmatch/path.hpp"

namespace gecbench::maxmatch {

// The arc list (§3-§5, §12)

struct Arc {
  std::int32_t tail, head;
  std::int32_t start, end;  // source span; in release 3.2 not always that of the vertices (docs/metrics/m2.md §12)
  std::int32_t length;
  std::int32_t unchanged;
  bool keeps;
};

class Closure {
 public:
  // Lists the arcs of a lattice; false once the list outgrows options.arc_limit.
  bool build(const Lattice& lattice, std::int32_t max_unchanged_words, const Options& options);

  const std::vector<Arc>& arcs() const { return arcs_; }
  const std::vector<std::int32_t>& list() const { return list_; }  // indexes into arcs(), with duplicates

 private:
  struct Way {  // an arc of length one that leaves the current vertex, and the arcs that enter its head
    std::int32_t arc;
    std::size_t cursor;
    std::vector<std::int32_t> entering;
  };

  void add_single_steps(const Lattice& lattice, Release release);
  void pass_through(std::int32_t vertex, std::int32_t max_unchanged_words);
  void extend(std::int32_t arc, Way& way, std::int32_t max_unchanged_words);
  void drop_merged_noops();

  std::vector<Arc> arcs_;
  std::vector<std::int32_t> list_;
  std::vector<std::vector<std::int32_t>> entering_, leaving_;
  std::vector<Way> ways_;
};

// Weights, path and counts (§6-§8)

struct ClosedSentence {
  const Closure& closure;
  const Lattice& lattice;
  TokenSpan source, hypothesis;
};

class LiteralMatcher {
 public:
  // Counts for one annotator; `folded` may be null.
  Counts match(const ClosedSentence& sentence, const GoldEdits& golds, const FoldedCharacters* folded,
               std::vector<PathEdit>& path);

 private:
  void weigh(const GoldEdits& golds);
  void weigh_position(const GoldEdits& golds, std::int32_t position, double reward);
  void find_path(std::vector<std::int32_t>& path) const;
  bool matches(const Arc& arc, const GoldEdits& golds, std::int32_t gold) const;
  bool is_dropped(const Arc& arc, const FoldedCharacters* folded) const;

  const Closure* closure_ = nullptr;
  const Lattice* lattice_ = nullptr;
  TokenSpan source_, hypothesis_;
  std::vector<double> weights_;
};

}  // namespace gecbench::maxmatch
