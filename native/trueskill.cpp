// TrueSkill as Sakaguchi et al. 2014 use it. Three things differ from the plain algorithm. None of them changes a bit
// of the result:
// - Sixteen runs are computed together, one per lane of a vector. A lane is rounded like a single number, and runs do
//   not depend on each other.
// - exp and the normal distribution are written in plain arithmetic, so that every C library gives the same bits.
// - Opponents are picked with weights in single precision. Where rounding could decide, the pick is repeated in double
//   precision, as in the Python reference.
//
// Order of this file: vector lanes, normal distribution, one game (Herbrich et al. 2006, section 4), runs.
#include "trueskill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "threads.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// For inner loops over lanes: GCC would otherwise unroll them completely before it looks for vector instructions.
#define GECBENCH_LANE_LOOP _Pragma("GCC unroll 8")
#else
#define GECBENCH_LANE_LOOP
#endif

// Compiles a function twice, with and without AVX2; the loader picks the one for the processor. Both give the same
// bits: each lane of a vector is rounded like a single number.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GECBENCH_SIMD __attribute__((target_clones("avx2", "default")))
#else
#define GECBENCH_SIMD
#endif

namespace gecbench {
namespace {

// Vector lanes

// Numbers computed together, in plain loops that compilers turn into vector instructions.
template <typename Number, std::size_t count>
struct alignas(32) Lanes : std::array<Number, count> {};

// Normal distribution

constexpr std::size_t kTerms = 15;
using Series = std::array<double, kTerms>;

// Coefficients of x^14 … x^0: 1 / n!, and with `integrated` 1 / (n! (2n + 1)).
constexpr Series inverse_factorials(bool integrated) {
  double factorials[kTerms] = {1.0};
  for (std::size_t n = 1; n < kTerms; ++n) factorials[n] = factorials[n - 1] * static_cast<double>(n);
  Series found{};
  for (std::size_t n = 0; n < kTerms; ++n)
    found[kTerms - 1 - n] = 1 / (factorials[n] * static_cast<double>(integrated ? 2 * n + 1 : 1));
  return found;
}

constexpr Series kExponential = inverse_factorials(false), kIntegral = inverse_factorials(true);
constexpr double kNear = 1.0;  // the series hold for |x| up to this; that of exp for |x| up to kNear * kNear / 2
constexpr double kLogOf2 = 0.6931471805599453, kUpperLogOf2 = 0xB17217F7p-32, kLowerLogOf2 = 0xD1CF79ABC9E3B398p-96;
constexpr double kPi = 3.14159265358979323846;
const double kDensityAtZero = 1 / std::sqrt(2 * kPi);

inline double sum_series(const Series& series, double x) {
  double sum = series[0];
  for (std::size_t n = 1; n < kTerms; ++n) sum = sum * x + series[n];
  return sum;
}

// exp(x): a power of 2, times the series of the small rest.
inline double exponential(double x) {
  if (std::fabs(x) <= kNear * kNear / 2) return sum_series(kExponential, x);
  if (!(x >= -746)) return x < -746 ? 0.0 : x;  // NaN stays NaN
  if (x > 710) return std::numeric_limits<double>::infinity();
  const double power = std::floor(x * (1 / kLogOf2) + 0.5);
  return std::ldexp(sum_series(kExponential, x - power * kUpperLogOf2 - power * kLowerLogOf2), static_cast<int>(power));
}

inline double density(double x) {
  return kDensityAtZero * exponential(-0.5 * x * x);
}

// density and probability for |x| <= kNear, without a branch.
inline double near_density(double x) {
  return kDensityAtZero * sum_series(kExponential, -0.5 * x * x);
}

inline double near_probability(double x) {
  return 0.5 + x * (kDensityAtZero * sum_series(kIntegral, -0.5 * x * x));
}

// Nodes of the trapezoidal rule: squares of k * kStep, and the (unscaled) density at each.
struct DensityTable {
  static constexpr double kStep = 0.6875;
  std::array<double, 12> squares, densities;

