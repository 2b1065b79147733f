// The best mixed reference of a sentence that cannot be cut (docs/metrics/imeasure.md §8). The Python reference,
// gecbench/kernels/lattice.py, explains the steps and why they are exact.
#pragma once

#include <optional>
#include <vector>

#include "imeasure/best_sum.hpp"

namespace gecbench::imeasure {

// A position in the source and one in the hypothesis.
struct Cell {
  int source, hypothesis;

  bool operator==(Cell other) const { return source == other.source && hypothesis == other.hypothesis; }
};

// The savings of all prefixes of source and hypothesis, at one position of the reference.
using Plane = std::vector<std::int32_t>;

// Planes of one source and hypothesis, and the moves between them.
class Planes {
 public:
  Planes(TokenSpan source, TokenSpan hypothesis);

  // The plane before the first token of the reference.
  Plane start() const;
  // Adds the moves that take no token of the reference.
  void close(std::int32_t* plane) const;
  // The moves that take a token of the reference, from the plane before it to the plane after it.
  void take(const std::int32_t* before, std::int32_t token, std::int32_t* after);
  // The planes from the start of a segment to its end, one after each token of the reference.
  void cross(const Plane& start, TokenSpan tokens, std::vector<Plane>& planes);
  // Traces the official alignment back through a segment, and returns its cell at the start. Moves at a boundary before
  // the next token of the reference belong to the segment before the boundary. The first segment has none before it. So
  // for this segment, with `whole`, the moves at its start are counted, too.
  Cell trace_back(const std::vector<Plane>& planes, TokenSpan tokens, Cell end, bool whole, Counts& counts) const;

  std::int64_t at(Cell cell) const { return std::int64_t{cell.source} * width_ + cell.hypothesis; }
  std::int64_t size() const { return std::int64_t{height_} * width_; }

  const TokenSpan source, hypothesis;
  std::int64_t cells = 0;  // of all planes so far

 private:
  std::int32_t pair_saving(int i, int j) const { return savings_[std::int64_t{i} * (width_ - 1) + j]; }

  int height_, width_;
  Plane savings_;                              // of each pair of tokens of source and hypothesis
  std::vector<std::int32_t> with_hypothesis_;  // what a token of the reference saves with each of the hypothesis
};

class Lattice {
 public:
  using Options = std::vector<std::vector<TokenSpan>>;  // the references of each segment

  Lattice(TokenSpan source, TokenSpan hypothesis, Options segments, std::vector<Cell> pivots)
      : source_(source), hypothesis_(hypothesis), segments_(std::move(segments)), pivots_(std::move(pivots)) {}

  // Step 1: for each boundary the cells through which an optimal alignment of some reference may pass.
  std::vector<std::vector<Cell>> live_cells();
  // Step 2: the edges of every segment; nothing if they take more than `limit` cells of planes.
  std::optional<Layers> edges(std::int64_t limit);

  std::int64_t cells = 0;  // of all planes so far

 private:
  std::vector<std::vector<std::int32_t>> saved_between_pivots() const;
  std::vector<Plane> behind(const std::vector<std::vector<std::int32_t>>& saved);

  TokenSpan source_, hypothesis_;
  Options segments_;
  std::vector<Cell> pivots_;
};

// Edges with the baseline's counts added. A node stands for a pair of nodes, one of each graph. The baseline's edges
// come from a lattice with an empty hypothesis, in which only source and reference are aligned.
Layers add_baseline(const Layers& layers, const Layers& baseline);

}  // namespace gecbench::imeasure
