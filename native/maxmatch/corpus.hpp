// MaxMatch (M2; Dahlmeier & Ng 2012): counts per sentence and annotator, equal to the official scorer's
// (docs/metrics/m2.md §3-§8). Python reference: gecbench/kernels/maxmatch.py.
//
// A sentence is solved in exact arithmetic first (path.hpp). If that does not settle the counts, the official algorithm
// is run literally (literal.hpp), unless its arc list is too long.
#pragma once

#include <vector>

#include "maxmatch/lattice.hpp"

namespace gecbench::maxmatch {

// How a row was settled: in exact arithmetic; by the literal algorithm; or in exact arithmetic although the literal
// algorithm could differ, because its arc list is too long.
enum Settled : std::int8_t { kFast = 0, kLiteral = 1, kTooLarge = 2 };

struct Corpus {
  TokenArray sources;
  TokenArray hypotheses;
  GoldArrays gold;
};

// counts[row][3] and settled[row] for every row (annotator of a sentence), on up to `threads` threads.
void match_corpus(const Corpus& corpus, const Options& options, int threads, std::int64_t* counts,
                  std::int8_t* settled);

// Counts of a corpus of one sentence and one annotator, and the edits of the official path.
Counts match_sentence(const Corpus& corpus, const Options& options, std::int8_t& settled, std::vector<PathEdit>& path);

}  // namespace gecbench::maxmatch