  DensityTable() {
    for (std::size_t n = 0; n < squares.size(); ++n) {
      const double place = static_cast<double>(squares.size() - n) * kStep;
      squares[n] = place * place;
      densities[n] = exponential(-0.5 * squares[n]);
    }
  }
};
const DensityTable kDensityTable;

// The probability that a standard normal variable is less than x. Far from zero by the trapezoidal rule for the
// integral of exp(-t * t / 2) / (t * t + x * x) (Chiarella & Reichel 1968); their correction is below the last bit
// where it is left out.
inline double probability(double x) {
  constexpr double kStep = DensityTable::kStep;
  const double distance = std::fabs(x), square = x * x;
  if (distance <= kNear) return near_probability(x);
  double total = 0.0;
  for (std::size_t n = 0; n < kDensityTable.squares.size(); ++n)
    total += kDensityTable.densities[n] / (kDensityTable.squares[n] + square);
  double tail = exponential(-0.5 * square) * distance * (kStep / (2 * kPi)) * (1 / square + 2 * total);
  if (distance < 8) tail -= 1 / (exponential(2 * kPi / kStep * distance) - 1);
  return x < 0 ? tail : 1 - tail;
}

// One game

// Games of Herbrich et al. 2006, section 4, one per lane. Each step is done for all games before the next one.
template <std::size_t count>
struct Games {
  using Numbers = Lanes<double, count>;

  Numbers mean1, variance1, mean2, variance2;  // before the games, and after `play`
  Numbers outcomes;                            // 1, -1 or 0, seen from the first player

  void play(double beta, double margin) {
    find_bounds(beta, margin);
    find_normal(highs, at_highs, chances);
    if (std::find(outcomes.begin(), outcomes.end(), 0.0) != outcomes.end()) {
      Numbers below;
      find_normal(lows, at_lows, below);
      for (std::size_t game = 0; game < count; ++game) chances[game] -= outcomes[game] == 0 ? below[game] : 0.0;
    }
    rate();
  }

 private:
  Numbers signs, units, leads;  // leads of the first players, in units of the total deviation
  Numbers lows, highs;          // bounds of the outcome; of a win or loss, only `highs` matters
  Numbers chances, at_lows, at_highs;

  GECBENCH_SIMD void find_bounds(double beta, double margin) {
    for (std::size_t game = 0; game < count; ++game) {
      units[game] = 1 / std::sqrt(variance1[game] + variance2[game] + 2 * beta * beta);
      signs[game] = outcomes[game] == 0 ? 1.0 : outcomes[game];
      leads[game] = signs[game] * (mean1[game] - mean2[game]) * units[game];
      const double least = margin * units[game], distance = std::fabs(leads[game]);
      const double tied = least - distance, won = leads[game] - least;
      lows[game] = -least - distance;
      highs[game] = outcomes[game] == 0 ? tied : won;
    }
  }

  // Densities and probabilities. The slower functions are used for all games, but only if one x is far from zero.
  GECBENCH_SIMD static void find_normal(const Numbers& x, Numbers& densities, Numbers& probabilities) {
    double farthest = 0.0;
    for (std::size_t game = 0; game < count; ++game) {
      densities[game] = near_density(x[game]);
      probabilities[game] = near_probability(x[game]);
    }
    for (std::size_t game = 0; game < count; ++game) farthest = std::max(farthest, std::fabs(x[game]));
    if (farthest <= kNear) return;
    for (std::size_t game = 0; game < count; ++game) {
      densities[game] = density(x[game]);
      probabilities[game] = probability(x[game]);
    }
  }

