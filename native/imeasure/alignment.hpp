// Three-way sum-of-pairs alignment, pruned after Carrillo & Lipman 1988 (Felice & Briscoe 2015, section 2.2);
// its steps are numbered in the twin, gecbench/kernels/imeasure/alignment.py.
#pragma once

#include <array>
#include <stdexcept>
#include <vector>

#include "tokens.hpp"

namespace gecbench::imeasure {

constexpr int kMatch = 0, kMismatch = 3, kGap = 2;
constexpr std::int32_t kFar = 1 << 29;

enum Count { kTP, kTN, kFP, kFN, kFPN };
constexpr int kDetection = 0, kCorrection = 5, kBaseline = 10;
using Counts = std::array<std::int64_t, 15>;
using Column = std::array<std::int32_t, 3>;

struct TooLong : std::runtime_error {
  TooLong() : std::runtime_error("the texts need more cells than allowed") {}
};

// Two texts: the distances of their prefixes, and every cell's excess over the best alignment.
struct PairTable {
  std::vector<std::int32_t> prefix, excess;
  int width = 0;
  int distance = 0;

  void fill(TokenSpan first, TokenSpan second);
  void fill_prefix(TokenSpan first, TokenSpan second);  // without the excess
  const std::int32_t* excess_row(int row) const { return excess.data() + static_cast<std::int64_t>(row) * width; }
};

// The cells of each row of a pair whose excess is within a slack, numbered from 0; -1 for others.
struct Kept {
  std::vector<std::int32_t> rank, members, start;

  void fill(const PairTable& pair, int rows, int slack);
  int size(int row) const { return start[row + 1] - start[row]; }
};

// Aligns one source and hypothesis with many references; results hold until the next call.
class Aligner {
 public:
  explicit Aligner(std::int64_t cell_limit) : cell_limit_(cell_limit) {}

  void begin(TokenSpan source, TokenSpan hypothesis);
  void align(TokenSpan reference);

  // The table of source and hypothesis, and their distance, which is known without it where they are equal.
  const PairTable& source_hypothesis();
  int distance() const { return unchanged_ ? 0 : source_hypothesis_.distance; }

  Counts counts{};
  std::vector<Column> columns;
  int source_distance = 0, hypothesis_distance = 0, slack = 0;
  std::int64_t cells = 0;

 private:
  struct Step {
    std::int32_t cost;
    Column before;
  };

  // One of two texts that an alignment may step over alone.
  enum class Side { kFirst, kSecond };

  void trace_two(const PairTable& pair, TokenSpan second, Side preferred, std::array<int, 3> owners);
  void align_three();
  void fill();
  void fill_row(int i);
  std::int32_t value(int i, int j, int k) const;
  int steps(int i, int j, int k, Step* found) const;
  void trace();
  void classify();
  void count_baseline(const PairTable& pair);
  void check_pair(TokenSpan first, TokenSpan second) const;

  std::int64_t cell_limit_;
  TokenSpan source_, hypothesis_, reference_;
  bool unchanged_ = false;  // the hypothesis is the source
  PairTable source_hypothesis_, source_reference_, hypothesis_reference_;
  Kept kept_hypothesis_, kept_reference_;
  int kept_slack_ = -1;
  std::vector<std::int64_t> row_start_;
  std::vector<std::int32_t> table_;
};

}  // namespace gecbench::imeasure
