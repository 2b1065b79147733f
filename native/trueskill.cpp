#include "trueskill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "game.hpp"
#include "lanes.hpp"
#include "threads.hpp"

namespace gecbench {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t run) : state_(mix(seed + run * kGolden)) {}

  double uniform() {
    state_ += kGolden;
    return static_cast<double>(mix(state_) >> 11) * 0x1.0p-53;
  }

 private:
  std::uint64_t state_;
};

// Runs made side by side: each step of one waits for the step before, those of the others do not.
constexpr std::size_t kSide = 16, kPairs = 4;
static_assert(kSide % (kPairs * kDoubles) == 0 && kSide % kFloats == 0, "runs are taken some at once");
template <typename Number>
using Side = std::array<Number, kSide>;

// Opponents are first picked by weights in single precision, and where these could err once more in double precision,
// as in the Python twin. Of means up to kMostMean, weights are off by less than kRough of themselves, and each of the
// additions by 2^-24 of the sum; the target is off as much as the sums.
constexpr float kMostMean = 8.0F, kRough = 4e-5F, kRounding = 1.2e-7F;

// exp(x) = exp(x / 16)^16 by a polynomial that is off by 2e-7 before the powers; NaN, which leaves every pick in doubt,
// where |x| > kMostMean.
Floats rough_exp(Floats x) {
  const Floats inside = where_at_least(all(kMostMean * kMostMean), x * x, all(1.0F), all(std::nanf("")));
  x = x * all(1.0F / 16);
  Floats sum = inside;
  for (int k = 7; k > 0; --k) sum = all(1.0F) + sum * x * all(1.0F / static_cast<float>(k));
  for (int power = 1; power < 16; power *= 2) sum = sum * sum;
  return sum;
}

class Runs {
 public:
  Runs(const PairwiseJudgments& judgments, const TrueSkillParameters& parameters, std::uint64_t seed,
       std::uint64_t first_run, std::size_t count)
      : judgments_(judgments),
        parameters_(parameters),
        systems_(static_cast<std::size_t>(judgments.systems)),
        count_(count),
        doubt_(2 * (kRough + kRounding * static_cast<float>(systems_))),
        means_(systems_ * kSide, 0.0),
        variances_(systems_ * kSide, parameters.sigma * parameters.sigma),
        rises_(systems_ * kSide, 1.0F),
        falls_(systems_ * kSide, 1.0F),
        shares_(systems_ * kSide, 0.0F) {
    for (std::size_t pair = 0; pair < systems_ * systems_; ++pair) {
      met_.push_back(judgments.offsets[pair] < judgments.offsets[pair + 1] ? 1.0F : 0.0F);
    }
    for (std::size_t run = 0; run < kSide; ++run) random_.emplace_back(seed, first_run + run);
  }

  void play(std::int64_t iterations) {
    for (std::int64_t step = 0; step < iterations; ++step) {
      for (std::size_t run = 0; run < count_; run += kPairs * kDoubles) find_players(run);  // step 1
      for (std::size_t run = 0; run < count_; run += kFloats) pick_opponents(run);          // step 2
      for (std::size_t run = 0; run < count_; ++run) games_[run] = next_game(run);          // step 3
      for (std::size_t run = 0; run < count_; ++run) games_[run].find_chance();             // step 4
      for (std::size_t run = 0; run < count_; ++run) games_[run].find_densities();
      for (std::size_t run = 0; run < count_; ++run) settle(run);
      for (std::size_t run = 0; run < count_; run += kFloats) {
        weigh(players_, run);
        weigh(opponents_, run);
      }
    }
  }

  // The means of a run's systems.
  void list_means(std::size_t run, double* means) const {
    for (std::size_t system = 0; system < systems_; ++system) means[system] = means_[place(system, run)];
  }

 private:
  static std::size_t place(std::size_t system, std::size_t run) { return system * kSide + run; }