  GECBENCH_SIMD void rate() {
    for (std::size_t game = 0; game < count; ++game) {
      const bool tie = outcomes[game] == 0, underflow = chances[game] <= 0;
      const double scale = 1 / chances[game], won = at_highs[game] / chances[game];
      const double tied = (at_lows[game] - at_highs[game]) * scale;
      const double spread = (highs[game] * at_highs[game] - lows[game] * at_lows[game]) * scale;
      double v = tie ? tied : won, w = tie ? tied * tied + spread : won * (won + highs[game]);
      const double limit = tie ? highs[game] : -highs[game];  // limit of v if the chance goes to 0; that of w is 1
      v = underflow ? limit : v;
      w = underflow ? 1.0 : w;
      v = tie && leads[game] < 0 ? -v : v;
      const double step = signs[game] * v * units[game], shrink = w * units[game] * units[game];
      mean1[game] = mean1[game] + variance1[game] * step;
      mean2[game] = mean2[game] - variance2[game] * step;
      variance1[game] = variance1[game] * (1 - variance1[game] * shrink);
      variance2[game] = variance2[game] * (1 - variance2[game] * shrink);
    }
  }
};

// Runs

// SplitMix64 (Steele et al. 2014): add kGolden to the state, mix.
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

// Runs computed together.
constexpr std::size_t kLanes = 16;
using Doubles = Lanes<double, kLanes>;
using Floats = Lanes<float, kLanes>;
using Ints = Lanes<std::int32_t, kLanes>;
using Bits = Lanes<std::uint32_t, kLanes>;
constexpr std::size_t kBits = 32;

// Bounds of the error in single precision. For means up to kLargestMean, a weight has a relative error below
// kWeightError, and each addition adds an error below kRounding of the sum. The target has the same error as the sums.
constexpr float kLargestMean = 8.0F, kWeightError = 4e-5F, kRounding = 1.2e-7F;

// exp(x) = exp(x / 16)^16, by a polynomial with a relative error of 2e-7 before the powers. If |x| > kLargestMean, the
// result is NaN. NaN fails every comparison, so the pick is repeated in double precision.
inline float rough_exp(float x) {
  constexpr std::array<float, 8> kSeries{1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F};
  float sum = 0.0F;
  for (std::size_t n = 0; n < kSeries.size(); ++n) sum = sum * (x * (1.0F / 16)) + kSeries[n];
  const float squared = sum * sum, fourth = squared * squared, eighth = fourth * fourth;
  return std::fabs(x) <= kLargestMean ? eighth * eighth : std::numeric_limits<float>::quiet_NaN();
}

class Runs {
 public:
  Runs(const PairwiseJudgments& judgments, const TrueSkillParameters& parameters, std::uint64_t seed,
       std::uint64_t first_run)
      : judgments_(judgments),
        parameters_(parameters),
        systems_(static_cast<std::size_t>(judgments.systems)),
        words_((systems_ + kBits - 1) / kBits),
        tolerance_(2 * (kWeightError + kRounding * static_cast<float>(systems_))),
        means_(systems_),
        variances_(systems_),
        exp_means_(systems_),
        exp_neg_means_(systems_),
        shares_(systems_),
        met_(systems_ * words_, 0) {
    for (std::size_t system = 0; system < systems_; ++system) {
      means_[system].fill(0.0);
      variances_[system].fill(parameters.sigma * parameters.sigma);
      exp_means_[system].fill(1.0F);
      exp_neg_means_[system].fill(1.0F);
      for (std::size_t other = 0; other < systems_; ++other) {
        const std::int64_t* bounds = judgments.offsets + system * systems_ + other;
        if (bounds[0] < bounds[1]) met_[system * words_ + other / kBits] |= 1U << (kBits - 1 - other % kBits);
      }
    }
    for (std::size_t run = 0; run < kLanes; ++run) states_[run] = mix(seed + (first_run + run) * kGolden);
  }

  void play(std::int64_t iterations) {
    for (std::int64_t step = 0; step < iterations; ++step) {
      if (step % 1024 == 0) look_for_stop();
      draw(chances_);
      draw(choices_);
      find_players();     // step 1
      weigh_opponents();  // step 2
      pick_opponents();
      pick_judgments();                                   // step 3
      games_.play(parameters_.beta, parameters_.margin);  // step 4
      store_ratings(players_, games_.mean1, games_.variance1);
      store_ratings(opponents_, games_.mean2, games_.variance2);
    }
  }

  // The means of a run's systems.
  void list_means(std::size_t run, double* means) const {
    for (std::size_t system = 0; system < systems_; ++system) means[system] = means_[system][run];
  }

 private:
  // The next numbers in [0, 1): the upper 53 bits.
  GECBENCH_SIMD void draw(Doubles& numbers) {
    Lanes<std::uint64_t, kLanes> mixed;
    for (std::size_t run = 0; run < kLanes; ++run) {
      states_[run] += kGolden;
      mixed[run] = mix(states_[run]) >> 11;
    }
    for (std::size_t run = 0; run < kLanes; ++run)
      numbers[run] = static_cast<double>(static_cast<std::int64_t>(mixed[run])) * 0x1.0p-53;
  }

