#include "imeasure/alignment.hpp"

#include <algorithm>

namespace gecbench::imeasure {

namespace {

constexpr int kMoves[7][3] = {{1, 1, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

int pair_cost(TokenSpan first, int i, TokenSpan second, int j) {
  return i > 0 && j > 0 && first[i - 1] == second[j - 1] ? kMatch : kMismatch;
}

}  // namespace

void PairTable::fill_prefix(TokenSpan first, TokenSpan second) {
  width = second.size + 1;
  const std::size_t size = static_cast<std::size_t>(first.size + 1) * width;
  prefix.resize(size);
  for (int j = 0; j < width; ++j) prefix[j] = kGap * j;
  for (int i = 1; i <= first.size; ++i) {
    const std::int32_t token = first[i - 1];
    const std::int32_t* above = prefix.data() + static_cast<std::size_t>(i - 1) * width;
    std::int32_t* row = prefix.data() + static_cast<std::size_t>(i) * width;
    std::int32_t left = row[0] = kGap * i;
    for (int j = 1; j < width; ++j) {
      const std::int32_t diagonal = above[j - 1] + (token == second[j - 1] ? kMatch : kMismatch);
      left = row[j] = std::min(std::min(diagonal, above[j] + kGap), left + kGap);
    }
  }
  distance = prefix[size - 1];
}

void PairTable::fill(TokenSpan first, TokenSpan second) {
  fill_prefix(first, second);
  const std::size_t size = prefix.size();
  excess.resize(size);
  std::int32_t* last = excess.data() + static_cast<std::size_t>(first.size) * width;
  for (int j = 0; j < width; ++j) last[j] = kGap * (second.size - j);
  for (int i = first.size - 1; i >= 0; --i) {
    const std::int32_t token = first[i];
    const std::int32_t* below = excess.data() + static_cast<std::size_t>(i + 1) * width;
    std::int32_t* row = excess.data() + static_cast<std::size_t>(i) * width;
    std::int32_t right = row[second.size] = kGap * (first.size - i);
    for (int j = second.size - 1; j >= 0; --j) {
      const std::int32_t diagonal = below[j + 1] + (token == second[j] ? kMatch : kMismatch);
      right = row[j] = std::min(std::min(diagonal, below[j] + kGap), right + kGap);
    }
  }
  for (std::size_t cell = 0; cell < size; ++cell) excess[cell] += prefix[cell] - distance;
}

void Kept::fill(const PairTable& pair, int rows, int slack) {
  rank.resize(pair.excess.size());
  members.clear();
  start.assign(1, 0);
  for (int row = 0; row < rows; ++row) {
    const std::int32_t* excess = pair.excess_row(row);
    std::int32_t* ranks = rank.data() + static_cast<std::int64_t>(row) * pair.width;
    for (int column = 0; column < pair.width; ++column) {
      const bool kept = excess[column] <= slack;
      ranks[column] = kept ? static_cast<std::int32_t>(members.size()) - start[row] : -1;
      if (kept) members.push_back(column);
    }
    start.push_back(static_cast<std::int32_t>(members.size()));
  }
}

void Aligner::check_pair(TokenSpan first, TokenSpan second) const {
  if ((first.size + std::int64_t{1}) * (second.size + std::int64_t{1}) > cell_limit_) throw TooLong();
}

void Aligner::begin(TokenSpan source, TokenSpan hypothesis) {
  check_pair(source, hypothesis);
  source_ = source;
  hypothesis_ = hypothesis;
  unchanged_ = source == hypothesis;
  if (!unchanged_) source_hypothesis_.fill(source, hypothesis);
  kept_slack_ = -1;
}

const PairTable& Aligner::source_hypothesis() {
  if (unchanged_) source_hypothesis_.fill(source_, hypothesis_);
  return source_hypothesis_;
}

void Aligner::align(TokenSpan reference) {
  check_pair(source_.size > hypothesis_.size ? source_ : hypothesis_, reference);
  reference_ = reference;
  if (unchanged_) {  // two texts, of which the source is one: the hypothesis goes with the source,
    source_reference_.fill_prefix(source_, reference);
    source_distance = hypothesis_distance = source_reference_.distance;
    trace_two(source_reference_, reference, Side::kFirst, {0, 0, 1});
  } else if (reference == source_) {  // the reference goes with the source,
    source_distance = 0, hypothesis_distance = source_hypothesis_.distance;
    trace_two(source_hypothesis_, hypothesis_, Side::kFirst, {0, 1, 0});
  } else if (reference == hypothesis_) {  // or the reference with the hypothesis
    source_distance = source_hypothesis_.distance, hypothesis_distance = 0;
    trace_two(source_hypothesis_, hypothesis_, Side::kSecond, {0, 1, 1});
  } else {
    align_three();
  }
  classify();  // step 5
  if (reference == source_) {
    counts[kBaseline + kTN] = source_.size;
  } else {
    count_baseline(!unchanged_ && reference == hypothesis_ ? source_hypothesis_ : source_reference_);
  }
}

void Aligner::align_three() {
  source_reference_.fill(source_, reference_);  // step 1
  hypothesis_reference_.fill(hypothesis_, reference_);
  source_distance = source_reference_.distance;
  hypothesis_distance = hypothesis_reference_.distance;
  const int bound = source_hypothesis_.distance + source_distance + hypothesis_distance;
  for (slack = 0;;) {  // steps 2 and 3
    fill();
    const std::int32_t cost = value(source_.size, hypothesis_.size, reference_.size);
    if (cost >= kFar) {
      slack = std::max(2, 2 * slack);
    } else if (cost - bound > slack) {
      slack = cost - bound;
    } else {
      slack = cost - bound;
      break;
    }
  }
  trace();  // step 4
}

// The alignment where two of the three texts are equal and stay side by side; owners tells which of the two different
// texts each of the three is. After a diagonal step the preferred text is stepped over alone.
void Aligner::trace_two(const PairTable& pair, TokenSpan second, Side preferred, std::array<int, 3> owners) {
  slack = 0;
  columns.clear();
  int i = source_.size, j = second.size;
  while (i > 0 || j > 0) {
    const std::int32_t* cell = pair.prefix.data() + static_cast<std::int64_t>(i) * pair.width + j;
    const bool diagonal = i > 0 && j > 0 && *cell == cell[-pair.width - 1] + pair_cost(source_, i, second, j);
    const bool first_alone = i > 0 && *cell == cell[-pair.width] + kGap;
    const bool second_alone = j > 0 && *cell == cell[-1] + kGap;
    const bool takes_first = diagonal || (first_alone && (preferred == Side::kFirst || !second_alone));
    const bool takes_second = diagonal || !takes_first;
    const std::int32_t places[2] = {takes_first ? --i : -1, takes_second ? --j : -1};
    columns.push_back({places[owners[0]], places[owners[1]], places[owners[2]]});
  }
  std::reverse(columns.begin(), columns.end());
  cells += static_cast<std::int64_t>(columns.size()) + 1;
}

void Aligner::fill() {
  const int rows = source_.size + 1;
  if (kept_slack_ != slack) {
    kept_hypothesis_.fill(source_hypothesis_, rows, slack);
    kept_slack_ = slack;
  }
  kept_reference_.fill(source_reference_, rows, slack);
  row_start_.assign(1, 0);
  for (int i = 0; i < rows; ++i) {
    row_start_.push_back(row_start_[i] + static_cast<std::int64_t>(kept_hypothesis_.size(i)) * kept_reference_.size(i));
  }
  if (row_start_.back() > cell_limit_) throw TooLong();
  table_.assign(row_start_.back(), kFar);
  for (int i = 0; i < rows; ++i) fill_row(i);
}

void Aligner::fill_row(int i) {
  const std::int32_t* hypothesis_excess = source_hypothesis_.excess_row(i);
  const std::int32_t* reference_excess = source_reference_.excess_row(i);
  std::int64_t cell = row_start_[i];
  Step found[7];
  for (int a = kept_hypothesis_.start[i]; a < kept_hypothesis_.start[i + 1]; ++a) {
    const int j = kept_hypothesis_.members[a];
    const std::int32_t* crossing = hypothesis_reference_.excess_row(j);
    for (int b = kept_reference_.start[i]; b < kept_reference_.start[i + 1]; ++b, ++cell) {
      const int k = kept_reference_.members[b];
      if (hypothesis_excess[j] + reference_excess[k] + crossing[k] > slack) continue;
      std::int32_t best = i + j + k == 0 ? 0 : kFar;
      const int ways = steps(i, j, k, found);
      for (int way = 0; way < ways; ++way) best = std::min(best, found[way].cost);
      table_[cell] = best;
      cells += best < kFar;
    }
  }
}

std::int32_t Aligner::value(int i, int j, int k) const {
  const std::int32_t a = kept_hypothesis_.rank[static_cast<std::int64_t>(i) * source_hypothesis_.width + j];
  const std::int32_t b = kept_reference_.rank[static_cast<std::int64_t>(i) * source_reference_.width + k];
  if (a < 0 || b < 0) return kFar;
  return table_[row_start_[i] + static_cast<std::int64_t>(a) * kept_reference_.size(i) + b];
}

// The cost of a cell by each possible move, in the official order of ties.
int Aligner::steps(int i, int j, int k, Step* found) const {
  const int same[3] = {pair_cost(source_, i, hypothesis_, j), pair_cost(source_, i, reference_, k),
                       pair_cost(hypothesis_, j, reference_, k)};
  int count = 0;
  for (int move = 0; move < 7; ++move) {
    const Column before = {i - kMoves[move][0], j - kMoves[move][1], k - kMoves[move][2]};
    if (before[0] < 0 || before[1] < 0 || before[2] < 0) continue;
    const std::int32_t known = value(before[0], before[1], before[2]);
    if (known >= kFar) continue;
    const int cost = move == 0 ? same[0] + same[1] + same[2] : 2 * kGap + (move < 4 ? same[move - 1] : 0);
    found[count++] = {known + cost, before};
  }
  return count;
}

void Aligner::trace() {
  columns.clear();
  Column cell = {source_.size, hypothesis_.size, reference_.size};
  Step found[7];
  while (cell[0] + cell[1] + cell[2] > 0) {
    steps(cell[0], cell[1], cell[2], found);
    const std::int32_t cost = value(cell[0], cell[1], cell[2]);
    int way = 0;
    while (found[way].cost != cost) ++way;
    Column column;
    for (int text = 0; text < 3; ++text) {
      column[text] = found[way].before[text] < cell[text] ? found[way].before[text] : -1;
    }
    columns.push_back(column);
    cell = found[way].before;
  }
  std::reverse(columns.begin(), columns.end());
}

// Detection and correction by the extended WAS scheme (Table 6; docs/imeasure.md, section 5).
void Aligner::classify() {
  counts.fill(0);
  for (const Column& column : columns) {
    const std::int64_t source = column[0] < 0 ? -1 : source_[column[0]];
    const std::int64_t hypothesis = column[1] < 0 ? -1 : hypothesis_[column[1]];
    const std::int64_t expected = column[2] < 0 ? -1 : reference_[column[2]];
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
void Aligner::count_baseline(const PairTable& pair) {
  int i = source_.size, k = reference_.size;
  while (i > 0 || k > 0) {
    const std::int32_t* cell = pair.prefix.data() + static_cast<std::int64_t>(i) * pair.width + k;
    const int cost = pair_cost(source_, i, reference_, k);
    ++counts[kBaseline + (cost == kMatch ? kTN : kFN)];
    if (i > 0 && k > 0 && *cell == cell[-pair.width - 1] + cost) {
      --i, --k;
    } else if (i > 0 && *cell == cell[-pair.width] + kGap) {
      --i;
    } else {
      --k;
    }
  }
}

}  // namespace gecbench::imeasure