  // The systems of the largest variance, the last of equals.
  void find_players(std::size_t run) {
    std::array<Doubles, kPairs> largest, players;
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      largest[pair] = load<Doubles>(&variances_[run + pair * kDoubles]);
      players[pair] = all(0.0);
    }
    for (std::size_t system = 1; system < systems_; ++system) {
      const Doubles number = all(static_cast<double>(system));
      for (std::size_t pair = 0; pair < kPairs; ++pair) {
        const Doubles variances = load<Doubles>(&variances_[place(system, run) + pair * kDoubles]);
        players[pair] = larger_of(where_at_least(variances, largest[pair], number, all(0.0)), players[pair]);
        largest[pair] = larger_of(largest[pair], variances);
      }
    }
    for (std::size_t lane = 0; lane < kPairs * kDoubles; ++lane)
      players_[run + lane] = static_cast<std::size_t>(players[lane / kDoubles][lane % kDoubles]);
  }

  // Adds up the opponents' weights, and counts the sums up to the target.
  void pick_opponents(std::size_t run) {
    Floats rise, fall, total = all(0.0F), target, below = all(0.0F);
    std::array<const float*, kFloats> met;
    for (std::size_t lane = 0; lane < kFloats; ++lane) {
      rise[lane] = rises_[place(players_[run + lane], run + lane)];
      fall[lane] = falls_[place(players_[run + lane], run + lane)];
      met[lane] = met_.data() + players_[run + lane] * systems_;
      chances_[run + lane] = random_[run + lane].uniform();
      target[lane] = static_cast<float>(chances_[run + lane]);
    }
    for (std::size_t other = 0; other < systems_; ++other) {
      const Floats up = rise * load<Floats>(&falls_[place(other, run)]);
      const Floats down = fall * load<Floats>(&rises_[place(other, run)]);
      total = total + Floats{met[0][other], met[1][other], met[2][other], met[3][other]} * smaller_of(up, down);
      store(total, &shares_[place(other, run)]);
    }
    target = target * total;
    for (std::size_t other = 0; other < systems_; ++other) {
      below = below + where_at_least(target, load<Floats>(&shares_[place(other, run)]), all(1.0F), all(0.0F));
    }
    for (std::size_t lane = 0; lane < kFloats; ++lane) {
      const auto found = static_cast<std::size_t>(below[lane]);
      opponents_[run + lane] = is_sure(found, target[lane], run + lane) ? found : pick_exactly(run + lane);
    }
  }

  // Whether the sums on both sides of the target are far from it; false where one is NaN.
  bool is_sure(std::size_t below, float target, std::size_t run) const {
    const float doubt = doubt_ * shares_[place(systems_ - 1, run)];
    return below < systems_ && shares_[place(below, run)] - target > doubt &&
           (below == 0 || target - shares_[place(below - 1, run)] > doubt);
  }

  // The first system whose sum exceeds the target; rounding may let the target reach the total.
  std::size_t pick_exactly(std::size_t run) const {
    const std::size_t player = players_[run];
    const double rise = std::exp(means_[place(player, run)]), fall = 1 / rise;
    std::vector<double> shares;
    double total = 0.0;
    for (std::size_t other = 0; other < systems_; ++other) {
      const double theirs = std::exp(means_[place(other, run)]);
      const double met = met_[player * systems_ + other];
      total += met * std::min(rise * (1 / theirs), fall * theirs);
      shares.push_back(total);
    }
    const auto found = std::upper_bound(shares.begin(), shares.end(), chances_[run] * total);
    return static_cast<std::size_t>(std::min(found, std::lower_bound(shares.begin(), shares.end(), total)) -
                                    shares.begin());
  }

  Game next_game(std::size_t run) {
    const std::int64_t* bounds = judgments_.offsets + players_[run] * systems_ + opponents_[run];
    const auto choice = static_cast<std::int64_t>(random_[run].uniform() * static_cast<double>(bounds[1] - bounds[0]));
    const std::size_t player = place(players_[run], run), opponent = place(opponents_[run], run);
    return {{means_[player], variances_[player]},
            {means_[opponent], variances_[opponent]},
            judgments_.outcomes[bounds[0] + choice],
            parameters_.beta,
            parameters_.margin};
  }

  void settle(std::size_t run) {
    Rating first, second;
    games_[run].rate(first, second);
    remember(place(players_[run], run), first);
    remember(place(opponents_[run], run), second);
  }

  void remember(std::size_t at, const Rating& rating) {
    means_[at] = rating.mean;
    variances_[at] = rating.variance;
  }

  void weigh(const Side<std::size_t>& systems, std::size_t run) {
    Floats means;
    for (std::size_t lane = 0; lane < kFloats; ++lane)
      means[lane] = static_cast<float>(means_[place(systems[run + lane], run + lane)]);
    const Floats rises = rough_exp(means), falls = all(1.0F) / rises;
    for (std::size_t lane = 0; lane < kFloats; ++lane) {
      rises_[place(systems[run + lane], run + lane)] = rises[lane];
      falls_[place(systems[run + lane], run + lane)] = falls[lane];
    }
  }

  const PairwiseJudgments& judgments_;
  const TrueSkillParameters& parameters_;
  const std::size_t systems_, count_;
  const float doubt_;  // how near to the target a sum must be, as a share of the total, for a pick to be in doubt
  // Of each system and run, [systems][kSide]
  std::vector<double> means_, variances_;
  std::vector<float> rises_, falls_;  // about exp(mean), and its inverse
  std::vector<float> shares_;         // sums of weights
  std::vector<float> met_;            // 1 where two systems were compared, [systems][systems]
  std::vector<Random> random_;
  Side<std::size_t> players_{}, opponents_{};
  Side<double> chances_{};
  Side<Game> games_{};
};

}  // namespace

void rate(Rating& first, Rating& second, int outcome, double beta, double margin) {
  Game game(first, second, outcome, beta, margin);
  game.find_chance();
  game.find_densities();
  game.rate(first, second);
}

void trueskill_runs(const PairwiseJudgments& judgments, std::int64_t iterations, const TrueSkillParameters& parameters,
                    std::uint64_t seed, std::uint64_t first_run, std::int64_t count, int threads, double* results) {
  constexpr auto kRuns = static_cast<std::int64_t>(kSide);
  run_tasks((count + kRuns - 1) / kRuns, threads, [&](std::int64_t task) {
    const std::int64_t begin = task * kRuns, size = std::min(kRuns, count - begin);
    Runs runs(judgments, parameters, seed, first_run + static_cast<std::uint64_t>(begin),
              static_cast<std::size_t>(size));
    runs.play(iterations);
    for (std::int64_t run = 0; run < size; ++run)
      runs.list_means(static_cast<std::size_t>(run), results + (begin + run) * judgments.systems);
  });
}

}  // namespace gecbench
