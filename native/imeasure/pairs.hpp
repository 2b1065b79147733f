// Two-way alignments of two texts, one along the rows of a table, the other along its columns.
//
// A table holds savings: what aligning two prefixes costs less than gaps alone. A gap saves nothing, so that of a row
// only the step over both texts is new, and the best so far is carried on.
#pragma once

#include <vector>

#include "tokens.hpp"

namespace gecbench::imeasure {

constexpr int kMatch = 0, kMismatch = 3, kGap = 2;

constexpr std::int32_t saving(std::int32_t first, std::int32_t second) {
  return 2 * kGap - (first == second ? kMatch : kMismatch);
}

constexpr std::int32_t kFar = 1 << 29;

// What each step to a cell loses against the best one: over both texts, over the row's token alone, over the column's.
struct Losses {
  std::int32_t both, row, column;
};

// The text that an alignment steps over alone where it may step over either.
enum class Side { kRow, kColumn };

class PairTable {
 public:
  void begin(TokenSpan columns);
  // Rows that begin like those of the last call are not filled again.
  void fill(TokenSpan rows);

  int distance() const { return kGap * (rows() + columns_.size) - saved(rows(), columns_.size); }
  Losses losses(int row, int column) const {
    const std::int32_t* cell = saved_.data() + static_cast<std::int64_t>(row) * width() + column;
    const bool both = row > 0 && column > 0;
    return {both ? *cell - cell[-width() - 1] - saving(rows_[row - 1], columns_[column - 1]) : kFar,
            row > 0 ? *cell - cell[-width()] : kFar, column > 0 ? *cell - cell[-1] : kFar};
  }

  // Goes back over a best alignment and visits the places in both texts, -1 for a gap.
  template <typename Visit>
  void trace(Side preferred, Visit visit) const {
    for (int row = rows(), column = columns_.size; row > 0 || column > 0;) {
      const Losses loss = losses(row, column);
      const bool over_row = loss.both == 0 || (loss.row == 0 && (preferred == Side::kRow || loss.column > 0));
      const bool over_column = loss.both == 0 || !over_row;
      visit(over_row ? --row : -1, over_column ? --column : -1);
    }
  }

  // What the cheapest alignment through each cell of a row costs above the best one; fill_excess comes first.
  void fill_excess();
  const std::int32_t* excess_row(int row) const { return excess_.data() + static_cast<std::int64_t>(row) * width(); }
  int width() const { return columns_.size + 1; }

 private:
  int rows() const { return static_cast<int>(rows_.size()); }
  std::int32_t saved(int row, int column) const { return saved_[static_cast<std::int64_t>(row) * width() + column]; }

  TokenSpan columns_;
  std::vector<std::int32_t> rows_, saved_, excess_;
};

}  // namespace gecbench::imeasure
