// The steps are numbered in alignment.hpp.
#include "imeasure/alignment.hpp"

#include <algorithm>

namespace gecbench::imeasure {

namespace {

constexpr int kMaxReturns = 1 << 10;  // steps that the walk may undo

int pair_cost(TokenSpan first, int i, TokenSpan second, int j) {
  return i > 0 && j > 0 && first[i - 1] == second[j - 1] ? kMatch : kMismatch;
}

}  // namespace

void count_column(std::int64_t source, std::int64_t hypothesis, std::int64_t reference, Counts& counts) {
  Count outcome;
  if (hypothesis == reference) {
    outcome = source == hypothesis ? kTN : kTP;
  } else if (source == hypothesis) {
    outcome = kFN;
  } else if (source == reference) {
    outcome = kFP;
  } else {
    ++counts[kDetection + kTP];
    for (Count missed : {kFP, kFN, kFPN}) ++counts[kCorrection + missed];
    return;
  }
  ++counts[kDetection + outcome];
  ++counts[kCorrection + outcome];
}

// Two-way alignment

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

// The excess of a cell is the best saving minus the savings before and after the cell. Savings after it are computed as
// in fill(), but from the end.
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

// Pruned three-way table

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

// The cost of a cell by each move, in the official order of ties. Moves from outside the texts cost kFar, since ranks
// there are 0.
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

// Alignment and counts

void Aligner::check_pair(TokenSpan first, TokenSpan second) const {
  if ((first.size + std::int64_t{1}) * (second.size + std::int64_t{1}) > cell_limit_) throw TooLong();
}

void Aligner::begin(TokenSpan source, TokenSpan hypothesis) {
  check_pair(source, hypothesis);
  texts_ = {source, hypothesis, {}};
  unchanged_ = source == hypothesis;
  has_excess_ = false;
  pairs_.source_hypothesis.begin(hypothesis);
  if (!unchanged_) pairs_.source_hypothesis.fill(source);
  pairs_.reference_source.begin(source);
  pairs_.reference_hypothesis.begin(hypothesis);
  walked_ = pruned_.cells = 0;
}

const PairTable& Aligner::source_hypothesis() {
  if (!has_excess_) {
    if (unchanged_) pairs_.source_hypothesis.fill(texts_.source);
    pairs_.source_hypothesis.fill_excess();
    has_excess_ = true;
  }
  return pairs_.source_hypothesis;
}

void Aligner::align(TokenSpan reference) {
  check_pair(texts_.source.size > texts_.hypothesis.size ? texts_.source : texts_.hypothesis, reference);
  texts_.reference = reference;
  columns.clear();
  if (unchanged_ || reference == texts_.source || reference == texts_.hypothesis) {
    align_two();
  } else {
    align_three();
  }
  std::reverse(columns.begin(), columns.end());
  classify();  // step 5
  count_baseline();
}

// Two of the three texts are equal. An optimal alignment keeps equal texts aligned with each other, so that three of
// the seven moves remain, in the same order: those of a two-way alignment (docs/metrics/imeasure.md §4).
void Aligner::align_two() {
  slack = 0;
  if (unchanged_) {
    pairs_.reference_source.fill(texts_.reference);
    source_distance = hypothesis_distance = pairs_.reference_source.distance();
    pairs_.reference_source.trace(Side::kColumn, [this](int k, int i) { columns.push_back({i, i, k}); });
  } else if (texts_.reference == texts_.source) {
    source_distance = 0, hypothesis_distance = pairs_.source_hypothesis.distance();
    pairs_.source_hypothesis.trace(Side::kRow, [this](int i, int j) { columns.push_back({i, j, i}); });
  } else {
    source_distance = pairs_.source_hypothesis.distance(), hypothesis_distance = 0;
    pairs_.source_hypothesis.trace(Side::kColumn, [this](int i, int j) { columns.push_back({i, j, j}); });
  }
  walked_ += static_cast<std::int64_t>(columns.size()) + 1;
}

void Aligner::align_three() {
  pairs_.reference_source.fill(texts_.reference);  // step 1
  pairs_.reference_hypothesis.fill(texts_.reference);
  source_distance = pairs_.reference_source.distance();
  hypothesis_distance = pairs_.reference_hypothesis.distance();
  if (walk()) return;
  source_hypothesis();
  pairs_.reference_source.fill_excess();
  pairs_.reference_hypothesis.fill_excess();
  slack = pruned_.align(texts_, pairs_, slack, columns);
}

// Steps 2 and 3. Returns whether the beginning was reached without undoing too many steps.
bool Aligner::walk() {
  needed_.clear();
  left_before_.clear();
  Column cell = {texts_.source.size, texts_.hypothesis.size, texts_.reference.size};
  slack = 0;
  for (int left = 0, returns = 0; returns < kMaxReturns;) {
    ++walked_;
    if (cell == Column{}) return true;
    const Step step = first_step(cell, left);
    if (step.loss <= left) {
      left_before_.push_back(left);
      left -= step.loss;
      Column& column = columns.emplace_back();
      for (int text = 0; text < 3; ++text) column[text] = kMoves[step.move][text] ? --cell[text] : -1;
      continue;
    }
    ++returns;
    needed_[number(cell)] = step.loss;
    if (columns.empty()) {
      slack = left = step.loss;
      continue;
    }
    for (int text = 0; text < 3; ++text) cell[text] += columns.back()[text] >= 0;
    left = left_before_.back();
    columns.pop_back();
    left_before_.pop_back();
  }
  return false;
}

// The first step to a cell for which the slack left is enough; if there is none, the least loss of all. If the three
// tokens are equal, no step is better than the step over all of them.
Aligner::Step Aligner::first_step(const Column& cell, int left) const {
  const auto [i, j, k] = cell;
  if (i > 0 && j > 0 && k > 0 && texts_.source[i - 1] == texts_.hypothesis[j - 1] &&
      texts_.source[i - 1] == texts_.reference[k - 1]) {
    const int loss = needed({i - 1, j - 1, k - 1});
    return {0, loss <= left ? 0 : loss};
  }
  const Losses sh = pairs_.source_hypothesis.losses(i, j), rs = pairs_.reference_source.losses(k, i),
               rh = pairs_.reference_hypothesis.losses(k, j);
  const int losses[7] = {sh.both + rs.both + rh.both,
                         sh.both + rs.column + rh.column,
                         sh.row + rs.both + rh.row,
                         sh.column + rs.row + rh.both,
                         sh.row + rs.column,
                         sh.column + rh.column,
                         rs.row + rh.row};
  int least = kFar;
  for (int move = 0; move < 7; ++move) {
    int loss = losses[move];
    if (loss <= left) loss += needed({i - kMoves[move][0], j - kMoves[move][1], k - kMoves[move][2]});
    if (loss <= left) return {move, losses[move]};
    least = std::min(least, loss);
  }
  return {0, least};
}

int Aligner::needed(const Column& cell) const {
  if (needed_.empty()) return 0;
  const auto known = needed_.find(number(cell));
  return known == needed_.end() ? 0 : known->second;
}

// A number for a cell, to look it up.
std::int64_t Aligner::number(const Column& cell) const {
  const std::int64_t row = cell[0] * (texts_.hypothesis.size + std::int64_t{1}) + cell[1];
  return row * (texts_.reference.size + std::int64_t{1}) + cell[2];
}

// Detection and correction by the extended WAS scheme (Table 6; docs/metrics/imeasure.md §5).
void Aligner::classify() {
  counts.fill(0);
  for (const auto& [i, j, k] : columns) {
    count_column(i < 0 ? -1 : texts_.source[i], j < 0 ? -1 : texts_.hypothesis[j], k < 0 ? -1 : texts_.reference[k],
                 counts);
  }
}

// Counts of the source taken as a system (section 2.3.3). Like the program but unlike the paper, from a separate
// two-way alignment (docs/metrics/imeasure.md §6).
void Aligner::count_baseline() {
  const auto count = [this](int i, int k) {
    const bool kept = i >= 0 && k >= 0 && texts_.source[i] == texts_.reference[k];
    ++counts[kBaseline + (kept ? kTN : kFN)];
  };
  if (texts_.reference == texts_.source) {
    counts[kBaseline + kTN] = texts_.source.size;
  } else if (!unchanged_ && texts_.reference == texts_.hypothesis) {
    pairs_.source_hypothesis.trace(Side::kRow, count);
  } else {
    pairs_.reference_source.trace(Side::kColumn, [&count](int k, int i) { count(i, k); });
  }
}

}  // namespace gecbench::imeasure
