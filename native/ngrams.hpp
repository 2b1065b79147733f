// The n-grams of a hypothesis, and how often other texts have them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tokens.hpp"

namespace gecbench {

// The n-grams of one hypothesis, numbered; those of other texts get the number of their equal in it, or kAbsent. An
// n-gram is the pair (number of its first n - 1 tokens, last token), compared exactly, so no two n-grams collide.
class NgramNumbers {
 public:
  static constexpr std::int32_t kAbsent = -1;

  void reset(std::size_t positions) {
    std::size_t wanted = 16;
    while (wanted < 2 * positions) wanted *= 2;
    slots_.assign(wanted, Slot{});
    used_ = 0;
  }

  std::int32_t number(std::int32_t prefix, std::int32_t token) {
    Slot& slot = slot_of(prefix, token);
    if (slot.number == kAbsent) slot = Slot{key_of(prefix, token), used_++};
    return slot.number;
  }

  std::int32_t find(std::int32_t prefix, std::int32_t token) { return slot_of(prefix, token).number; }

  std::int32_t used() const { return used_; }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no prefix is negative

  struct Slot {
    std::uint64_t key = kEmpty;
    std::int32_t number = kAbsent;
  };

  static std::uint64_t key_of(std::int32_t prefix, std::int32_t token) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(prefix)) << 32) | static_cast<std::uint32_t>(token);
  }

  // The slot of an n-gram, or the empty one where it belongs.
  Slot& slot_of(std::int32_t prefix, std::int32_t token) {
    const std::uint64_t key = key_of(prefix, token);
    std::size_t index = (key * 0x9E3779B97F4A7C15ULL >> 29) & (slots_.size() - 1);
    while (slots_[index].key != key && slots_[index].key != kEmpty) index = (index + 1) & (slots_.size() - 1);
    return slots_[index];
  }

  std::vector<Slot> slots_;
  std::int32_t used_ = 0;
};

inline std::int64_t ngrams(TokenSpan tokens, int order) {
  return std::max<std::int64_t>(std::int64_t{tokens.size} + 1 - order, 0);
}

// Counts the n-grams of a hypothesis in it and in other texts, order after order from 1 on.
class HypothesisNgrams {
 public:
  using Occurrences = std::vector<std::int32_t>;  // by number

  void begin(TokenSpan hypothesis, const std::vector<TokenSpan>& texts) {
    hypothesis_ = hypothesis;
    numbers_of_hypothesis_.assign(hypothesis.size, 0);
    numbers_of_texts_.resize(std::max(numbers_of_texts_.size(), texts.size()));
    for (std::size_t t = 0; t < texts.size(); ++t) numbers_of_texts_[t].assign(texts[t].size, 0);
  }

  void count_hypothesis(int n, Occurrences& occurrences) {
    const std::int64_t positions = ngrams(hypothesis_, n);
    ngram_numbers_.reset(positions);
    for (std::int64_t i = 0; i < positions; ++i)
      numbers_of_hypothesis_[i] = ngram_numbers_.number(numbers_of_hypothesis_[i], hypothesis_[i + n - 1]);
    occurrences.assign(ngram_numbers_.used(), 0);
    for (std::int64_t i = 0; i < positions; ++i) ++occurrences[numbers_of_hypothesis_[i]];
  }

  // After the hypothesis, in the same order n; an n-gram that the hypothesis lacks is not counted.
  void count_text(const std::vector<TokenSpan>& texts, std::size_t text, int n, Occurrences& occurrences) {
    const TokenSpan tokens = texts[text];
    std::vector<std::int32_t>& numbers = numbers_of_texts_[text];
    occurrences.assign(ngram_numbers_.used(), 0);
    for (std::int64_t i = 0; i < ngrams(tokens, n); ++i) {
      if (numbers[i] == NgramNumbers::kAbsent) continue;
      const bool rest_absent = n > 1 && numbers[i + 1] == NgramNumbers::kAbsent;  // without the first token
      numbers[i] = rest_absent ? NgramNumbers::kAbsent : ngram_numbers_.find(numbers[i], tokens[i + n - 1]);
      if (numbers[i] != NgramNumbers::kAbsent) ++occurrences[numbers[i]];
    }
  }

 private:
  TokenSpan hypothesis_;
  NgramNumbers ngram_numbers_;
  // Of the n-gram, before of the (n - 1)-gram, that starts at each position.
  std::vector<std::int32_t> numbers_of_hypothesis_;
  std::vector<std::vector<std::int32_t>> numbers_of_texts_;
};

}  // namespace gecbench
