#include "trueskill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "games.hpp"
#include "side.hpp"
#include "threads.hpp"

namespace gecbench {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

// Runs made side by side: each step of one waits for the step before, those of the others do not.
constexpr std::size_t kSide = 16;
using Doubles = Side<double, kSide>;
using Floats = Side<float, kSide>;
using Ints = Side<std::int32_t, kSide>;
using Bits = Side<std::uint32_t, kSide>;
constexpr std::size_t kBits = 32;

// Opponents are first picked by weights in single precision, and where these could err once more in double precision,
// as in the Python twin. Of means up to kMostMean, weights are off by less than kRough of themselves, and each of the
// additions by 2^-24 of the sum; the target is off as much as the sums.
constexpr float kMostMean = 8.0F, kRough = 4e-5F, kRounding = 1.2e-7F;

// exp(x) = exp(x / 16)^16 by a polynomial that is off by 2e-7 before the powers; NaN, which leaves every pick in doubt,
// where |x| > kMostMean.
inline float rough_exp(float x) {
  constexpr std::array<float, 8> kSeries{1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F};
  float sum = 0.0F;
  for (std::size_t n = 0; n < kSeries.size(); ++n) sum = sum * (x * (1.0F / 16)) + kSeries[n];
  const float squared = sum * sum, fourth = squared * squared, eighth = fourth * fourth;
  return std::fabs(x) <= kMostMean ? eighth * eighth : std::numeric_limits<float>::quiet_NaN();
}

class Runs {
 public:
  Runs(const PairwiseJudgments& judgments, const TrueSkillParameters& parameters, std::uint64_t seed,
       std::uint64_t first_run)
      : judgments_(judgments),
        parameters_(parameters),
        systems_(static_cast<std::size_t>(judgments.systems)),
        words_((systems_ + kBits - 1) / kBits),
        doubt_(2 * (kRough + kRounding * static_cast<float>(systems_))),
        means_(systems_),
        variances_(systems_),
        rises_(systems_),
        falls_(systems_),
        shares_(systems_),
        met_(systems_ * words_, 0) {
    for (std::size_t system = 0; system < systems_; ++system) {
      means_[system].fill(0.0);
      variances_[system].fill(parameters.sigma * parameters.sigma);
      rises_[system].fill(1.0F);
      falls_[system].fill(1.0F);
      for (std::size_t other = 0; other < systems_; ++other) {
        const std::int64_t* bounds = judgments.offsets + system * systems_ + other;
        if (bounds[0] < bounds[1]) met_[system * words_ + other / kBits] |= 1U << (kBits - 1 - other % kBits);
      }
    }
    for (std::size_t run = 0; run < kSide; ++run) states_[run] = mix(seed + (first_run + run) * kGolden);
  }

  void play(std::int64_t iterations) {
    for (std::int64_t step = 0; step < iterations; ++step) {
      draw(chances_);
      draw(choices_);
      find_players();     // step 1
      weigh_opponents();  // step 2
      pick_opponents();
      pick_judgments();                                   // step 3
      games_.play(parameters_.beta, parameters_.margin);  // step 4
      settle(players_, games_.mean1, games_.variance1);
      settle(opponents_, games_.mean2, games_.variance2);
    }
  }

  // The means of a run's systems.
  void list_means(std::size_t run, double* means) const {
    for (std::size_t system = 0; system < systems_; ++system) means[system] = means_[system][run];
  }

 private:
  // SplitMix64's next numbers in [0, 1).
  GECBENCH_SIDE_BY_SIDE void draw(Doubles& numbers) {
    Side<std::uint64_t, kSide> mixed;
    for (std::size_t run = 0; run < kSide; ++run) {
      states_[run] += kGolden;
      mixed[run] = mix(states_[run]) >> 11;
    }
    for (std::size_t run = 0; run < kSide; ++run)
      numbers[run] = static_cast<double>(static_cast<std::int64_t>(mixed[run])) * 0x1.0p-53;
  }

  // The systems of the largest variance, the last of equals.
  GECBENCH_SIDE_BY_SIDE void find_players() {
    Doubles largest, players;
    const Doubles* const variances = variances_.data();
    const std::size_t systems = systems_;
    for (std::size_t run = 0; run < kSide; ++run) {
      const double first = variances[0][run], second = variances[1][run];
      players[run] = second >= first ? 1.0 : 0.0;
      largest[run] = first > second ? first : second;
    }
    for (std::size_t system = 2; system < systems; ++system) {
      const auto number = static_cast<double>(system);
      GECBENCH_LANES
      for (std::size_t run = 0; run < kSide; ++run) {
        const double variance = variances[system][run];
        players[run] = variance >= largest[run] ? number : players[run];
        largest[run] = largest[run] > variance ? largest[run] : variance;
      }
    }
    for (std::size_t run = 0; run < kSide; ++run) players_[run] = static_cast<std::int32_t>(players[run]);
  }

  void weigh_opponents() {
    Floats rise, fall, total{};
    Bits met;
    for (std::size_t run = 0; run < kSide; ++run) {
      rise[run] = rises_[players_[run]][run];
      fall[run] = falls_[players_[run]][run];
    }
    for (std::size_t first = 0; first < systems_; first += kBits) {
      for (std::size_t run = 0; run < kSide; ++run) met[run] = met_[players_[run] * words_ + first / kBits];
      const std::size_t count = std::min<std::size_t>(kBits, systems_ - first);
      add_weights(rise, fall, met, &rises_[first], &falls_[first], count, &shares_[first], total);
    }
  }

