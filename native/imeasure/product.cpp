#include "imeasure/product.hpp"

#include <algorithm>
#include <unordered_map>

#include "imeasure/wide.hpp"

namespace gecbench::imeasure {

namespace {

using Segments = std::vector<std::vector<Counts>>;
using Remaining = std::vector<std::vector<std::size_t>>;
using Weights = std::array<std::int64_t, 15>;

struct CountsHash {
  std::size_t operator()(const Counts& counts) const {
    std::uint64_t hash = 1469598103934665603u;
    for (std::int64_t count : counts) hash = (hash ^ static_cast<std::uint64_t>(count)) * 1099511628211u;
    return static_cast<std::size_t>(hash ^ (hash >> 29));
  }
};

// Two weighted sums of counts, the lower one with a constant; P and R are 1 by definition where no fault is counted.
struct Ratio {
  Weights upper{}, lower{};
  std::int64_t constant = 0;
  int fault = -1;
};

struct Weight {
  std::int64_t above = 1, below = 1;
};

// The weight as a fraction of integers, if it has few enough bits for WAcc to be rounded only once.
// Nothing at 0 and below, where denominators may be 0 or negative.
std::optional<Weight> short_fraction(double weight) {
  if (weight <= 0) return std::nullopt;
  for (std::int64_t below = 1; below <= 1 << 10; below *= 2) {
    const double above = weight * static_cast<double>(below);
    if (above >= 1 << 20) return std::nullopt;
    if (above == static_cast<double>(static_cast<std::int64_t>(above)))
      return Weight{static_cast<std::int64_t>(above), below};
  }
  return std::nullopt;
}

Ratio metric_ratio(int metric, int start, Weight weight = {}) {
  Ratio ratio;
  std::int64_t* upper = &ratio.upper[start];
  std::int64_t* lower = &ratio.lower[start];
  auto set = [](std::int64_t* row, std::array<std::int64_t, 5> values) {
    std::copy(values.begin(), values.end(), row);
  };
  const std::int64_t w = weight.above, one = weight.below;
  if (metric == kMetricP) {
    set(upper, {1, 0, 0, 0, 0}), set(lower, {1, 0, 1, 0, 0});
    ratio.fault = start + kFP;
  } else if (metric == kMetricR) {
    set(upper, {1, 0, 0, 0, 0}), set(lower, {1, 0, 0, 1, 0});
    ratio.fault = start + kFN;
  } else if (metric == kMetricAcc) {
    set(upper, {1, 1, 0, 0, 0}), set(lower, {1, 1, 1, 1, -1});
  } else if (metric == kMetricWAcc) {
    set(upper, {2 * w, 2 * one, 0, 0, 0}), set(lower, {2 * w, 2 * one, 2 * w, 2 * one, -w - one});
  } else {
    upper[metric] = 1;
    ratio.constant = 1;
  }
  return ratio;
}

std::int64_t weigh(const Weights& weights, const Counts& counts) {
  std::int64_t sum = 0;
  for (std::size_t n = 0; n < counts.size(); ++n) sum += weights[n] * counts[n];
  return sum;
}

std::vector<std::size_t> distinct(const std::vector<Counts>& rows) {
  std::unordered_map<Counts, std::size_t, CountsHash> first;
  std::vector<std::size_t> indices;
  for (std::size_t index = 0; index < rows.size(); ++index) {
    if (first.emplace(rows[index], index).second) indices.push_back(index);
  }
  return indices;
}

bool keep_faultless(const Segments& segments, Remaining& remaining, int fault) {
  Remaining faultless(segments.size());
  for (std::size_t g = 0; g < segments.size(); ++g) {
    for (std::size_t n : remaining[g]) {
      if (segments[g][n][fault] == 0) faultless[g].push_back(n);
    }
    if (faultless[g].empty()) return false;
  }
  remaining = std::move(faultless);
  return true;
}

struct Fraction {
  std::int64_t value, whole;
};

// Narrow every segment to the rows from which the largest ratio is reached, and that ratio (Dinkelbach 1967):
// 1 take the ratio of the current picks; 2 in each segment, find the rows of the largest gain
// upper * whole - lower * value; 3 if all gains together are 0, the ratio is the largest there is and these rows attain
// it; 4 otherwise pick the first of them and go on.
Fraction maximise(const Segments& segments, Remaining& remaining, const Counts& offset, const Ratio& ratio) {
  if (ratio.fault >= 0 && offset[ratio.fault] == 0 && keep_faultless(segments, remaining, ratio.fault)) return {1, 1};
  std::vector<std::size_t> picks;
  for (const auto& rows : remaining) picks.push_back(rows[0]);
  const std::int64_t first_upper = weigh(ratio.upper, offset);
  const std::int64_t first_lower = weigh(ratio.lower, offset) + ratio.constant;
  while (true) {
    Fraction best{first_upper, first_lower};  // step 1
    for (std::size_t g = 0; g < segments.size(); ++g) {
      best.value += weigh(ratio.upper, segments[g][picks[g]]);
      best.whole += weigh(ratio.lower, segments[g][picks[g]]);
    }
    Wide total = product(first_upper, best.whole) - product(first_lower, best.value);
    Remaining kept(segments.size());  // step 2
    for (std::size_t g = 0; g < segments.size(); ++g) {
      Wide largest;
      for (std::size_t n : remaining[g]) {
        const Wide gain = product(weigh(ratio.upper, segments[g][n]), best.whole) -
                          product(weigh(ratio.lower, segments[g][n]), best.value);
        if (kept[g].empty() || gain > largest) {
          kept[g].assign(1, n);
          largest = gain;
        } else if (gain == largest) {
          kept[g].push_back(n);
        }
      }
      total = total + largest;
      picks[g] = kept[g][0];  // step 4
    }
    if (total == Wide{}) {  // step 3
      remaining = std::move(kept);
      return best;
    }
  }
}

// The keys WAcc, I, Acc of both aspects; at equal WAcc between 0 and 1, I means the lowest baseline.
void narrow_by_keys(const Segments& segments, Remaining& remaining, const Counts& offset, int chosen, Weight weight) {
  Ratio baseline;
  baseline.upper[kBaseline + kFN] = baseline.lower[kBaseline + kFN] = baseline.lower[kBaseline + kTN] = 1;
  for (int aspect : {chosen, 1 - chosen}) {
    const Fraction best = maximise(segments, remaining, offset, metric_ratio(kMetricWAcc, 5 * aspect, weight));
    if (0 < best.value && best.value < best.whole) maximise(segments, remaining, offset, baseline);
    maximise(segments, remaining, offset, metric_ratio(kMetricAcc, 5 * aspect));
  }
}

struct Partial {
  std::size_t before, pick;
};

// Collect every distinct sum with its first picks, and compare them all.
std::optional<std::vector<std::size_t>> best_sum(const Segments& segments, const Remaining& remaining,
                                                 const Counts& offset, const Objective& goal, std::size_t limit) {
  std::vector<Counts> sums(1, Counts{});
  std::vector<std::vector<Partial>> layers;
  for (std::size_t g = 0; g < segments.size(); ++g) {
    std::unordered_map<Counts, std::size_t, CountsHash> known;
    std::vector<Counts> longer;
    layers.emplace_back();
    for (std::size_t before = 0; before < sums.size(); ++before) {
      for (std::size_t n : remaining[g]) {
        Counts sum = sums[before];
        add(sum, segments[g][n]);
        if (!known.emplace(sum, longer.size()).second) continue;
        longer.push_back(sum);
        layers.back().push_back({before, n});
      }
      if (longer.size() > limit) return std::nullopt;
    }
    sums = std::move(longer);
  }
  std::size_t place = best_of(sums, offset, goal);
  std::vector<std::size_t> picks(segments.size());
  for (std::size_t g = segments.size(); g-- > 0;) {
    picks[g] = layers[g][place].pick;
    place = layers[g][place].before;
  }
  return picks;
}

}  // namespace

std::optional<std::vector<std::size_t>> pick_best(const Segments& segments, const Counts& offset, const Objective& goal,
                                                  std::size_t sum_limit) {
  if (segments.size() == 1) return std::vector<std::size_t>{best_of(segments[0], offset, goal)};
  Remaining remaining;
  for (const auto& rows : segments) remaining.push_back(distinct(rows));
  const auto weight = short_fraction(goal.weight);
  if (goal.metric == kMetricWAcc && weight) {
    narrow_by_keys(segments, remaining, offset, goal.aspect, *weight);
    std::vector<std::size_t> picks;
    for (const auto& rows : remaining) picks.push_back(rows[0]);
    return picks;
  }
  if (goal.metric != kMetricF && goal.metric != kMetricWAcc && goal.metric != kMetricI) {
    maximise(segments, remaining, offset, metric_ratio(goal.metric, 5 * goal.aspect));
  }
  return best_sum(segments, remaining, offset, goal, sum_limit);
}

}  // namespace gecbench::imeasure
