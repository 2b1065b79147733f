#include "imeasure/alignment.hpp"

#include <algorithm>

namespace gecbench::imeasure {

namespace {

constexpr int kMostReturns = 1 << 10;

}  // namespace

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

// Two of the three texts are equal and stay side by side.
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

// Go back from the end by the first step for which the slack suffices. Where none is left, note what the cell needs at
// least, and return.
bool Aligner::walk() {
  needed_.clear();
  left_before_.clear();
  Column cell = {texts_.source.size, texts_.hypothesis.size, texts_.reference.size};
  slack = 0;
  for (int left = 0, returns = 0; returns < kMostReturns;) {
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

// The first step to a cell for which so much slack is enough; if there is none, the least loss of all. Where the three
// tokens are equal, no other step is better than that over all of them.
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

std::int64_t Aligner::number(const Column& cell) const {
  const std::int64_t row = cell[0] * (texts_.hypothesis.size + std::int64_t{1}) + cell[1];
  return row * (texts_.reference.size + std::int64_t{1}) + cell[2];
}

// Detection and correction by the extended WAS scheme (Table 6; docs/imeasure.md, section 5).
void Aligner::classify() {
  counts.fill(0);
  for (const Column& column : columns) {
    const std::int64_t source = column[0] < 0 ? -1 : texts_.source[column[0]];
    const std::int64_t hypothesis = column[1] < 0 ? -1 : texts_.hypothesis[column[1]];
    const std::int64_t expected = column[2] < 0 ? -1 : texts_.reference[column[2]];
    Count outcome;
    if (hypothesis == expected) {
      outcome = source == hypothesis ? kTN : kTP;
    } else if (source == hypothesis) {
      outcome = kFN;
    } else if (source == expected) {
      outcome = kFP;
    } else {
      ++counts[kDetection + kTP];
      for (Count missed : {kFP, kFN, kFPN}) ++counts[kCorrection + missed];
      continue;
    }
    ++counts[kDetection + outcome];
    ++counts[kCorrection + outcome];
  }
}

// The system that changes nothing, from its own two-way alignment (section 2.3.3).
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
