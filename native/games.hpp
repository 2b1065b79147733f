// Games of TrueSkill, some side by side.
#pragma once

#include <algorithm>
#include <cmath>

#include "normal.hpp"
#include "side.hpp"

namespace gecbench {

// Herbrich et al. 2006, §4, in steps, each for all games: those of one game wait for each other.
template <std::size_t count>
struct Games {
  using Numbers = Side<double, count>;

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
  Numbers lows, highs;          // between which the outcome is; of a win, only highs matters
  Numbers chances, at_lows, at_highs;

  GECBENCH_SIDE_BY_SIDE void find_bounds(double beta, double margin) {
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

  GECBENCH_SIDE_BY_SIDE static void find_normal(const Numbers& x, Numbers& densities, Numbers& probabilities) {
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

  GECBENCH_SIDE_BY_SIDE void rate() {
    for (std::size_t game = 0; game < count; ++game) {
      const bool tie = outcomes[game] == 0, hopeless = chances[game] <= 0;
      const double scale = 1 / chances[game], won = at_highs[game] / chances[game];
      const double tied = (at_lows[game] - at_highs[game]) * scale;
      const double spread = (highs[game] * at_highs[game] - lows[game] * at_lows[game]) * scale;
      double v = tie ? tied : won, w = tie ? tied * tied + spread : won * (won + highs[game]);
      const double surely = tie ? highs[game] : -highs[game];
      v = hopeless ? surely : v;
      w = hopeless ? 1.0 : w;
      v = tie && leads[game] < 0 ? -v : v;
      const double step = signs[game] * v * units[game], shrink = w * units[game] * units[game];
      mean1[game] = mean1[game] + variance1[game] * step;
      mean2[game] = mean2[game] - variance2[game] * step;
      variance1[game] = variance1[game] * (1 - variance1[game] * shrink);
      variance2[game] = variance2[game] * (1 - variance2[game] * shrink);
    }
  }
};

}  // namespace gecbench