  // Step 1: the system with the largest variance in each run, the last of equals.
  GECBENCH_SIMD void find_players() {
    Doubles largest, players;
    const Doubles* const variances = variances_.data();
    const std::size_t systems = systems_;
    for (std::size_t run = 0; run < kLanes; ++run) {
      const double first = variances[0][run], second = variances[1][run];
      players[run] = second >= first ? 1.0 : 0.0;
      largest[run] = first > second ? first : second;
    }
    for (std::size_t system = 2; system < systems; ++system) {
      const auto number = static_cast<double>(system);
      GECBENCH_LANE_LOOP
      for (std::size_t run = 0; run < kLanes; ++run) {
        const double variance = variances[system][run];
        players[run] = variance >= largest[run] ? number : players[run];
        largest[run] = largest[run] > variance ? largest[run] : variance;
      }
    }
    for (std::size_t run = 0; run < kLanes; ++run) players_[run] = static_cast<std::int32_t>(players[run]);
  }

  // Step 2: weights exp(-|difference of means|) = min(exp(a - b), exp(b - a)), summed from the first system on.
  void weigh_opponents() {
    Floats exp_mean, exp_neg_mean, total{};
    Bits met;
    for (std::size_t run = 0; run < kLanes; ++run) {
      exp_mean[run] = exp_means_[players_[run]][run];
      exp_neg_mean[run] = exp_neg_means_[players_[run]][run];
    }
    for (std::size_t first = 0; first < systems_; first += kBits) {
      for (std::size_t run = 0; run < kLanes; ++run) met[run] = met_[players_[run] * words_ + first / kBits];
      const std::size_t count = std::min<std::size_t>(kBits, systems_ - first);
      add_weights(exp_mean, exp_neg_mean, met, &exp_means_[first], &exp_neg_means_[first], count, &shares_[first],
                  total);
    }
  }

  // Adds up the weights of up to 32 systems, without those that were not compared with the player.
  GECBENCH_SIMD static void add_weights(const Floats& exp_mean, const Floats& exp_neg_mean, const Bits& met,
                                        const Floats* __restrict exp_means, const Floats* __restrict exp_neg_means,
                                        std::size_t count, Floats* __restrict shares, Floats& total) {
    Floats sum;
    Bits bits;
    for (std::size_t run = 0; run < kLanes; ++run) {
      sum[run] = total[run];
      bits[run] = met[run];
    }
    for (std::size_t other = 0; other < count; ++other) {
      GECBENCH_LANE_LOOP
      for (std::size_t run = 0; run < kLanes; ++run) {
        const float up = exp_mean[run] * exp_neg_means[other][run], down = exp_neg_mean[run] * exp_means[other][run];
        const float weight = up < down ? up : down;
        sum[run] += static_cast<std::int32_t>(bits[run]) < 0 ? weight : 0.0F;
        bits[run] <<= 1;
        shares[other][run] = sum[run];
      }
    }
    for (std::size_t run = 0; run < kLanes; ++run) total[run] = sum[run];
  }

  // Counts the sums that are certainly below the target, and those certainly above it. If no sum is in between, the
  // opponent is the first system whose sum is not below the target.
  GECBENCH_SIMD void pick_opponents() {
    Floats low, high;
    Ints below, above;
    const Floats* const shares = shares_.data();
    const std::size_t systems = systems_;
    for (std::size_t run = 0; run < kLanes; ++run) {
      const float total = shares[systems - 1][run];
      const float target = static_cast<float>(chances_[run]) * total;
      low[run] = target - tolerance_ * total;
      high[run] = target + tolerance_ * total;
      below[run] = above[run] = 0;
    }
    for (std::size_t other = 0; other < systems; ++other) {
      GECBENCH_LANE_LOOP
      for (std::size_t run = 0; run < kLanes; ++run) {
        below[run] += shares[other][run] < low[run] ? 1 : 0;
        above[run] += shares[other][run] > high[run] ? 1 : 0;
      }
    }
    for (std::size_t run = 0; run < kLanes; ++run) opponents_[run] = below[run];
    for (std::size_t run = 0; run < kLanes; ++run)
      if (below[run] + above[run] < judgments_.systems) opponents_[run] = pick_exactly(run);
  }

