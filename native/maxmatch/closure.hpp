// The official arc list of a sentence pair (docs/m2.md, B.3-B.5, B.12); twin of gecbench/kernels/maxmatch/closure.py.
#pragma once

#include <vector>

#include "maxmatch/lattice.hpp"

namespace gecbench::maxmatch {

struct Arc {
  std::int32_t tail, head;
  std::int32_t start, end;  // source span of the edit; not that of the vertices in release 3.2 (docs/m2.md, B.12)
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
  struct Way {  // an arc of length one that leaves the vertex in hand
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

}  // namespace gecbench::maxmatch
