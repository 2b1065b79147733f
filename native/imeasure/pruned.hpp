// The table of three texts, pruned after Carrillo & Lipman 1988; twin of gecbench/kernels/imeasure/pruned.py.
#pragma once

#include <array>
#include <stdexcept>
#include <vector>

#include "imeasure/pairs.hpp"

namespace gecbench::imeasure {

using Column = std::array<std::int32_t, 3>;

// Which of source, hypothesis and reference a step goes over, in the official order of ties.
constexpr int kMoves[7][3] = {{1, 1, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

struct TooLong : std::runtime_error {
  TooLong() : std::runtime_error("the texts need more cells than allowed") {}
};

struct Texts {
  TokenSpan source, hypothesis, reference;
};

// The two-way tables of three texts, with their excess: source × hypothesis, reference × source, reference ×
// hypothesis.
struct Pairs {
  PairTable source_hypothesis, reference_source, reference_hypothesis;

  int distance() const {
    return source_hypothesis.distance() + reference_source.distance() + reference_hypothesis.distance();
  }
};

// The cells of each row of a pair whose excess is within a slack, numbered from 1; 0 for others, and for those in a row
// or column before the first.
struct Kept {
  std::vector<std::int32_t> rank, members, start;
  int width = 0;

  void fill(const PairTable& pair, int rows, int slack);
  int size(int row) const { return start[row + 2] - start[row + 1]; }
  const std::int32_t* ranks(int row) const { return rank.data() + (row + 1) * std::int64_t{width} + 1; }
};

class PrunedTable {
 public:
  explicit PrunedTable(std::int64_t cell_limit) : cell_limit_(cell_limit) {}

  // Find the official alignment, whose cost is above the bound of its pairs, from its last column to the first; returns
  // by how much it is above.
  int align(const Texts& texts, const Pairs& pairs, int slack, std::vector<Column>& columns);

  std::int64_t cells = 0;

 private:
  // The cells of one token of the reference; far away where one is not kept.
  struct Row {
    std::int32_t* cells;
    const std::int32_t *sources, *hypotheses;
    std::int64_t width;

    std::int32_t& at(int i, int j) const { return cells[sources[i] * width + hypotheses[j]]; }
  };

  void fill(const Pairs& pairs, int slack);
  void fill_row(const Pairs& pairs, int slack, int k);
  Row row(int k);
  std::array<std::int32_t, 7> steps(const Row& above, const Row& here, int i, int j, int k) const;
  void trace(std::vector<Column>& columns);

  std::int64_t cell_limit_;
  Texts texts_;
  Kept sources_, hypotheses_;
  std::vector<std::int64_t> row_start_;
  std::vector<std::int32_t> table_;
};

}  // namespace gecbench::imeasure
