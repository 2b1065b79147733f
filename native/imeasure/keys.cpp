// Floats are computed in the order of the official scorer; compile without contraction (-ffp-contract=off).
#include "imeasure/keys.hpp"

#include <cmath>

namespace gecbench::imeasure {

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

}  // namespace gecbench::imeasure
