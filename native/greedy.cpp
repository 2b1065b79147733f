#include "greedy.hpp"

#include <vector>

#include "threads.hpp"

namespace gecbench::greedy {
namespace {

// One step of a walk: of the options offered, the one that gives (1) the highest F of everything so far, on a tie
// (2) the most correct edits, then (3) the smallest proposed + beta² gold, then (4) comes first.
class Step {
 public:
  Step(const Totals& before, double beta_squared) : before_(before), best_(before), beta_squared_(beta_squared) {}

  void offer(const std::int64_t* counts, std::int64_t option) {
    const Totals sums{before_.correct + counts[0], before_.proposed + counts[1], before_.gold + counts[2]};
    const double size = beta_squared_ * static_cast<double>(sums.gold) + static_cast<double>(sums.proposed);
    const double f = size == 0 ? 1.0 : (1 + beta_squared_) * static_cast<double>(sums.correct) / size;
    const bool wins_tie =
        f == best_f_ && (sums.correct > best_.correct || (sums.correct == best_.correct && size < best_size_));
    if (f > best_f_ || wins_tie) best_ = sums, best_size_ = size, best_f_ = f, chosen_ = option;
  }

  const Totals& totals() const { return best_; }
  std::int64_t chosen() const { return chosen_; }  // -1 if nothing was offered

 private:
  const Totals before_;
  Totals best_;
  const double beta_squared_;
  double best_size_ = 0.0, best_f_ = -1.0;  // below any F
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
                   const std::vector<std::uint32_t>& present, double beta_squared) {
  Totals totals;
  const std::int64_t* counts = edits.counts + author * edits.sentences * edits.annotators * 3;
  for (const std::uint32_t here : present) {
    const std::uint32_t options = (subset & here) != 0 ? subset & here : subset;
    Step step(totals, beta_squared);
    for (int annotator = 0; annotator < edits.annotators; ++annotator) {
      if ((options >> annotator & 1U) != 0) step.offer(counts + annotator * 3, annotator);
    }
    totals = step.totals();
    counts += edits.annotators * 3;
  }
  return totals;
}

}  // namespace

Totals walk(const SentenceRows& rows, double beta_squared, const std::int32_t* sentences, std::int64_t size,
            std::int64_t* chosen) {
  Totals totals;
  for (std::int64_t place = 0; place < size; ++place) {
    const std::int64_t sentence = sentences == nullptr ? place : sentences[place];
    Step step(totals, beta_squared);
    for (std::int64_t row = rows.row_offsets[sentence]; row < rows.row_offsets[sentence + 1]; ++row) {
      step.offer(rows.counts + 3 * row, row);
    }
    totals = step.totals();
    if (chosen != nullptr) chosen[place] = step.chosen();
  }
  return totals;
}

void subset_totals(const AnnotatorCounts& edits, const std::uint32_t* subsets, std::int64_t subset_count,
                   double beta_squared, int threads, std::int64_t* totals) {
  const std::vector<std::uint32_t> present = present_members(edits);
  run_tasks(edits.authors * subset_count, threads, [&](std::int64_t task) {
    const std::uint32_t subset = subsets[task % subset_count];
    const Totals sums = walk_subset(edits, task / subset_count, subset, present, beta_squared);
    totals[task * 3] = sums.correct;
    totals[task * 3 + 1] = sums.proposed;
    totals[task * 3 + 2] = sums.gold;
  });
}

}  // namespace gecbench::greedy
