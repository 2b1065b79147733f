// GREEN (Koyama et al. 2024): n-grams kept, deleted and inserted, per reference. Python reference:
// gecbench/kernels/green.py.
#pragma once

#include "tokens.hpp"

namespace gecbench {

// Fills counts[row] = TP, FP and FN of each order. References of sentence i are the rows reference_rows[i] ..
// reference_rows[i + 1].
void green_counts(const TokenArray& sources, const TokenArray& hypotheses, const TokenArray& references,
                  const std::int64_t* reference_rows, int order, int threads, std::int64_t* counts);

}  // namespace gecbench
