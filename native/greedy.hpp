// The greedy choice of an annotator, sentence after sentence, by the totals so far: the M2 scorer's rule
// (docs/metrics/m2.md §9) or errant_compare's (docs/metrics/errant.md). Counts are rows of three: correct, proposed
// and gold edits. Python reference: gecbench/kernels/greedy.py.
#pragma once

#include <cstdint>

namespace gecbench::greedy {

// How annotators are compared: by the M2 scorer's F or, with `rounded`, by errant_compare's, rounded to four decimals.
struct Rule {
  double beta_squared;
  bool rounded;
};

// The rows row_offsets[s]:row_offsets[s + 1] of counts belong to sentence s.
struct SentenceRows {
  const std::int64_t* counts;
  const std::int64_t* row_offsets;
};

// The row chosen for each sentence, -1 where it has none.
void choose_rows(const SentenceRows& rows, std::int64_t sentences, Rule rule, std::int64_t* chosen);

// totals[count][3] of the greedy choice along each row of samples[count][size], which are indices of sentences.
void sample_totals(const SentenceRows& rows, std::int64_t sentences, Rule rule, const std::int32_t* samples,
                   std::int64_t count, std::int64_t size, int threads, std::int64_t* totals);

// counts[authors][sentences][annotators][3].
struct AnnotatorCounts {
  std::int64_t authors;
  std::int64_t sentences;
  int annotators;
  const std::int64_t* counts;
};

// totals[authors][subsets][3]; bit j of a subset stands for annotator j.
void subset_totals(const AnnotatorCounts& edits, const std::uint32_t* subsets, std::int64_t subset_count, Rule rule,
                   int threads, std::int64_t* totals);

}  // namespace gecbench::greedy
