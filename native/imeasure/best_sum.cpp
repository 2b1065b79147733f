// Comparison of counts, and the best sum over segments (see best_sum.hpp). Floats are computed in the order of the
// official scorer. Compile without contraction (-ffp-contract=off), which would round differently.
#include "imeasure/best_sum.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

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

using Graph = std::vector<Path>;  // the edges of each layer that are still in question
using Weights = std::array<std::int64_t, 15>;

struct CountsHash {
  std::size_t operator()(const Counts& counts) const {
    std::uint64_t hash = 1469598103934665603u;
    for (std::int64_t count : counts) hash = (hash ^ static_cast<std::uint64_t>(count)) * 1099511628211u;
    return static_cast<std::size_t>(hash ^ (hash >> 29));
  }
};

// A metric as a ratio of two weighted sums of counts; `constant` is added to the lower sum. If the count `fault` is 0,
// the metric is 1 by definition: P without false positives, R without false negatives.
struct Ratio {
  Weights upper{}, lower{};
  std::int64_t constant = 0;
  int fault = -1;
};

// The weight of WAcc as a fraction.
struct Weight {
  std::int64_t above = 1, below = 1;
};

// The weight as a fraction of integers, if it has so few bits that the program rounds WAcc only once: then comparing
// fractions gives the same result as comparing floats. Nothing for other weights, and for weights of 0 or less, since
// denominators may then be 0 or negative.
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

// A sum for each node of a boundary, if a path reaches it.
using NodeSums = std::vector<std::optional<Wide>>;

std::optional<Wide>& at(NodeSums& sums, int node) {
  if (sums.size() <= static_cast<std::size_t>(node)) sums.resize(node + 1);
  return sums[node];
}

// Keeps the edges on the paths with the largest sum of gains, and returns that sum. `gains` has one gain for each edge
// of each layer. An edge is dropped if no path reaches its start, or none continues from its end.
Wide keep_best(Graph& graph, const std::vector<std::vector<Wide>>& gains) {
  std::vector<NodeSums> ahead(graph.size() + 1);  // the largest sum on a path to each node
  ahead[0] = {Wide{}};
  for (std::size_t g = 0; g < graph.size(); ++g) {
    for (std::size_t n = 0; n < graph[g].size(); ++n) {
      const std::optional<Wide> before = at(ahead[g], graph[g][n]->start);
      if (!before) continue;
      const Wide sum = *before + gains[g][n];
      std::optional<Wide>& most = at(ahead[g + 1], graph[g][n]->end);
      if (!most || sum > *most) most = sum;
    }
  }
  const Wide total = *ahead.back()[0];
  NodeSums wanted{total};  // nodes of best paths, with the largest sum on a path to them
  for (std::size_t g = graph.size(); g-- > 0;) {
    Path kept;
    NodeSums starts;
    for (std::size_t n = 0; n < graph[g].size(); ++n) {
      const Edge* edge = graph[g][n];
      const std::optional<Wide> before = at(ahead[g], edge->start), after = at(wanted, edge->end);
      if (!before || !after || !(*before + gains[g][n] == *after)) continue;
      kept.push_back(edge);
      at(starts, edge->start) = before;
    }
    graph[g] = std::move(kept);
    wanted = std::move(starts);
  }
  return total;
}

// The first path in the order of options. Every edge of the graph must be on a path.
Path first_path(const Graph& graph) {
  std::vector<Path> chosen;
  std::vector<int> nodes{0};
  const auto has = [](const std::vector<int>& set, int node) {
    return std::find(set.begin(), set.end(), node) != set.end();
  };
  for (const Path& layer : graph) {
    std::size_t first = SIZE_MAX;
    for (const Edge* edge : layer) {
      if (edge->option < first && has(nodes, edge->start)) first = edge->option;
    }
    chosen.emplace_back();
    std::vector<int> ends;
    for (const Edge* edge : layer) {
      if (edge->option != first || !has(nodes, edge->start)) continue;
      chosen.back().push_back(edge);
      if (!has(ends, edge->end)) ends.push_back(edge->end);
    }
    nodes = std::move(ends);
  }
  Path path(graph.size());
  int node = 0;
  for (std::size_t g = graph.size(); g-- > 0;) {
    path[g] = *std::find_if(chosen[g].begin(), chosen[g].end(), [node](const Edge* edge) { return edge->end == node; });
    node = path[g]->start;
  }
  return path;
}

// Keeps the paths without a fault, if there are any.
bool keep_faultless(Graph& graph, int fault) {
  std::vector<std::vector<Wide>> gains;
  for (const Path& layer : graph) {
    gains.emplace_back();
    for (const Edge* edge : layer) gains.back().push_back(product(edge->counts[fault] == 0 ? 0 : -1, 1));
  }
  Graph kept = graph;
  if (!(keep_best(kept, gains) == Wide{})) return false;
  graph = std::move(kept);
  return true;
}

struct Fraction {
  std::int64_t value, whole;
};

