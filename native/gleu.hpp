// GLEU (Sakaguchi et al. 2016): n-gram counts per reference, and the official script's random draws of references.
// Python reference: gecbench/kernels/gleu.py.
#pragma once

#include "tokens.hpp"

namespace gecbench {

// Fills counts[row] = hypothesis length, reference length, then numerator and denominator of each order.
// References of sentence i are the rows reference_rows[i] .. reference_rows[i + 1].
void gleu_counts(const TokenArray& sources, const TokenArray& hypotheses, const TokenArray& references,
                 const std::int64_t* reference_rows, int order, bool multiset, int threads, std::int64_t* counts);

// Which random module draws the references: CPython 2's or CPython 3's.
enum class Generator { kPython2, kPython3 };

// rows[d * sentences + i] = row drawn for sentence i in iteration first_iteration + d.
void draw_rows(const std::int64_t* row_offsets, std::int64_t sentences, std::int64_t first_iteration,
               std::int64_t iterations, Generator generator, int threads, std::int64_t* rows);

// states[d * MersenneTwister::kStateWords ...] = iteration d's generator before the first draw.
void generator_states(std::int64_t iterations, std::uint32_t* states);

// totals[d * width ...] = sum over the sentences of the counts of the row drawn in iteration d. `states` may be
// null; otherwise the generators continue from them, and their new states are written there.
void sampled_totals(const std::int64_t* counts, std::int64_t width, const std::int64_t* row_offsets,
                    std::int64_t sentences, std::int64_t iterations, Generator generator, int threads,
                    std::uint32_t* states, std::int64_t* totals);

}  // namespace gecbench
