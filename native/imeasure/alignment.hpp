// Three-way sum-of-pairs alignment of source, hypothesis and reference (Felice & Briscoe 2015, section 2.2;
// docs/metrics/imeasure.md §4 and §5), and the counts of its columns. Python reference: gecbench/kernels/alignment.py.
//
// The paper fills a table of |source| x |hypothesis| x |reference| cells. Here three two-way tables are filled instead:
// 1. A step over some of the three texts is also a step in each pair of texts. Its loss is the cost that it adds to the
//    best two-way alignments of these pairs. The losses of the steps of an alignment add up to its slack: its cost
//    minus the three two-way costs.
// 2. Walk back from the end of the texts. Take the first step, in the official order of ties, whose loss is at most the
//    slack that is left. The slack is 0 at first.
// 3. If there is no such step, note how much slack the cell needs at least: the least sum of the loss of a step and the
//    slack needed after it. Then undo the last step. At the end of the texts, continue with the slack noted there.
// 4. No cell needs less slack than noted. So the walk reaches the beginning with the least possible slack, and the
//    steps that it passed over are on no optimal alignment. The result is that of the full table, ties included.
// 5. The columns are classified.
//
// If texts differ so much that the walk undoes too many steps, the three-way table is used, pruned after Carrillo &
// Lipman 1988 (PrunedTable). In the most frequent case, two of the texts are equal. They stay aligned with each other,
// and one two-way table is enough.
#pragma once

#include <array>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "tokens.hpp"

namespace gecbench::imeasure {

// Two-way alignment

constexpr int kMatch = 0, kMismatch = 3, kGap = 2;  // costs of a pair

// How much less it costs to align two tokens than to align each with a gap.
constexpr std::int32_t saving(std::int32_t first, std::int32_t second) {
  return 2 * kGap - (first == second ? kMatch : kMismatch);
}

constexpr std::int32_t kFar = 1 << 29;  // the cost of an impossible step

// The loss of each step to a cell, compared with the best: over both tokens, over the row's token, over the column's.
struct Losses {
  std::int32_t both, row, column;
};

// The text that an alignment steps over if it may step over either text alone.
enum class Side { kRow, kColumn };

// The two-way table of two texts, one along the rows, the other along the columns. A cell holds a saving: how much less
// it costs to align two prefixes than to have gaps only. A gap saves nothing. So a row is first the maximum of the row
// above and the steps over both texts, which vectorizes, and then its running maximum.
class PairTable {
 public:
  void begin(TokenSpan columns);
  // Fills the table. It keeps the first rows if their tokens are those of the last call, as references often start
  // alike.
  void fill(TokenSpan rows);

  int distance() const { return kGap * (rows() + columns_.size) - saved(rows(), columns_.size); }
  Losses losses(int row, int column) const {
    const std::int32_t* cell = saved_.data() + static_cast<std::int64_t>(row) * width() + column;
    const bool both = row > 0 && column > 0;
    return {both ? *cell - cell[-width() - 1] - saving(rows_[row - 1], columns_[column - 1]) : kFar,
            row > 0 ? *cell - cell[-width()] : kFar, column > 0 ? *cell - cell[-1] : kFar};
  }

  // Walks back over a best alignment and visits the positions in both texts, -1 for a gap.
  template <typename Visit>
  void trace(Side preferred, Visit visit) const {
    for (int row = rows(), column = columns_.size; row > 0 || column > 0;) {
      const Losses loss = losses(row, column);
      const bool over_row = loss.both == 0 || (loss.row == 0 && (preferred == Side::kRow || loss.column > 0));
      const bool over_column = loss.both == 0 || !over_row;
      visit(over_row ? --row : -1, over_column ? --column : -1);
    }
  }

  // The excess of a cell: the cost of the cheapest alignment through it above the best one. Call fill_excess first.
  void fill_excess();
  const std::int32_t* excess_row(int row) const { return excess_.data() + static_cast<std::int64_t>(row) * width(); }
  int width() const { return columns_.size + 1; }

 private:
  int rows() const { return static_cast<int>(rows_.size()); }
  std::int32_t saved(int row, int column) const { return saved_[static_cast<std::int64_t>(row) * width() + column]; }