// Narrows the graph to the paths with the largest ratio, and returns this ratio (Dinkelbach 1967):
// 1. Take the ratio of the current path.
// 2. Find the paths with the largest sum of gains, upper * whole - lower * value.
// 3. If that sum is 0, the ratio is the largest, and exactly these paths have it.
// 4. Otherwise take the first of them and repeat.
Fraction maximize(Graph& graph, const Counts& offset, const Ratio& ratio) {
  if (ratio.fault >= 0 && offset[ratio.fault] == 0 && keep_faultless(graph, ratio.fault)) return {1, 1};
  const std::int64_t first_upper = weigh(ratio.upper, offset);
  const std::int64_t first_lower = weigh(ratio.lower, offset) + ratio.constant;
  std::vector<std::vector<Wide>> gains(graph.size());
  Path path = first_path(graph);
  while (true) {
    Fraction best{first_upper, first_lower};  // step 1
    for (const Edge* edge : path) {
      best.value += weigh(ratio.upper, edge->counts);
      best.whole += weigh(ratio.lower, edge->counts);
    }
    for (std::size_t g = 0; g < graph.size(); ++g) {  // step 2
      gains[g].clear();
      for (const Edge* edge : graph[g]) {
        gains[g].push_back(product(weigh(ratio.upper, edge->counts), best.whole) -
                           product(weigh(ratio.lower, edge->counts), best.value));
      }
    }
    Graph kept = graph;
    const Wide most = keep_best(kept, gains);
    if (product(first_upper, best.whole) - product(first_lower, best.value) + most == Wide{}) {  // step 3
      graph = std::move(kept);
      return best;
    }
    path = first_path(kept);  // step 4
  }
}

// The keys for the metric WAcc, one after another: WAcc, I and Acc of both aspects. At equal WAcc between 0 and 1 a
// larger I means a lower baseline, which is a ratio, too.
void narrow_by_keys(Graph& graph, const Counts& offset, int chosen, Weight weight) {
  Ratio baseline;
  baseline.upper[kBaseline + kFN] = baseline.lower[kBaseline + kFN] = baseline.lower[kBaseline + kTN] = 1;
  for (int aspect : {chosen, 1 - chosen}) {
    const Fraction best = maximize(graph, offset, metric_ratio(kMetricWAcc, 5 * aspect, weight));
    if (0 < best.value && best.value < best.whole) maximize(graph, offset, baseline);
    maximize(graph, offset, metric_ratio(kMetricAcc, 5 * aspect));
  }
}

// The beginning of a path: its sum, its last edge, the index of the beginning before this edge, and its rank in the
// order of options. Beginnings that differ only in their nodes have the same rank.
struct Partial {
  Counts sum;
  const Edge* edge;
  std::size_t before, order;
};

// Collects every distinct sum with the first path that gives it, and compares them all.
std::optional<Path> best_sum(const Graph& graph, const Counts& offset, const Objective& goal, std::size_t limit) {
  std::vector<std::vector<Partial>> layers{{Partial{{}, nullptr, 0, 0}}};
  for (const Path& layer : graph) {
    const std::vector<Partial>& sums = layers.back();
    std::vector<std::unordered_map<Counts, std::size_t, CountsHash>> known;  // by node
    std::vector<Partial> longer;
    Path by_option = layer;
    std::stable_sort(by_option.begin(), by_option.end(),
                     [](const Edge* left, const Edge* right) { return left->option < right->option; });
    std::size_t order = 0;
    for (std::size_t first = 0, last; first < sums.size(); first = last) {
      for (last = first; last < sums.size() && sums[last].order == sums[first].order;) ++last;
      for (std::size_t n = 0; n < by_option.size(); ++n) {
        const Edge* edge = by_option[n];
        if (n > 0 && edge->option != by_option[n - 1]->option) ++order;
        for (std::size_t before = first; before < last; ++before) {
          const Edge* previous = sums[before].edge;
          if ((previous == nullptr ? 0 : previous->end) != edge->start) continue;
          Counts sum = sums[before].sum;
          add(sum, edge->counts);
          if (known.size() <= static_cast<std::size_t>(edge->end)) known.resize(edge->end + 1);
          if (known[edge->end].emplace(sum, longer.size()).second) longer.push_back({sum, edge, before, order});
        }
      }
      ++order;
      if (longer.size() > limit) return std::nullopt;
    }
    layers.push_back(std::move(longer));
  }
  std::vector<Counts> sums;
  for (const Partial& partial : layers.back()) sums.push_back(partial.sum);
  std::size_t place = best_of(sums, offset, goal);
  Path path(graph.size());
  for (std::size_t g = graph.size(); g-- > 0;) {
    path[g] = layers[g + 1][place].edge;
    place = layers[g + 1][place].before;
  }
  return path;
}

// All edges. Of edges that differ only in their option, the first is kept.
Graph distinct_edges(const Layers& layers) {
  Graph graph;
  for (const auto& layer : layers) {
    std::map<std::pair<int, int>, std::unordered_set<Counts, CountsHash>> known;
    graph.emplace_back();
    for (const Edge& edge : layer) {
      if (known[{edge.start, edge.end}].insert(edge.counts).second) graph.back().push_back(&edge);
    }
  }
  return graph;
}

}  // namespace

std::optional<Path> pick_best(const Layers& layers, const Counts& offset, const Objective& goal,
                              std::size_t sum_limit) {
  if (layers.size() == 1) {
    std::vector<Counts> rows;
    for (const Edge& edge : layers[0]) rows.push_back(edge.counts);
    return Path{&layers[0][best_of(rows, offset, goal)]};
  }
  Graph graph = distinct_edges(layers);
  std::vector<std::vector<Wide>> gains;
  for (const Path& layer : graph) gains.emplace_back(layer.size());
  keep_best(graph, gains);
  const auto weight = short_fraction(goal.weight);
  if (goal.metric == kMetricWAcc && weight) {
    narrow_by_keys(graph, offset, goal.aspect, *weight);
    return first_path(graph);
  }
  if (goal.metric != kMetricF && goal.metric != kMetricWAcc && goal.metric != kMetricI) {
    maximize(graph, offset, metric_ratio(goal.metric, 5 * goal.aspect));
  }
  return best_sum(graph, offset, goal, sum_limit);
}

}  // namespace gecbench::imeasure
