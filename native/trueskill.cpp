#include "trueskill.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "threads.hpp"

namespace gecbench {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
const double kRootOfHalf = std::sqrt(0.5);
const double kDensityAtZero = 1 / std::sqrt(2 * 3.14159265358979323846);

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

struct Update {
  double v;
  double w;
};

double density(double x) {
  return kDensityAtZero * std::exp(-0.5 * x * x);
}

double probability(double x) {
  return 0.5 * std::erfc(-x * kRootOfHalf);
}

Update win(double lead, double margin) {
  const double x = lead - margin;
  const double chance = probability(x);
  if (chance <= 0) return {-x, 1.0};
  const double v = density(x) / chance;
  return {v, v * (v + x)};
}

Update tie(double lead, double margin) {
  const double distance = std::fabs(lead);
  const double low = -margin - distance;
  const double high = margin - distance;
  const double chance = probability(high) - probability(low);
  if (chance <= 0) return {lead >= 0 ? high : -high, 1.0};
  const double at_low = density(low);
  const double at_high = density(high);
  const double scale = 1 / chance;
  const double v = (at_low - at_high) * scale;
  const double w = v * v + (high * at_high - low * at_low) * scale;
  return {lead >= 0 ? v : -v, w};
}

class Run {
 public:
  Run(const PairwiseJudgments& judgments, const TrueSkillParameters& parameters)
      : judgments_(judgments),
        parameters_(parameters),
        systems_(static_cast<std::size_t>(judgments.systems)),
        means_(systems_, 0.0),
        variances_(systems_, parameters.sigma * parameters.sigma),
        rises_(systems_, 1.0),
        falls_(systems_, 1.0),
        shares_(systems_, 0.0) {
    for (std::size_t pair = 0; pair < systems_ * systems_; ++pair) {
      met_.push_back(judgments.offsets[pair] < judgments.offsets[pair + 1] ? 1.0 : 0.0);
    }
  }

  void play(std::int64_t iterations, Random random, double* means) {
    for (std::int64_t step = 0; step < iterations; ++step) {
      const std::size_t player = least_certain();                           // step 1
      const std::size_t opponent = pick(random.uniform() * weigh(player));  // step 2
      // Step 3
      const std::int64_t* bounds = judgments_.offsets + player * systems_ + opponent;
      const auto choice = static_cast<std::int64_t>(random.uniform() * static_cast<double>(bounds[1] - bounds[0]));
      // Step 4
      Rating first{means_[player], variances_[player]};
      Rating second{means_[opponent], variances_[opponent]};
      rate(first, second, judgments_.outcomes[bounds[0] + choice], parameters_.beta, parameters_.margin);
      remember(player, first);
      remember(opponent, second);
    }
    std::copy(means_.begin(), means_.end(), means);
  }

 private:
  std::size_t least_certain() const {
    std::size_t player = 0;
    double largest = variances_[0];
    for (std::size_t system = 1; system < systems_; ++system) {
      const bool larger = variances_[system] >= largest;
      player = larger ? system : player;
      largest = larger ? variances_[system] : largest;
    }
    return player;
  }

  // Sums of the opponents' weights up to each of them; the last is the total.
  double weigh(std::size_t player) {
    const double rise = rises_[player];
    const double fall = falls_[player];
    const double* met = met_.data() + player * shares_.size();
    for (std::size_t other = 0; other < shares_.size(); ++other) {
      shares_[other] = met[other] * std::min(rise * falls_[other], fall * rises_[other]);
    }
    double total = 0.0;
    for (double& share : shares_) {
      total += share;
      share = total;
    }
    return total;
  }

  // The first system whose sum exceeds `target`; rounding may let the target reach the total.
  std::size_t pick(double target) const {
    std::size_t below = 0;
    for (const double share : shares_) below += share <= target ? 1 : 0;
    if (below < shares_.size()) return below;
    return static_cast<std::size_t>(std::lower_bound(shares_.begin(), shares_.end(), shares_.back()) - shares_.begin());
  }

  void remember(std::size_t system, const Rating& rating) {
    means_[system] = rating.mean;
    variances_[system] = rating.variance;
    rises_[system] = std::exp(rating.mean);
    falls_[system] = 1 / rises_[system];
  }

  const PairwiseJudgments& judgments_;
  const TrueSkillParameters& parameters_;
  const std::size_t systems_;
  std::vector<double> means_;
  std::vector<double> variances_;
  std::vector<double> rises_;   // exp(mean)
  std::vector<double> falls_;   // its inverse
  std::vector<double> shares_;  // sums of weights
  std::vector<double> met_;     // 1 where two systems were compared, [systems][systems]
};

}  // namespace

void rate(Rating& first, Rating& second, int outcome, double beta, double margin) {
  const double total = first.variance + second.variance + 2 * beta * beta;
  const double unit = 1 / std::sqrt(total);
  const double sign = outcome == 0 ? 1.0 : static_cast<double>(outcome);
  const double lead = sign * (first.mean - second.mean) * unit;
  const Update update = outcome == 0 ? tie(lead, margin * unit) : win(lead, margin * unit);
  const double step = sign * update.v * unit;
  const double shrink = update.w * unit * unit;
  first.mean += first.variance * step;
  second.mean -= second.variance * step;
  first.variance *= 1 - first.variance * shrink;
  second.variance *= 1 - second.variance * shrink;
}

void trueskill_runs(const PairwiseJudgments& judgments, std::int64_t iterations, const TrueSkillParameters& parameters,
                    std::uint64_t seed, std::uint64_t first_run, std::int64_t count, int threads, double* results) {
  run_tasks(count, threads, [&](std::int64_t row) {
    const Random random(seed, first_run + static_cast<std::uint64_t>(row));
    Run(judgments, parameters).play(iterations, random, results + row * judgments.systems);
  });
}

}  // namespace gecbench
