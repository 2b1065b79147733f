// One game of TrueSkill between two players.
#pragma once

#include <cmath>

#include "trueskill.hpp"

namespace gecbench {

inline const double kRootOfHalf = std::sqrt(0.5);
inline const double kDensityAtZero = 1 / std::sqrt(2 * 3.14159265358979323846);

inline double density(double x) {
  return kDensityAtZero * std::exp(-0.5 * x * x);
}

inline double probability(double x) {
  return 0.5 * std::erfc(-x * kRootOfHalf);
}

// Herbrich et al. 2006, §4, in steps: those of several games are made by turns, so that none waits for its own.
class Game {
 public:
  Game() = default;
  Game(const Rating& first, const Rating& second, int outcome, double beta, double margin)
      : first_(first), second_(second), tied_(outcome == 0), sign_(tied_ ? 1.0 : static_cast<double>(outcome)) {
    unit_ = 1 / std::sqrt(first.variance + second.variance + 2 * beta * beta);
    lead_ = sign_ * (first.mean - second.mean) * unit_;
    const double least = margin * unit_;
    high_ = tied_ ? least - std::fabs(lead_) : lead_ - least;
    low_ = -least - std::fabs(lead_);
  }

  void find_chance() { chance_ = tied_ ? probability(high_) - probability(low_) : probability(high_); }

  void find_densities() {
    at_high_ = density(high_);
    if (tied_) at_low_ = density(low_);
  }

  void rate(Rating& first, Rating& second) const {
    const Update update = tied_ ? tie() : win();
    const double step = sign_ * update.v * unit_;
    const double shrink = update.w * unit_ * unit_;
    first.mean = first_.mean + first_.variance * step;
    second.mean = second_.mean - second_.variance * step;
    first.variance = first_.variance * (1 - first_.variance * shrink);
    second.variance = second_.variance * (1 - second_.variance * shrink);
  }

 private:
  struct Update {
    double v;
    double w;
  };

  Update win() const {
    if (chance_ <= 0) return {-high_, 1.0};
    const double v = at_high_ / chance_;
    return {v, v * (v + high_)};
  }

  Update tie() const {
    if (chance_ <= 0) return {lead_ >= 0 ? high_ : -high_, 1.0};
    const double scale = 1 / chance_;
    const double v = (at_low_ - at_high_) * scale;
    const double w = v * v + (high_ * at_high_ - low_ * at_low_) * scale;
    return {lead_ >= 0 ? v : -v, w};
  }

  Rating first_, second_;
  bool tied_;
  double sign_, unit_, lead_;  // of the first player, in units of the total deviation
  double low_, high_;          // between which the game's outcome is; of a win, high_ alone matters
  double chance_, at_low_, at_high_;
};

}  // namespace gecbench