  // The pick in double precision: the first system whose sum exceeds the target. Rounding may make the target reach the
  // total; then it is the last system with a weight.
  std::int32_t pick_exactly(std::size_t run) const {
    const double exp_mean = exponential(means_[players_[run]][run]), exp_neg_mean = 1 / exp_mean;
    const std::int64_t* bounds = judgments_.offsets + static_cast<std::size_t>(players_[run]) * systems_;
    std::vector<double> shares;
    double total = 0.0;
    for (std::size_t other = 0; other < systems_; ++other) {
      const double theirs = exponential(means_[other][run]);
      if (bounds[other] < bounds[other + 1]) total += std::min(exp_mean * (1 / theirs), exp_neg_mean * theirs);
      shares.push_back(total);
    }
    const auto found = std::upper_bound(shares.begin(), shares.end(), chances_[run] * total);
    return static_cast<std::int32_t>(std::min(found, std::lower_bound(shares.begin(), shares.end(), total)) -
                                     shares.begin());
  }

  // Step 3
  void pick_judgments() {
    for (std::size_t run = 0; run < kLanes; ++run) {
      const std::int32_t player = players_[run], opponent = opponents_[run];
      const std::int64_t* bounds = judgments_.offsets + static_cast<std::size_t>(player) * systems_ + opponent;
      const auto choice = static_cast<std::int64_t>(choices_[run] * static_cast<double>(bounds[1] - bounds[0]));
      games_.outcomes[run] = judgments_.outcomes[bounds[0] + choice];
      games_.mean1[run] = means_[player][run];
      games_.variance1[run] = variances_[player][run];
      games_.mean2[run] = means_[opponent][run];
      games_.variance2[run] = variances_[opponent][run];
    }
  }

  // Writes the ratings after a game, and their exponentials.
  GECBENCH_SIMD void store_ratings(const Ints& systems, const Doubles& means, const Doubles& variances) {
    Floats exp_means, exp_neg_means;
    for (std::size_t run = 0; run < kLanes; ++run) {
      exp_means[run] = rough_exp(static_cast<float>(means[run]));
      exp_neg_means[run] = 1.0F / exp_means[run];
    }
    for (std::size_t run = 0; run < kLanes; ++run) {
      means_[systems[run]][run] = means[run];
      variances_[systems[run]][run] = variances[run];
      exp_means_[systems[run]][run] = exp_means[run];
      exp_neg_means_[systems[run]][run] = exp_neg_means[run];
    }
  }

  const PairwiseJudgments& judgments_;
  const TrueSkillParameters& parameters_;
  const std::size_t systems_, words_;
  const float tolerance_;  // distance from the target, as a share of the total, within which a sum is uncertain
  // By system, a lane per run
  std::vector<Doubles> means_, variances_;
  std::vector<Floats> exp_means_, exp_neg_means_;  // exp(mean) and exp(-mean) in single precision
  std::vector<Floats> shares_;                     // running sums of weights
  std::vector<std::uint32_t> met_;  // [systems][words_]: a bit per system with judgments against it, highest bit first
  Lanes<std::uint64_t, kLanes> states_;
  Ints players_, opponents_;
  Doubles chances_, choices_;
  Games<kLanes> games_{};
};

}  // namespace

void rate(Rating& first, Rating& second, int outcome, double beta, double margin) {
  Games<1> game{};
  game.mean1[0] = first.mean;
  game.variance1[0] = first.variance;
  game.mean2[0] = second.mean;
  game.variance2[0] = second.variance;
  game.outcomes[0] = outcome;
  game.play(beta, margin);
  first = {game.mean1[0], game.variance1[0]};
  second = {game.mean2[0], game.variance2[0]};
}

void trueskill_runs(const PairwiseJudgments& judgments, std::int64_t iterations, const TrueSkillParameters& parameters,
                    std::uint64_t seed, std::uint64_t first_run, std::int64_t count, int threads, double* results) {
  constexpr auto kRuns = static_cast<std::int64_t>(kLanes);
  run_tasks((count + kRuns - 1) / kRuns, threads, [&](std::int64_t task) {
    const std::int64_t begin = task * kRuns, size = std::min(kRuns, count - begin);
    Runs runs(judgments, parameters, seed, first_run + static_cast<std::uint64_t>(begin));
    runs.play(iterations);
    for (std::int64_t run = 0; run < size; ++run)
      runs.list_means(static_cast<std::size_t>(run), results + (begin + run) * judgments.systems);
  });
}

}  // namespace gecbench
