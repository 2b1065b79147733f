// The edit lattice of a sentence pair: the union of two Levenshtein lattices, and merged edits between its vertices
// (Dahlmeier & Ng 2012; the official program in docs/metrics/m2.md §3-§5). This file also has the gold edits
// and the options that all parts of MaxMatch share. Python reference: gecbench/kernels/maxmatch.py.
//
// The program lists every merged edit by Floyd and Warshall's algorithm, in time cubic in the number of vertices. Here
// only the steps of length one are stored. ArcFinder finds the merged edit that the program would list between two
// given vertices. The best path needs nothing else (path.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tokens.hpp"

namespace gecbench::maxmatch {

// Gold edits and options

// All gold edits of a corpus, concatenated. Sentence s has the rows annotator_offsets[s]:annotator_offsets[s + 1]. Row
// r has the edits edit_offsets[r]:edit_offsets[r + 1]. Edit e covers the source span [starts[e], ends[e]) and accepts
// the corrections alternative_offsets[e]:alternative_offsets[e + 1].
struct GoldArrays {
  const std::int64_t* annotator_offsets = nullptr;
  const std::int64_t* edit_offsets = nullptr;
  const std::int32_t* starts = nullptr;
  const std::int32_t* ends = nullptr;
  const std::int64_t* alternative_offsets = nullptr;
  TokenArray corrections;
};

// The edits of one row, which is one annotator of a sentence, in file order.
class GoldEdits {
 public:
  GoldEdits(const GoldArrays& arrays, std::int64_t row)
      : arrays_(&arrays), first_(arrays.edit_offsets[row]), last_(arrays.edit_offsets[row + 1]) {}

  std::int32_t size() const { return static_cast<std::int32_t>(last_ - first_); }
  std::int32_t start(std::int32_t index) const { return arrays_->starts[first_ + index]; }
  std::int32_t end(std::int32_t index) const { return arrays_->ends[first_ + index]; }
  std::int64_t alternatives_begin(std::int32_t index) const { return arrays_->alternative_offsets[first_ + index]; }
  std::int64_t alternatives_end(std::int32_t index) const { return arrays_->alternative_offsets[first_ + index + 1]; }
  TokenSpan correction(std::int64_t alternative) const { return arrays_->corrections[alternative]; }
  bool is_inside(std::int32_t index, std::int32_t source_size) const {
    return 0 <= start(index) && start(index) <= end(index) && end(index) <= source_size;
  }
  bool accepts(std::int32_t index, TokenSpan text) const {
    for (std::int64_t alternative = alternatives_begin(index); alternative < alternatives_end(index); ++alternative) {
      if (correction(alternative) == text) return true;
    }
    return false;
  }

 private:
  const GoldArrays* arrays_;
  std::int64_t first_, last_;
};

enum class Release { kMaster, kVersion32 };

// `folds` turns on ignore_whitespace_casing (§8); `folded` then has the lower-cased characters of every
// token id. The literal algorithm gives up beyond `arc_limit` listed arcs (§7).
struct Options {
  std::int32_t max_unchanged_words = 2;
  Release release = Release::kMaster;
  bool folds = false;
  TokenArray folded;
  std::int64_t arc_limit = 0;
};

struct Counts {
  std::int64_t correct = 0;
  std::int64_t proposed = 0;
  std::int64_t gold = 0;
};

struct PathEdit {
  std::int32_t start, end, hypothesis_start, hypothesis_end;
};

// The lattice

// An arc of length one: its tail, the number of lattices that have it (1 or 2), and whether it keeps a token.
struct Step {
  std::int32_t tail = 0;
  std::uint8_t copies = 0;
  std::uint8_t unchanged = 0;
};

// A merged edit of the official arc list; `entries` is how often it is listed.
struct Merged {
  std::int32_t length = 0;
  std::int32_t unchanged = 0;
  std::int32_t entries = 0;
  bool keeps = false;  // whether it changes nothing
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
  struct Band {  // diagonals column - row, both included
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

// Finds arcs of the official list without the list.
class ArcFinder {
 public:
  // The arc between two vertices, or null if the official program never lists one (§5). The result is
  // valid until the next call.
  const Merged* find(const Lattice& lattice, std::int32_t tail, std::int32_t head, std::int32_t max_unchanged_words);

 private:
  std::vector<Merged> found_;  // by vertex; length 0 where there is none
};

}  // namespace gecbench::maxmatch
