#include "imeasure/pruned.hpp"

#include <algorithm>

namespace gecbench::imeasure {

namespace {

int pair_cost(TokenSpan first, int i, TokenSpan second, int j) {
  return i > 0 && j > 0 && first[i - 1] == second[j - 1] ? kMatch : kMismatch;
}

}  // namespace

void Kept::fill(const PairTable& pair, int rows, int slack) {
  width = pair.width() + 1;
  rank.assign(static_cast<std::size_t>(rows + 1) * width, 0);
  members.clear();
  start.assign(2, 0);
  for (int row = 0; row < rows; ++row) {
    const std::int32_t* excess = pair.excess_row(row);
    std::int32_t* ranks = rank.data() + (row + 1) * std::int64_t{width} + 1;
    for (int column = 0; column < pair.width(); ++column) {
      if (excess[column] > slack) continue;
      members.push_back(column);
      ranks[column] = static_cast<std::int32_t>(members.size()) - start.back();
    }
    start.push_back(static_cast<std::int32_t>(members.size()));
  }
}

int PrunedTable::align(const Texts& texts, const Pairs& pairs, int slack, std::vector<Column>& columns) {
  texts_ = texts;
  const int bound = pairs.distance();
  while (true) {
    fill(pairs, slack);
    const std::int32_t cost = row(texts.reference.size).at(texts.source.size, texts.hypothesis.size);
    if (cost <= bound + slack) {
      trace(columns);
      return cost - bound;
    }
    slack = cost >= kFar ? slack + slack / 2 + 2 : cost - bound;
  }
}

void PrunedTable::fill(const Pairs& pairs, int slack) {
  const int rows = texts_.reference.size + 1;
  sources_.fill(pairs.reference_source, rows, slack);
  hypotheses_.fill(pairs.reference_hypothesis, rows, slack);
  row_start_.assign(1, 0);
  std::int64_t kept = 0;
  for (int k = -1; k < rows; ++k) {
    const std::int64_t sources = sources_.size(k), hypotheses = hypotheses_.size(k);
    kept += sources * hypotheses;
    row_start_.push_back(row_start_.back() + (sources + 1) * (hypotheses + 1));
  }
  if (kept > cell_limit_) throw TooLong();
  table_.assign(row_start_.back(), kFar);
  for (int k = 0; k < rows; ++k) fill_row(pairs, slack, k);
}

PrunedTable::Row PrunedTable::row(int k) {
  return {table_.data() + row_start_[k + 1], sources_.ranks(k), hypotheses_.ranks(k), hypotheses_.size(k) + 1};
}

void PrunedTable::fill_row(const Pairs& pairs, int slack, int k) {
  const std::int32_t* source_excess = pairs.reference_source.excess_row(k);
  const std::int32_t* hypothesis_excess = pairs.reference_hypothesis.excess_row(k);
  const Row above = row(k - 1), here = row(k);
  for (int a = sources_.start[k + 1]; a < sources_.start[k + 2]; ++a) {
    const int i = sources_.members[a];
    const std::int32_t* crossing = pairs.source_hypothesis.excess_row(i);
    for (int b = hypotheses_.start[k + 1]; b < hypotheses_.start[k + 2]; ++b) {
      const int j = hypotheses_.members[b];
      if (source_excess[i] + hypothesis_excess[j] + crossing[j] > slack) continue;
      const auto costs = steps(above, here, i, j, k);
      const std::int32_t best = i + j + k == 0 ? 0 : std::min(kFar, *std::min_element(costs.begin(), costs.end()));
      here.at(i, j) = best;
      cells += best < kFar;
    }
  }
}

// The cost of a cell by each move, in the official order of ties.
std::array<std::int32_t, 7> PrunedTable::steps(const Row& above, const Row& here, int i, int j, int k) const {
  const int source_hypothesis = pair_cost(texts_.source, i, texts_.hypothesis, j);
  const int source_reference = pair_cost(texts_.source, i, texts_.reference, k);
  const int hypothesis_reference = pair_cost(texts_.hypothesis, j, texts_.reference, k);
  return {above.at(i - 1, j - 1) + source_hypothesis + source_reference + hypothesis_reference,
          here.at(i - 1, j - 1) + source_hypothesis + 2 * kGap,
          above.at(i - 1, j) + source_reference + 2 * kGap,
          above.at(i, j - 1) + hypothesis_reference + 2 * kGap,
          here.at(i - 1, j) + 2 * kGap,
          here.at(i, j - 1) + 2 * kGap,
          above.at(i, j) + 2 * kGap};
}

void PrunedTable::trace(std::vector<Column>& columns) {
  columns.clear();
  Column cell = {texts_.source.size, texts_.hypothesis.size, texts_.reference.size};
  while (cell != Column{}) {
    const auto [i, j, k] = cell;
    const Row here = row(k);
    const auto costs = steps(row(k - 1), here, i, j, k);
    const auto move = std::find(costs.begin(), costs.end(), here.at(i, j)) - costs.begin();
    Column& column = columns.emplace_back();
    for (int text = 0; text < 3; ++text) column[text] = kMoves[move][text] ? --cell[text] : -1;
  }
}

}  // namespace gecbench::imeasure