  // Adds up weights of systems that were met, up to 32 of them.
  GECBENCH_SIDE_BY_SIDE static void add_weights(const Floats& rise, const Floats& fall, const Bits& met,
                                                const Floats* __restrict rises, const Floats* __restrict falls,
                                                std::size_t count, Floats* __restrict shares, Floats& total) {
    Floats sum;
    Bits bits;
    for (std::size_t run = 0; run < kSide; ++run) {
      sum[run] = total[run];
      bits[run] = met[run];
    }
    for (std::size_t other = 0; other < count; ++other) {
      GECBENCH_LANES
      for (std::size_t run = 0; run < kSide; ++run) {
        const float up = rise[run] * falls[other][run], down = fall[run] * rises[other][run];
        const float weight = up < down ? up : down;
        sum[run] += static_cast<std::int32_t>(bits[run]) < 0 ? weight : 0.0F;
        bits[run] <<= 1;
        shares[other][run] = sum[run];
      }
    }
    for (std::size_t run = 0; run < kSide; ++run) total[run] = sum[run];
  }

  // Counts the sums that are below or above the target beyond doubt; it is in the first that is not below.
  GECBENCH_SIDE_BY_SIDE void pick_opponents() {
    Floats low, high;
    Ints below, above;
    const Floats* const shares = shares_.data();
    const std::size_t systems = systems_;
    for (std::size_t run = 0; run < kSide; ++run) {
      const float total = shares[systems - 1][run];
      const float target = static_cast<float>(chances_[run]) * total;
      low[run] = target - doubt_ * total;
      high[run] = target + doubt_ * total;
      below[run] = above[run] = 0;
    }
    for (std::size_t other = 0; other < systems; ++other) {
      GECBENCH_LANES
      for (std::size_t run = 0; run < kSide; ++run) {
        below[run] += shares[other][run] < low[run] ? 1 : 0;
        above[run] += shares[other][run] > high[run] ? 1 : 0;
      }
    }
    for (std::size_t run = 0; run < kSide; ++run) opponents_[run] = below[run];
    for (std::size_t run = 0; run < kSide; ++run)
      if (below[run] + above[run] < judgments_.systems) opponents_[run] = pick_exactly(run);
  }

  // The first system whose sum exceeds the target; rounding may let the target reach the total.
  std::int32_t pick_exactly(std::size_t run) const {
    const double rise = exponential(means_[players_[run]][run]), fall = 1 / rise;
    const std::int64_t* bounds = judgments_.offsets + players_[run] * judgments_.systems;
    std::vector<double> shares;
    double total = 0.0;
    for (std::size_t other = 0; other < systems_; ++other) {
      const double theirs = exponential(means_[other][run]);
      if (bounds[other] < bounds[other + 1]) total += std::min(rise * (1 / theirs), fall * theirs);
      shares.push_back(total);
    }
    const auto found = std::upper_bound(shares.begin(), shares.end(), chances_[run] * total);
    return static_cast<std::int32_t>(std::min(found, std::lower_bound(shares.begin(), shares.end(), total)) -
                                     shares.begin());
  }

  void pick_judgments() {
    for (std::size_t run = 0; run < kSide; ++run) {
      const std::int32_t player = players_[run], opponent = opponents_[run];
      const std::int64_t* bounds = judgments_.offsets + player * judgments_.systems + opponent;
      const auto choice = static_cast<std::int64_t>(choices_[run] * static_cast<double>(bounds[1] - bounds[0]));
      games_.outcomes[run] = judgments_.outcomes[bounds[0] + choice];
      games_.mean1[run] = means_[player][run];
      games_.variance1[run] = variances_[player][run];
      games_.mean2[run] = means_[opponent][run];
      games_.variance2[run] = variances_[opponent][run];
    }
  }

  GECBENCH_SIDE_BY_SIDE void settle(const Ints& systems, const Doubles& means, const Doubles& variances) {
    Floats rises, falls;
    for (std::size_t run = 0; run < kSide; ++run) {
      rises[run] = rough_exp(static_cast<float>(means[run]));
      falls[run] = 1.0F / rises[run];
    }
    for (std::size_t run = 0; run < kSide; ++run) {
      means_[systems[run]][run] = means[run];
      variances_[systems[run]][run] = variances[run];
      rises_[systems[run]][run] = rises[run];
      falls_[systems[run]][run] = falls[run];
    }
  }

  const PairwiseJudgments& judgments_;
  const TrueSkillParameters& parameters_;
  const std::size_t systems_, words_;
  const float doubt_;  // how near to the target a sum must be, as a share of the total, for a pick to be in doubt
  // Of each system and run
  std::vector<Doubles> means_, variances_;
  std::vector<Floats> rises_, falls_;  // about exp(mean), and its inverse
  std::vector<Floats> shares_;         // sums of weights
  std::vector<std::uint32_t> met_;     // [systems][words_], a bit for each other system, the first is the highest
  Side<std::uint64_t, kSide> states_;
  Ints players_, opponents_;
  Doubles chances_, choices_;
  Games<kSide> games_{};
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
  constexpr auto kRuns = static_cast<std::int64_t>(kSide);
  run_tasks((count + kRuns - 1) / kRuns, threads, [&](std::int64_t task) {
    const std::int64_t begin = task * kRuns, size = std::min(kRuns, count - begin);
    Runs runs(judgments, parameters, seed, first_run + static_cast<std::uint64_t>(begin));
    runs.play(iterations);
    for (std::int64_t run = 0; run < size; ++run)
      runs.list_means(static_cast<std::size_t>(run), results + (begin + run) * judgments.systems);
  });
}

}  // namespace gecbench
