#include "imeasure/pairs.hpp"

#include <algorithm>

namespace gecbench::imeasure {

void PairTable::begin(TokenSpan columns) {
  columns_ = columns;
  rows_.clear();
  saved_.assign(width(), 0);
}

void PairTable::fill(TokenSpan rows) {
  const auto known = std::mismatch(rows_.begin(), rows_.end(), rows.begin(), rows.end()).first - rows_.begin();
  rows_.assign(rows.begin(), rows.end());
  saved_.resize(static_cast<std::size_t>(rows.size + 1) * width());
  const TokenSpan columns = columns_;
  for (auto row = known; row < rows.size; ++row) {
    const std::int32_t* above = saved_.data() + row * width();
    std::int32_t* here = saved_.data() + (row + 1) * width();
    const std::int32_t token = rows[row];
    here[0] = 0;
    for (int j = 0; j < columns.size; ++j) here[j + 1] = std::max(above[j + 1], above[j] + saving(token, columns[j]));
    for (int j = 0; j < columns.size; ++j) here[j + 1] = std::max(here[j + 1], here[j]);
  }
}

void PairTable::fill_excess() {
  excess_.resize(saved_.size());
  std::fill(excess_.end() - width(), excess_.end(), 0);
  const TokenSpan columns = columns_;
  for (int row = rows() - 1; row >= 0; --row) {
    const std::int32_t* below = excess_.data() + static_cast<std::int64_t>(row + 1) * width();
    std::int32_t* here = excess_.data() + static_cast<std::int64_t>(row) * width();
    const std::int32_t token = rows_[row];
    here[columns.size] = 0;
    for (int j = 0; j < columns.size; ++j) here[j] = std::max(below[j], below[j + 1] + saving(token, columns[j]));
    for (int j = columns.size - 1; j >= 0; --j) here[j] = std::max(here[j], here[j + 1]);
  }
  const std::int32_t most = saved_.back();
  std::transform(saved_.begin(), saved_.end(), excess_.begin(), excess_.begin(),
                 [most](std::int32_t before, std::int32_t after) { return most - before - after; });
}

}  // namespace gecbench::imeasure