  TokenSpan columns_;
  std::vector<std::int32_t> rows_, saved_, excess_;
};

// Pruned three-way table

using Column = std::array<std::int32_t, 3>;

// Which of source, hypothesis and reference a move steps over, in the official order of ties.
constexpr int kMoves[7][3] = {{1, 1, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

struct TooLong : std::runtime_error {
  TooLong() : std::runtime_error("the texts are too long to align: they need more cells than allowed") {}
};

struct Texts {
  TokenSpan source, hypothesis, reference;
};

// The two-way tables of three texts: source × hypothesis, reference × source, reference × hypothesis.
struct Pairs {
  PairTable source_hypothesis, reference_source, reference_hypothesis;

  int distance() const {
    return source_hypothesis.distance() + reference_source.distance() + reference_hypothesis.distance();
  }
};

// The cells of a two-way table whose excess is at most the slack. They are ranked from 1 in each row. All other cells
// have rank 0, also those of an extra row and an extra column before the first, so that bounds need no check.
struct Kept {
  std::vector<std::int32_t> rank, members, start;
  int width = 0;

  void fill(const PairTable& pair, int rows, int slack);
  int size(int row) const { return start[row + 2] - start[row + 1]; }
  const std::int32_t* ranks(int row) const { return rank.data() + (row + 1) * std::int64_t{width} + 1; }
};

// The three-way table without the cells that cannot be on an optimal alignment (Carrillo & Lipman 1988): those whose
// three excesses sum to more than the slack. The slack is not known in advance. So the table is filled for a guess, and
// again for a larger one if the cost shows that the guess was too small. In the end, all cells of optimal alignments
// have their exact values, and no other value is too small. So tracing back meets the same ties as in the full table.
class PrunedTable {
 public:
  explicit PrunedTable(std::int64_t cell_limit) : cell_limit_(cell_limit) {}

  // Finds the columns of the official alignment from the last to the first. `slack` is a lower bound of the real slack,
  // which is returned.
  int align(const Texts& texts, const Pairs& pairs, int slack, std::vector<Column>& columns);

  std::int64_t cells = 0;

 private:
  // The cells of one token of the reference, by rank. A cell that is not kept has the cost kFar.
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

// Alignment and counts

// Five counts each of detection, correction and the baseline (the source taken as a system).
enum Count { kTP, kTN, kFP, kFN, kFPN };
constexpr int kDetection = 0, kCorrection = 5, kBaseline = 10;
using Counts = std::array<std::int64_t, 15>;

// Adds the classes of a column for detection and correction (Table 6 of the paper); -1 is a gap.
void count_column(std::int64_t source, std::int64_t hypothesis, std::int64_t reference, Counts& counts);

// Aligns one source and hypothesis with many references. The public results are valid until the next call.
class Aligner {
 public:
  explicit Aligner(std::int64_t cell_limit) : cell_limit_(cell_limit), pruned_(cell_limit) {}

  void begin(TokenSpan source, TokenSpan hypothesis);
  void align(TokenSpan reference);

  // The table of source and hypothesis with its excess filled.
  const PairTable& source_hypothesis();
  int distance() const { return unchanged_ ? 0 : pairs_.source_hypothesis.distance(); }
  std::int64_t cells() const { return walked_ + pruned_.cells; }  // work since begin()

  // Results of align()
  Counts counts{};
  std::vector<Column> columns;  // positions in source, hypothesis and reference, -1 for a gap
  int source_distance = 0, hypothesis_distance = 0, slack = 0;

 private:
  struct Step {
    int move, loss;
  };

  void align_two();
  void align_three();
  bool walk();
  Step first_step(const Column& cell, int left) const;
  int needed(const Column& cell) const;
  std::int64_t number(const Column& cell) const;
  void classify();
  void count_baseline();
  void check_pair(TokenSpan first, TokenSpan second) const;

  std::int64_t cell_limit_;
  Texts texts_;
  bool unchanged_ = false;  // the hypothesis is the source
  bool has_excess_ = false;
  Pairs pairs_;
  PrunedTable pruned_;
  std::int64_t walked_ = 0;                       // steps
  std::unordered_map<std::int64_t, int> needed_;  // by number of a cell: the least slack that it needs
  std::vector<int> left_before_;                  // by column: the slack left before its step
};

}  // namespace gecbench::imeasure
