// BLEU's n-gram counts against all references at once (twin of gecbench/kernels/bleu.py).
#pragma once

#include "tokens.hpp"

namespace gecbench {

// Fills counts[i] = length of the hypothesis, of the closest reference (the shorter of two, then the first of two),
// then the matches and the n-grams of each order. References of sentence i are reference_rows[i] .. reference_rows[i +
// 1].
void bleu_counts(const TokenArray& hypotheses, const TokenArray& references, const std::int64_t* reference_rows,
                 int order, int threads, std::int64_t* counts);

}  // namespace gecbench
