// Counting n-grams for GLEU: one row of integers per (sentence, reference) pair.
#pragma once

#include <cstdint>

namespace gecbench {

// n token sequences laid end to end: sequence i is ids[offsets[i]] .. ids[offsets[i + 1]].
struct TokenView {
  const std::int32_t* ids;
  const std::int64_t* offsets;
  std::int64_t count;
};

// Fills counts[row] = hypothesis length, reference length, then numerator and denominator of each order.
// References of sentence i are the rows reference_rows[i] .. reference_rows[i + 1].
void gleu_counts(const TokenView& sources, const TokenView& hypotheses, const TokenView& references,
                 const std::int64_t* reference_rows, int order, bool multiset, std::int64_t* counts);

}  // namespace gecbench
