// TrueSkill for two players and its bootstrap runs; twin of gecbench/kernels/trueskill.py.
#pragma once

#include <cstdint>

namespace gecbench {

struct Rating {
  double mean;
  double variance;
};

struct TrueSkillParameters {
  double sigma;
  double beta;
  double margin;
};

// Judgments of system a against b, seen from a: outcomes[offsets[p]] … outcomes[offsets[p + 1] - 1], p = a * systems +
// b.
struct PairwiseJudgments {
  int systems;
  const std::int64_t* offsets;
  const std::int8_t* outcomes;
};

// Herbrich et al. 2006, §4: outcome 1 = first won, -1 = second won, 0 = tie.
void rate(Rating& first, Rating& second, int outcome, double beta, double margin);

// The steps of a run are numbered in the Python twin. Final means of runs first_run … first_run + count - 1 into
// results[count][systems], on `threads` threads.
void trueskill_runs(const PairwiseJudgments& judgments, std::int64_t iterations, const TrueSkillParameters& parameters,
                    std::uint64_t seed, std::uint64_t first_run, std::int64_t count, int threads, double* results);

}  // namespace gecbench
