// The greedy choice of an annotator, sentence after sentence: the M2 scorer's (docs/m2.md, B.9) or errant_compare's
// (docs/errant.md); twin of gecbench/kernels/greedy.py. Counts are rows of three: correct, proposed and gold edits.
#pragma once

#include <cstdint>

namespace gecbench::greedy {

struct Totals {
  std::int64_t correct = 0;
  std::int64_t proposed = 0;
  std::int64_t gold = 0;
};

// How options are compared; `rounded`: errant_compare's F, rounded to four decimals.
struct Rule {
  double beta_squared;
  bool rounded;
};

// The rows row_offsets[s]:row_offsets[s + 1] of counts belong to sentence s.
struct SentenceRows {
  const std::int64_t* counts;
  const std::int64_t* row_offsets;
};

// Totals of the greedy choice along `sentences` (null: 0, 1, 2 …); `chosen`, if not null, gets the rows, -1 for none.
Totals walk(const SentenceRows& rows, Rule rule, const std::int32_t* sentences, std::int64_t size,
            std::int64_t* chosen);

// counts[authors][sentences][annotators][3], present[sentences][annotators].
struct AnnotatorCounts {
  std::int64_t authors;
  std::int64_t sentences;
  int annotators;
  const std::int64_t* counts;
  const bool* present;
};

// totals[authors][subsets][3]; bit j of a subset stands for annotator j. Where no annotator of a subset is present,
// all of them count as present.
void subset_totals(const AnnotatorCounts& edits, const std::uint32_t* subsets, std::int64_t subset_count, Rule rule,
                   int threads, std::int64_t* totals);

}  // namespace gecbench::greedy
