// TrueSkill for two players (Herbrich et al. 2006) and bootstrap runs over pairwise judgments (Sakaguchi et al. 2014).
// Python reference: gecbench/kernels/trueskill.py.
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

// With p = a * systems + b, outcomes[offsets[p]:offsets[p + 1]] are the judgments of system a against b, seen from a.
struct PairwiseJudgments {
  int systems;
  const std::int64_t* offsets;
  const std::int8_t* outcomes;
};

// Rates both players after a game (Herbrich et al. 2006, section 4): outcome 1 = first won, -1 = second won, 0 = tie.
void rate(Rating& first, Rating& second, int outcome, double beta, double margin);

// Writes the final means of runs first_run … first_run + count - 1 to results[count][systems]. Each iteration of a run
// 1. takes the system with the largest variance (on ties the last),
// 2. picks an opponent that it was compared with, with probability proportional to exp(-|difference of means|),
// 3. picks one of their judgments at random,
// 4. rates both systems by it.
void trueskill_runs(const PairwiseJudgments& judgments, std::int64_t iterations, const TrueSkillParameters& parameters,
                    std::uint64_t seed, std::uint64_t first_run, std::int64_t count, int threads, double* results);

}  // namespace gecbench
