// Greedy-cumulative choice of annotators for every subset of them; twin of gecbench/kernels/bound.py.
#pragma once

#include <cstdint>

namespace gecbench {

// counts[authors][sentences][annotators][3] = correct, proposed, gold edits; present[sentences][annotators] or null.
struct EditCounts {
  std::int64_t authors;
  std::int64_t sentences;
  int annotators;
  const std::int64_t* counts;
  const bool* present;
};

// Totals[authors][subsets][3] of the M2 scorer's running choice; bit j of a subset stands for annotator j.
void greedy_totals(const EditCounts& edits, const std::uint32_t* subsets, std::int64_t subset_count, double beta,
                   int threads, std::int64_t* totals);

}  // namespace gecbench
