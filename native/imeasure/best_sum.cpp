// Comparison of counts, and the best sum over segments (see best_sum.hpp). Floats are computed in the order of the
// official scorer; compile without contraction (-ffp-contract=off).
#include "imeasure/best_sum.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace gecbench::imeasure {

// Comparison of counts

namespace {

double precision(const std::int64_t* c) {
  const double proposed = static_cast<double>(c[kTP] + c[kFP]);
  return proposed != 0 ? static_cast<double>(c[kTP]) / proposed : 1.0;
}

double recall(const std::int64_t* c) {
  const double wanted = static_cast<double>(c[kTP] + c[kFN]);
  return wanted != 0 ? static_cast<double>(c[kTP]) / wanted : 1.0;
}

double f_score(const std::int64_t* c, double beta) {
  const double p = precision(c), r = recall(c);
  const double square = beta * beta;
  const double whole = square * p + r;
  return whole != 0 ? (1 + square) * (p * r / whole) : 0.0;
}

double accuracy(const std::int64_t* c) {
  const std::int64_t right = c[kTP] + c[kTN];
  const std::int64_t whole = right + c[kFP] + c[kFN] - c[kFPN];
  return whole != 0 ? static_cast<double>(right) / static_cast<double>(whole) : 1.0;
}

double weighted_accuracy(const std::int64_t* c, double weight) {
  const double right = weight * static_cast<double>(c[kTP]) + static_cast<double>(c[kTN]);
  const double whole = weight * static_cast<double>(c[kTP] + c[kFP]) + static_cast<double>(c[kTN]) +
                       static_cast<double>(c[kFN]) - (weight + 1) * static_cast<double>(c[kFPN]) / 2;
  return whole != 0 ? right / whole : 1.0;
}

double improvement(double system, double baseline) {
  if (system == baseline) return std::floor(system);
  return system > baseline ? (system - baseline) / (1 - baseline) : system / baseline - 1;
}

void aspect_key(const std::int64_t* c, const std::int64_t* baseline, const Objective& objective, double* key) {
  const double wacc = weighted_accuracy(c, objective.weight);
  key[1] = improvement(wacc, weighted_accuracy(baseline, objective.weight));
  key[2] = wacc;
  key[3] = accuracy(c);
  switch (objective.metric) {
    case kMetricP:
      key[0] = precision(c);
      break;
    case kMetricR:
      key[0] = recall(c);
      break;
    case kMetricF:
      key[0] = f_score(c, objective.beta);
      break;
    case kMetricAcc:
      key[0] = key[3];
      break;
    case kMetricWAcc:
      key[0] = wacc;
      break;
    case kMetricI:
      key[0] = key[1];
      break;
    default:
      key[0] = static_cast<double>(c[objective.metric]);
  }
}

}  // namespace

void add(Counts& total, const Counts& counts) {
  for (std::size_t n = 0; n < counts.size(); ++n) total[n] += counts[n];
}

Key key_of(const Counts& counts, const Counts& offset, const Objective& objective) {
  Counts sum = counts;
  add(sum, offset);
  Key key;
  aspect_key(&sum[kDetection], &sum[kBaseline], objective, key.data() + (objective.aspect == 0 ? 0 : 4));
  aspect_key(&sum[kCorrection], &sum[kBaseline], objective, key.data() + (objective.aspect == 0 ? 4 : 0));
  return key;
}

std::size_t best_of(const Counts* candidates, std::size_t size, const Counts& offset, const Objective& objective) {
  std::size_t best = 0;
  Key best_key{};
  for (std::size_t index = 0; index < size; ++index) {
    const Key key = key_of(candidates[index], offset, objective);
    if (index == 0 || key > best_key) {
      best = index;
      best_key = key;
    }
  }
  return best;
}

std::size_t best_of(const std::vector<Counts>& candidates, const Counts& offset, const Objective& objective) {
  return best_of(candidates.data(), candidates.size(), offset, objective);
}

// Best sum

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

// A ratio of two weighted sums of counts, the lower one with a constant. `fault` is the count that P and R need:
// without false positives (negatives) they are 1 by definition.
struct Ratio {
  Weights upper{}, lower{};
  std::int64_t constant = 0;
  int fault = -1;
};

// The weight of WAcc as a fraction.
struct Weight {
  std::int64_t above = 1, below = 1;
};

// The weight as a fraction of integers, if it has so few bits that the program's floats are exact but for one rounding:
// then comparing fractions and comparing floats agree. Nothing at 0 and below, where denominators may be 0 or negative.
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

// A metric as a ratio of the counts from `start` on; single counts are ratios with the denominator 1.
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

// Indices of the first of each set of equal rows.
std::vector<std::size_t> distinct(const std::vector<Counts>& rows) {
  std::unordered_map<Counts, std::size_t, CountsHash> first;
  std::vector<std::size_t> indices;
  for (std::size_t index = 0; index < rows.size(); ++index) {
    if (first.emplace(rows[index], index).second) indices.push_back(index);
  }
  return indices;
}

// Keeps the rows without a fault, if every segment has some.
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

// Narrows every segment to the rows that attain the largest ratio, and returns it (Dinkelbach 1967):
// 1. Take the ratio of the current picks.
// 2. In each segment, find the rows with the largest gain upper * whole - lower * value.
// 3. If all gains sum to 0, the ratio is the largest there is, and exactly these rows attain it.
// 4. Otherwise pick the first of them and repeat.
Fraction maximize(const Segments& segments, Remaining& remaining, const Counts& offset, const Ratio& ratio) {
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

// The keys for the metric WAcc, one after another: WAcc, I and Acc of both aspects. At equal WAcc between 0 and 1 a
// larger I means a lower baseline, which is a ratio, too.
void narrow_by_keys(const Segments& segments, Remaining& remaining, const Counts& offset, int chosen, Weight weight) {
  Ratio baseline;
  baseline.upper[kBaseline + kFN] = baseline.lower[kBaseline + kFN] = baseline.lower[kBaseline + kTN] = 1;
  for (int aspect : {chosen, 1 - chosen}) {
    const Fraction best = maximize(segments, remaining, offset, metric_ratio(kMetricWAcc, 5 * aspect, weight));
    if (0 < best.value && best.value < best.whole) maximize(segments, remaining, offset, baseline);
    maximize(segments, remaining, offset, metric_ratio(kMetricAcc, 5 * aspect));
  }
}

struct Partial {
  std::size_t before, pick;
};

// Collects every distinct sum with the first picks that give it, and compares them all.
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
    maximize(segments, remaining, offset, metric_ratio(goal.metric, 5 * goal.aspect));
  }
  return best_sum(segments, remaining, offset, goal, sum_limit);
}

}  // namespace gecbench::imeasure
