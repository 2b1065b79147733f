// The I-measure (Felice & Briscoe 2015; docs/metrics/imeasure.md) for a whole corpus. Python reference:
// gecbench/kernels/imeasure.py.
#pragma once

#include <vector>

#include "imeasure/mixing.hpp"

namespace gecbench::imeasure {

// counts[reference][15], and per sentence its status and the cells of its alignments. The references of sentence s are
// sentence_offsets[s]:sentence_offsets[s + 1].
struct ReferenceCounts {
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> status;
  std::vector<std::int64_t> cells;
};
ReferenceCounts count_references(const TokenArray& sources, const TokenArray& hypotheses, const TokenArray& references,
                                 const std::int64_t* sentence_offsets, std::int64_t cell_limit, int threads);

// The row of the best reference of every sentence; each has at least one.
std::vector<std::int64_t> choose_listed(const std::vector<Counts>& counts, const std::int64_t* sentence_offsets,
                                        std::int64_t sentences, const Objective& objective);

// The alternative chosen in each group (-1: none); per sentence counts[15], status, and work[4]. With objective.corpus
// a choice depends on the sentences before, so they are scored in order, on one thread.
struct MixedChoice {
  std::vector<std::int32_t> choices;
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> status;
  std::vector<std::int64_t> work;
};
MixedChoice choose_mixed(const TokenArray& sources, const TokenArray& hypotheses, const GroupArrays& gold,
                         const Objective& objective, const Limits& limits, int threads);

}  // namespace gecbench::imeasure
