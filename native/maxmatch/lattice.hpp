// Union of the two Levenshtein lattices, and the merged edits between two vertices (docs/m2.md, B.3-B.5).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "maxmatch/edits.hpp"

namespace gecbench::maxmatch {

// An arc of length one: its tail, in how many lattices it is, and whether it keeps a token.
struct Step {
  std::int32_t tail = 0;
  std::uint8_t copies = 0;
  std::uint8_t unchanged = 0;
};

// An official arc; `entries` is how often the arc list holds it.
struct Merged {
  std::int32_t length = 0;
  std::int32_t unchanged = 0;
  std::int32_t entries = 0;
  bool keeps = false;
};

// Vertices in lexicographic order with the steps entering them, in the order of their tails.
class Lattice {
 public:
  void build(TokenSpan source, TokenSpan hypothesis);

  std::int32_t size() const { return static_cast<std::int32_t>(rows.size()); }
  std::int32_t find(std::int32_t row, std::int32_t column) const;
  const Step* steps_begin(std::int32_t vertex) const { return steps[vertex].data(); }
  const Step* steps_end(std::int32_t vertex) const { return steps[vertex].data() + step_counts[vertex]; }

  std::vector<std::int32_t> rows, columns, row_offsets;
  std::vector<std::array<Step, 3>> steps;
  std::vector<std::uint8_t> step_counts;

 private:
  struct Band {
    std::int32_t first, last;
    std::int64_t width() const { return std::int64_t{last} - first + 1; }
  };

  Band align(TokenSpan source, TokenSpan hypothesis);
  std::int32_t find_moves(TokenSpan source, TokenSpan hypothesis, std::int32_t substitution_cost, Band band, int shift);
  void keep_reachable(std::int64_t row_count, std::int64_t width, std::int64_t final_place, int shift);
  void add_row(TokenSpan source, TokenSpan hypothesis, std::int32_t row, Band band);

  std::vector<std::uint8_t> cells_;
  std::vector<std::int32_t> above_, current_, above_vertices_, current_vertices_;
};

// Finds official arcs; holds the scratch memory for it.
class ArcFinder {
 public:
  // The arc between two vertices, or null if the official triple loop never forms it (docs/m2.md, B.5).
  const Merged* find(const Lattice& lattice, std::int32_t tail, std::int32_t head, std::int32_t max_unchanged_words);

 private:
  std::vector<Merged> found_;  // length 0 = not found
};

}  // namespace gecbench::maxmatch
