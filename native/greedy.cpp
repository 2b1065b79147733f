// The plain loop: for each sentence, add every annotator's counts to the totals and keep the best F. A choice depends
// on all choices before it, so the loop cannot be split. For resampled corpora, several walks are advanced together, so
// that the processor can overlap them. Of annotators with equal counts in a sentence, only the first is tried.
// Comparisons avoid branches. The same doubles are computed in the same order as in the Python reference, so choices
// are the same.
#include "greedy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "threads.hpp"

namespace gecbench::greedy {
namespace {

// 10,000 times Python's round(value, 4), which rounds the exact value, ties to even. The value is split into two parts
// whose products with 10,000 are exact, so that its distance from the tie is exact too.
double ten_thousandths(double value) {
  const double high = static_cast<float>(value);
  const double whole = std::floor(high * 10000);
  const double beyond_the_tie = (high * 10000 - whole - 0.5) + (value - high) * 10000;
  return whole + (beyond_the_tie > 0 || (beyond_the_tie == 0 && std::fmod(whole, 2) == 1) ? 1 : 0);
}

// Whole numbers as doubles, exact up to 2^53.
struct Totals {
  double correct = 0, proposed = 0, gold = 0;
};

// Doubles that are not negative compare like their bits, and integers are selected without a branch.
std::int64_t bits_of(double value) {
  std::int64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The rank of an option: higher F, then more correct edits, then smaller `size`, then smaller `size_after`.
struct Rank {
  std::int64_t f = -1;  // below any F
  std::int64_t correct = 0, size = 0, size_after = 0;

  bool beats(const Rank& other) const {
    const bool smaller = (size < other.size) | ((size == other.size) & (size_after < other.size_after));
    const bool ahead = (correct > other.correct) | ((correct == other.correct) & smaller);
    return (f > other.f) | ((f == other.f) & ahead);
  }
};

// The M2 scorer's rule (docs/metrics/m2.md §9).
struct Official {
  double beta_squared;

  Rank operator()(const Totals& sums) const {
    const double size = beta_squared * sums.gold + sums.proposed;
    const double f = size == 0 ? 1.0 : (1 + beta_squared) * sums.correct / size;
    return {bits_of(f), bits_of(sums.correct), bits_of(size), 0};
  }
};

// errant_compare's rule (docs/metrics/errant.md).
struct Rounded {
  double beta_squared;

  Rank operator()(const Totals& sums) const {
    const double precision = sums.proposed == sums.correct ? 1.0 : sums.correct / sums.proposed;
    const double recall = sums.gold == sums.correct ? 1.0 : sums.correct / sums.gold;
    const double size = beta_squared * precision + recall;
    const double f = size == 0 ? 0.0 : (1 + beta_squared) * precision * recall / size;
    return {bits_of(ten_thousandths(f)), bits_of(sums.correct), bits_of(sums.proposed), bits_of(sums.gold)};
  }
};

template <typename Work>
void with_rule(Rule rule, const Work& work) {
  rule.rounded ? work(Rounded{rule.beta_squared}) : work(Official{rule.beta_squared});
}

template <typename Number>
Totals plus(const Totals& totals, const Number* counts) {
  return {totals.correct + static_cast<double>(counts[0]), totals.proposed + static_cast<double>(counts[1]),
          totals.gold + static_cast<double>(counts[2])};
}

// One step of a walk: the best of the options offered; of equals, the one offered first.
template <typename RankOf>
class Step {
 public:
  Step(const Totals& before, RankOf rank_of) : before_(before), rank_of_(rank_of) {}

  void offer(const std::int64_t* counts, std::int64_t option) {
    const Rank rank = rank_of_(plus(before_, counts));
    const bool better = rank.beats(rank_);
    const auto choose = [better](std::int64_t one, std::int64_t other) { return better ? one : other; };
    rank_ = {choose(rank.f, rank_.f), choose(rank.correct, rank_.correct), choose(rank.size, rank_.size),
             choose(rank.size_after, rank_.size_after)};
    chosen_ = choose(option, chosen_);
  }

  std::int64_t chosen() const { return chosen_; }  // -1 if nothing was offered

 private:
  const Totals before_;
  const RankOf rank_of_;
  Rank rank_;
  std::int64_t chosen_ = -1;
};

void write(const Totals& totals, std::int64_t* row) {
  row[0] = static_cast<std::int64_t>(totals.correct);
  row[1] = static_cast<std::int64_t>(totals.proposed);
  row[2] = static_cast<std::int64_t>(totals.gold);
}

template <typename RankOf>
Totals walk_subset(const AnnotatorCounts& edits, std::int64_t author, std::uint32_t subset, RankOf rank_of) {
  Totals totals;
  const std::int64_t* counts = edits.counts + author * edits.sentences * edits.annotators * 3;
  for (std::int64_t sentence = 0; sentence < edits.sentences; ++sentence) {
    Step step(totals, rank_of);
    for (int annotator = 0; annotator < edits.annotators; ++annotator) {
      if ((subset >> annotator & 1U) != 0) step.offer(counts + annotator * 3, annotator);
    }
    if (step.chosen() >= 0) totals = plus(totals, counts + step.chosen() * 3);
    counts += edits.annotators * 3;
  }
  return totals;
}

// The rows of each sentence without repetitions, since the first of equal rows is chosen.
class DistinctRows {
 public:
  DistinctRows(const SentenceRows& rows, std::int64_t sentences) : offsets_{0} {
    for (std::int64_t sentence = 0; sentence < sentences; ++sentence) {
      for (std::int64_t row = rows.row_offsets[sentence]; row < rows.row_offsets[sentence + 1]; ++row) {
        Row counts;
        std::copy_n(rows.counts + 3 * row, 3, counts.begin());
        if (std::find(rows_.begin() + offsets_.back(), rows_.end(), counts) == rows_.end()) rows_.push_back(counts);
      }
      offsets_.push_back(static_cast<std::int64_t>(rows_.size()));
    }
  }

  // Adds the best row of a sentence to the totals. A single row needs no comparison.
  template <typename RankOf>
  void walk(std::int32_t sentence, RankOf rank_of, Totals& totals) const {
    const std::int64_t begin = offsets_[sentence], end = offsets_[sentence + 1];
    if (begin == end) return;
    const double* best = rows_[begin].data();
    Rank rank = rank_of(plus(totals, best));
    for (std::int64_t row = begin + 1; row < end; ++row) {
      const double* other = rows_[row].data();
      const Rank found = rank_of(plus(totals, other));
      const bool better = found.beats(rank);
      best = better ? other : best;
      if (row + 1 < end && better) rank = found;
    }
    totals = plus(totals, best);
  }

 private:
  using Row = std::array<double, 3>;
  std::vector<Row> rows_;
  std::vector<std::int64_t> offsets_;
};

// Walks that are advanced together: their steps do not depend on each other.
constexpr std::int64_t kLanes = 8;

}  // namespace

void choose_rows(const SentenceRows& rows, std::int64_t sentences, Rule rule, std::int64_t* chosen) {
  with_rule(rule, [&](auto rank_of) {
    Totals totals;
    for (std::int64_t sentence = 0; sentence < sentences; ++sentence) {
      Step step(totals, rank_of);
      for (std::int64_t row = rows.row_offsets[sentence]; row < rows.row_offsets[sentence + 1]; ++row)
        step.offer(rows.counts + 3 * row, row);
      chosen[sentence] = step.chosen();
      if (chosen[sentence] >= 0) totals = plus(totals, rows.counts + 3 * chosen[sentence]);
    }
  });
}

void sample_totals(const SentenceRows& rows, std::int64_t sentences, Rule rule, const std::int32_t* samples,
                   std::int64_t count, std::int64_t size, int threads, std::int64_t* totals) {
  const DistinctRows distinct(rows, sentences);
  const auto walk_some = [&](std::int64_t first, std::int64_t lanes, auto rank_of) {
    std::array<Totals, kLanes> sums;
    for (std::int64_t place = 0; place < size; ++place)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        distinct.walk(samples[(first + lane) * size + place], rank_of, sums[lane]);
    for (std::int64_t lane = 0; lane < lanes; ++lane) write(sums[lane], totals + (first + lane) * 3);
  };
  run_tasks((count + kLanes - 1) / kLanes, threads, [&](std::int64_t task) {
    const std::int64_t first = task * kLanes;
    with_rule(rule, [&](auto rank_of) { walk_some(first, std::min(kLanes, count - first), rank_of); });
  });
}

void subset_totals(const AnnotatorCounts& edits, const std::uint32_t* subsets, std::int64_t subset_count, Rule rule,
                   int threads, std::int64_t* totals) {
  run_tasks(edits.authors * subset_count, threads, [&](std::int64_t task) {
    const std::uint32_t subset = subsets[task % subset_count];
    with_rule(rule, [&](auto rank_of) {
      write(walk_subset(edits, task / subset_count, subset, rank_of), totals + task * 3);
    });
  });
}

}  // namespace gecbench::greedy
