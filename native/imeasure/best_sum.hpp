// The choice of a reference: the official comparison of counts (Felice & Briscoe 2015, section 2.3;
// docs/metrics/imeasure.md §6), and the best sum of counts over the references of all segments (§8, step 3). Python
// reference: gecbench/kernels/best_sum.py.
//
// The official program compares the counts of all mixed references. Here the references of each segment are given. One
// reference per segment is picked such that the sum of counts is best, without trying all combinations. Most keys of
// the comparison are ratios of sums. The largest ratio over all paths is found by Dinkelbach's iteration (1967) in
// whole numbers. The paths with this ratio form a smaller graph, in which the next key is maximized. Other keys (F, I)
// are compared as floats for all distinct sums, in the official program's order of operations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "imeasure/alignment.hpp"

namespace gecbench::imeasure {

// Comparison of counts

enum Metric { kMetricP = 4, kMetricR, kMetricF, kMetricAcc, kMetricWAcc, kMetricI };

// What references are compared by. With `corpus`, counts are added to the totals of the sentences before.
struct Objective {
  int aspect = 1;  // 0 detection, 1 correction
  int metric = kMetricWAcc;
  bool corpus = false;
  double weight = 2.0;
  double beta = 1.0;
};

// The chosen metric, I, WAcc and Acc of the chosen aspect, then the same of the other. Larger is better.
using Key = std::array<double, 8>;

Key key_of(const Counts& counts, const Counts& offset, const Objective& objective);

// Index of the best counts, each added to the offset; the first of equals.
std::size_t best_of(const std::vector<Counts>& candidates, const Counts& offset, const Objective& objective);
std::size_t best_of(const Counts* candidates, std::size_t size, const Counts& offset, const Objective& objective);

void add(Counts& total, const Counts& counts);

// Best sum

// A reference of a segment, by its number, with its counts. The references of a sentence are the paths of a graph whose
// layers are the segments. In a sentence with cuts, all edges lead from node 0 to node 0. In a sentence without cuts, a
// node is a state between two segments (lattice.hpp). A path starts and ends at node 0.
struct Edge {
  std::size_t option = 0;
  Counts counts{};
  int start = 0, end = 0;
};

using Layers = std::vector<std::vector<Edge>>;
using Path = std::vector<const Edge*>;  // one edge of each layer

// The path whose sum plus the offset has the best key. On ties, the first path in the order of options, in which the
// options of later segments vary fastest. Nothing if there are more than `sum_limit` distinct sums to compare.
std::optional<Path> pick_best(const Layers& layers, const Counts& offset, const Objective& goal, std::size_t sum_limit);

// A 128-bit integer in two's complement, for exact products of sums: Microsoft's compiler has no such type. It is in
// this header so that a test can use it.
struct Wide {
  std::int64_t high = 0;
  std::uint64_t low = 0;

  Wide operator+(Wide other) const {
    const std::uint64_t sum = low + other.low;
    return {wrapped(unsigned_high() + other.unsigned_high() + (sum < low)), sum};
  }
  Wide operator-(Wide other) const {
    return {wrapped(unsigned_high() - other.unsigned_high() - (low < other.low)), low - other.low};
  }
  bool operator==(Wide other) const { return high == other.high && low == other.low; }
  bool operator>(Wide other) const { return high != other.high ? high > other.high : low > other.low; }

 private:
  std::uint64_t unsigned_high() const { return static_cast<std::uint64_t>(high); }
  static std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

  friend Wide product(std::int64_t, std::int64_t);
};

// Multiplies halves of 32 bits as if they were unsigned. Read as unsigned, a negative factor is 2^64 too large, so the
// other factor is subtracted from the upper half.
inline Wide product(std::int64_t left, std::int64_t right) {
  const auto a = static_cast<std::uint64_t>(left), b = static_cast<std::uint64_t>(right);
  const std::uint64_t half = 0xffffffffu;
  const std::uint64_t lowest = (a & half) * (b & half);
  const std::uint64_t middle = (a >> 32) * (b & half) + (lowest >> 32);
  const std::uint64_t other = (a & half) * (b >> 32) + (middle & half);
  const std::uint64_t excess = (left < 0 ? b : 0) + (right < 0 ? a : 0);
  const std::uint64_t high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32) - excess;
  return {Wide::wrapped(high), (other << 32) | (lowest & half)};
}

}  // namespace gecbench::imeasure
