#include "greedy.hpp"

#include <cmath>
#include <vector>

#include "threads.hpp"

namespace gecbench::greedy {
namespace {

// How many ten-thousandths a value is, rounded as Python's round(value, 4) does: exactly, ties to even. The value is
// the sum of two halves whose products with 10,000 are exact, so that its distance to the tie is too.
double ten_thousandths(double value) {
  const double high = static_cast<float>(value);
  const double whole = std::floor(high * 10000);
  const double beyond_the_tie = (high * 10000 - whole - 0.5) + (value - high) * 10000;
  return whole + (beyond_the_tie > 0 || (beyond_the_tie == 0 && std::fmod(whole, 2) == 1) ? 1 : 0);
}

// What options are compared by: higher F, on a tie more correct edits, then less of `size` and of `size_after`.
struct Rank {
  double f = -1.0;  // below any F
  std::int64_t correct = 0;
  double size = 0.0;
  std::int64_t size_after = 0;

  bool beats(const Rank& other) const {
    if (f != other.f) return f > other.f;
    if (correct != other.correct) return correct > other.correct;
    return size != other.size ? size < other.size : size_after < other.size_after;
  }
};

Rank official_rank(const Totals& sums, double beta_squared) {
  const double size = beta_squared * static_cast<double>(sums.gold) + static_cast<double>(sums.proposed);
  const double f = size == 0 ? 1.0 : (1 + beta_squared) * static_cast<double>(sums.correct) / size;
  return {f, sums.correct, size, 0};
}

Rank rounded_rank(const Totals& sums, double beta_squared) {
  const auto correct = static_cast<double>(sums.correct);
  const double precision = sums.proposed == sums.correct ? 1.0 : correct / static_cast<double>(sums.proposed);
  const double recall = sums.gold == sums.correct ? 1.0 : correct / static_cast<double>(sums.gold);
  const double size = beta_squared * precision + recall;
  const double f = size == 0 ? 0.0 : (1 + beta_squared) * precision * recall / size;
  return {ten_thousandths(f), sums.correct, static_cast<double>(sums.proposed), sums.gold};
}

// One step of a walk: the best of the options offered; of equals, the one offered first.
class Step {
 public:
  Step(const Totals& before, Rule rule) : before_(before), best_(before), rule_(rule) {}

  void offer(const std::int64_t* counts, std::int64_t option) {
    const Totals sums{before_.correct + counts[0], before_.proposed + counts[1], before_.gold + counts[2]};
    const Rank rank = (rule_.rounded ? rounded_rank : official_rank)(sums, rule_.beta_squared);
    if (rank.beats(rank_)) best_ = sums, rank_ = rank, chosen_ = option;
  }

  const Totals& totals() const { return best_; }
  std::int64_t chosen() const { return chosen_; }  // -1 if nothing was offered

 private:
  const Totals before_;
  Totals best_;
  const Rule rule_;
  Rank rank_;
  std::int64_t chosen_ = -1;
};

std::vector<std::uint32_t> present_members(const AnnotatorCounts& edits) {
  std::vector<std::uint32_t> members(edits.sentences, 0);
  for (std::int64_t sentence = 0; sentence < edits.sentences; ++sentence) {
    for (int annotator = 0; annotator < edits.annotators; ++annotator) {
      const bool here = edits.present[sentence * edits.annotators + annotator];
      members[sentence] |= std::uint32_t{here} << annotator;
    }
  }
  return members;
}

Totals walk_subset(const AnnotatorCounts& edits, std::int64_t author, std::uint32_t subset,
                   const std::vector<std::uint32_t>& present, Rule rule) {
  Totals totals;
  const std::int64_t* counts = edits.counts + author * edits.sentences * edits.annotators * 3;
  for (const std::uint32_t here : present) {
    const std::uint32_t options = (subset & here) != 0 ? subset & here : subset;
    Step step(totals, rule);
    for (int annotator = 0; annotator < edits.annotators; ++annotator) {
      if ((options >> annotator & 1U) != 0) step.offer(counts + annotator * 3, annotator);
    }
    totals = step.totals();
    counts += edits.annotators * 3;
  }
  return totals;
}

}  // namespace

Totals walk(const SentenceRows& rows, Rule rule, const std::int32_t* sentences, std::int64_t size,
            std::int64_t* chosen) {
  Totals totals;
  for (std::int64_t place = 0; place < size; ++place) {
    const std::int64_t sentence = sentences == nullptr ? place : sentences[place];
    Step step(totals, rule);
    for (std::int64_t row = rows.row_offsets[sentence]; row < rows.row_offsets[sentence + 1]; ++row) {
      step.offer(rows.counts + 3 * row, row);
    }
    totals = step.totals();
    if (chosen != nullptr) chosen[place] = step.chosen();
  }
  return totals;
}

void subset_totals(const AnnotatorCounts& edits, const std::uint32_t* subsets, std::int64_t subset_count, Rule rule,
                   int threads, std::int64_t* totals) {
  const std::vector<std::uint32_t> present = present_members(edits);
  run_tasks(edits.authors * subset_count, threads, [&](std::int64_t task) {
    const std::uint32_t subset = subsets[task % subset_count];
    const Totals sums = walk_subset(edits, task / subset_count, subset, present, rule);
    totals[task * 3] = sums.correct;
    totals[task * 3 + 1] = sums.proposed;
    totals[task * 3 + 2] = sums.gold;
  });
}

}  // namespace gecbench::greedy
