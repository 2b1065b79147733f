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

// Least cost of standing at each position of the text on arrival at the end of the segment. Rows after the tokens that
// a branch shares with the one before it are known.
void Certificate::through_branches(TokenSpan text, const std::vector<std::int32_t>& costs,
                                   const std::vector<Branch>& branches, std::vector<std::int32_t>& arrived) {
  const std::int64_t size = text.size + 1;
  arrived.assign(size, kFar);
  rows_.assign(costs.begin(), costs.end());
  TokenSpan known;
  for (const Branch& branch : branches) {
    const TokenSpan tokens = branch.tokens, inner = tokens.part(0, std::max(0, tokens.size - 1));
    const auto shared = std::mismatch(known.begin(), known.end(), inner.begin(), inner.end()).first - known.begin();
    rows_.resize((tokens.size + 1) * size);
    std::int32_t* row = rows_.data() + shared * size;
    for (auto n = shared; n < tokens.size; ++n, row += size) {
      advance(text, tokens[n], n + 1 == tokens.size, row, row + size);
    }
    for (std::int64_t i = 0; i < size; ++i) arrived[i] = std::min(arrived[i], row[i] - branch.distance);
    known = inner;
  }
}

// Consume one token of the chain; after the last one the text does not move on yet.
void Certificate::advance(TokenSpan text, std::int32_t token, bool last, const std::int32_t* row,
                          std::int32_t* next) const {
  next[0] = row[0] + kGap;
  for (int i = 0; i < text.size; ++i) {
    next[i + 1] = std::min(row[i + 1] + kGap, row[i] + (token == text[i] ? kMatch : kMismatch));
  }
  if (last) return;
  for (int i = 0; i < text.size; ++i) next[i + 1] = std::min(next[i + 1], next[i] + kGap);
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
