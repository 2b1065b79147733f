// Translation edit rate: insertions, deletions, substitutions and shifts (Python reference: gecbench/kernels/edits.py).
#pragma once

#include "tokens.hpp"

namespace gecbench {

// edits[i] = the edits that turn hypothesis i into reference i, as sacrebleu searches for them (Snover et al. 2006).
void ter_edits(const TokenArray& hypotheses, const TokenArray& references, int threads, std::int64_t* edits);

}  // namespace gecbench
