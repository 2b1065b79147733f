// What the references of a sentence are compared by (Felice & Briscoe 2015, section 2.3).
#pragma once

#include <array>
#include <vector>

#include "imeasure/alignment.hpp"

namespace gecbench::imeasure {

enum Metric { kMetricP = 4, kMetricR, kMetricF, kMetricAcc, kMetricWAcc, kMetricI };

struct Objective {
  int aspect = 1;  // 0 detection, 1 correction
  int metric = kMetricWAcc;
  bool corpus = false;
  double weight = 2.0;
  double beta = 1.0;
};

using Key = std::array<double, 8>;

Key key_of(const Counts& counts, const Counts& offset, const Objective& objective);

// Index of the best counts (added to the offset); the first of equals stays.
std::size_t best_of(const std::vector<Counts>& candidates, const Counts& offset, const Objective& objective);
std::size_t best_of(const Counts* candidates, std::size_t size, const Counts& offset, const Objective& objective);

void add(Counts& total, const Counts& counts);

}  // namespace gecbench::imeasure
