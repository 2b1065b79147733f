#include "imeasure/certificate.hpp"

#include <algorithm>

namespace gecbench::imeasure {

int Certificate::failing_cut(TokenSpan text, const std::vector<int>& cuts,
                             const std::vector<std::vector<Branch>>& segments, const std::vector<int>& charges) {
  const int size = text.size + 1;
  passed_.resize(size);
  for (int i = 0; i < size; ++i) passed_[i] = kGap * i;
  missed_.assign(size, kFar);
  after_missing_.assign(size, kFar);
  for (std::size_t number = 0; number < segments.size(); ++number) {
    const bool last = number == cuts.size();
    const int cut = last ? text.size : cuts[number];
    if (!last) through_branches(text, passed_, segments[number], after_passing_);
    if (number > 0) {
      through_branches(text, missed_, segments[number], after_missing_);
      for (int i = 0; i <= cut; ++i) {
        if (after_missing_[i] + kGap * (cut - i) <= 0) return static_cast<int>(number) - 1;
      }
    }
    if (last) break;
    miss(cut, charges[number]);
    for (int i = 0; i < size; ++i) passed_[i] = i < cut ? kFar : kGap * (i - cut);
  }
  return -1;
}

// Least cost of standing at each position of the text on arrival at the end of the segment.
void Certificate::through_branches(TokenSpan text, const std::vector<std::int32_t>& costs,
                                   const std::vector<Branch>& branches, std::vector<std::int32_t>& arrived) {
  const int size = text.size + 1;
  arrived.assign(size, kFar);
  row_.resize(size);
  next_.resize(size);
  for (const Branch& branch : branches) {
    std::copy(costs.begin(), costs.end(), row_.begin());
    for (int n = 0; n < branch.tokens.size; ++n) {
      const std::int32_t token = branch.tokens[n];
      const std::int32_t step = n + 1 == branch.tokens.size ? kFar : kGap;
      std::int32_t left = next_[0] = row_[0] + kGap;
      for (int i = 1; i < size; ++i) {
        const std::int32_t diagonal = row_[i - 1] + (token == text[i - 1] ? kMatch : kMismatch);
        left = next_[i] = std::min(std::min(diagonal, row_[i] + kGap), left + step);
      }
      std::swap(row_, next_);
    }
    for (int i = 0; i < size; ++i) arrived[i] = std::min(arrived[i], row_[i] - branch.distance);
  }
}

// Least cost of leaving the node between two segments without having stood at the cut, less its charge.
void Certificate::miss(int cut, int charge) {
  std::int32_t left = kFar;
  for (std::size_t i = 0; i < missed_.size(); ++i) {
    left = static_cast<int>(i) == cut ? kFar : std::min(std::min(after_passing_[i], after_missing_[i]), left + kGap);
    missed_[i] = left < kFar / 2 ? left - charge : kFar;
  }
}

}  // namespace gecbench::imeasure
