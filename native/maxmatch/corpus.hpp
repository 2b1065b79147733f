// MaxMatch (M2): counts per sentence and annotator, equal to the official scorer's (docs/m2.md, B.3-B.8);
// twin of gecbench/kernels/maxmatch/corpus.py.
#pragma once

#include <vector>

#include "maxmatch/edits.hpp"

namespace gecbench::maxmatch {

// How a row was settled: in exact arithmetic, by the literal algorithm, or exactly because that grows too large.
enum Settled : std::int8_t { kFast = 0, kLiteral = 1, kTooLarge = 2 };

struct Corpus {
  TokenArray sources;
  TokenArray hypotheses;
  GoldArrays gold;
};

// counts[row][3] and settled[row] for every row (annotator of a sentence), on up to `threads` threads.
void match_corpus(const Corpus& corpus, const Options& options, int threads, std::int64_t* counts,
                  std::int8_t* settled);

// A corpus of one sentence and one annotator, with the edits of the official path.
Counts match_sentence(const Corpus& corpus, const Options& options, std::int8_t& settled, std::vector<PathEdit>& path);

}  // namespace gecbench::maxmatch
