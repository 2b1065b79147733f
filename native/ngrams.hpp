// Exact n-gram counts of several texts, without tuples of tokens: an n-gram is a pair of (n - 1)-grams, and pairs are
// numbered in the order in which they appear in the first texts. N-grams that are not in the first texts share the
// number 0, since no metric needs to distinguish them. Used by GLEU and GREEN.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tokens.hpp"

namespace gecbench {

// Numbers pairs from 1 on in order of appearance. Pairs are compared exactly, so two different ones never collide.
class PairNumbers {
 public:
  static constexpr std::int32_t kAbsent = 0;
  static constexpr std::int64_t kAnything = -1;

  // Removes all pairs. At most `most` pairs will be added, of numbers from 0 to `largest`; with kAnything, the right
  // number may be any. Pairs of few small numbers are looked up in a square table, others in a hash table.
  void reset(std::int64_t most, std::int64_t largest) {
    used_ = 0;
    in_table_ = largest != kAnything && largest < kTableWidth && most < kTableNumbers;
    if (in_table_) {
      width_ = static_cast<std::int32_t>(largest) + 1;
      table_.assign(static_cast<std::size_t>(width_) * width_, kAbsent);
      return;
    }
    std::size_t wanted = 16;
    while (wanted < 2 * static_cast<std::size_t>(most)) wanted *= 2;
    slots_.assign(wanted, Slot{});
  }

  std::int32_t number(std::int32_t left, std::int32_t right) {
    if (in_table_) {
      std::uint8_t& place = table_[left * width_ + right];
      if (place == kAbsent) place = static_cast<std::uint8_t>(++used_);
      return place;
    }
    Slot& slot = slot_of(left, right);
    if (slot.number == kAbsent) slot = Slot{key_of(left, right), ++used_};
    return slot.number;
  }

  std::int32_t find(std::int32_t left, std::int32_t right) {
    return in_table_ ? table_[left * width_ + right] : slot_of(left, right).number;
  }

  // Replaces each of `count` numbers by the number of the pair of itself and the next.
  void find_adjacent(std::int32_t* numbers, std::int64_t count) {
    if (in_table_) {
      for (std::int64_t i = 0; i < count; ++i) numbers[i] = table_[numbers[i] * width_ + numbers[i + 1]];
    } else {
      for (std::int64_t i = 0; i < count; ++i) numbers[i] = find(numbers[i], numbers[i + 1]);
    }
  }

  std::int32_t used() const { return used_; }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no left number is negative
  static constexpr std::int64_t kTableWidth = 128;            // a wider table would be slow to clear
  static constexpr std::int64_t kTableNumbers = 256;          // these fit into a byte

  struct Slot {
    std::uint64_t key = kEmpty;
    std::int32_t number = kAbsent;
  };

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
  }

  // The slot of a pair, or the empty one where it belongs.
  Slot& slot_of(std::int32_t left, std::int32_t right) {
    const std::uint64_t key = key_of(left, right);
    std::size_t index = (key * 0x9E3779B97F4A7C15ULL >> 29) & (slots_.size() - 1);
    while (slots_[index].key != key && slots_[index].key != kEmpty) index = (index + 1) & (slots_.size() - 1);
    return slots_[index];
  }

  bool in_table_ = false;
  std::int32_t width_ = 0, used_ = 0;
  std::vector<std::uint8_t> table_;
  std::vector<Slot> slots_;
};

inline std::int64_t ngrams(TokenSpan tokens, int order) {
  return std::max<std::int64_t>(std::int64_t{tokens.size} + 1 - order, 0);
}

// Counts n-grams in several texts, order after order from 1 on. The n-grams of the first texts have numbers of their
// own; all others share the number 0. An n-gram is the pair of its first and its last n - 1 tokens.
class NgramCounter {
 public:
  using Occurrences = std::vector<std::int32_t>;  // by number

  // Only n-grams of the first `numbered` texts get numbers of their own. The texts must live until the last order is
  // counted.
  void begin(const std::vector<TokenSpan>& texts, std::size_t numbered) {
    texts_ = &texts;
    numbered_ = numbered;
    numbers_.resize(std::max(numbers_.size(), texts.size()));
    for (std::size_t t = 0; t < texts.size(); ++t) numbers_[t].resize(texts[t].size);
  }

  // Numbers the n-grams of the next order.
  void begin_order(int n) {
    n_ = n;
    std::int64_t most = 0;
    for (std::size_t t = 0; t < numbered_; ++t) most += ngrams((*texts_)[t], n);
    pairs_.reset(most, n == 1 ? PairNumbers::kAnything : pairs_.used());
    for (std::size_t t = 0; t < numbered_; ++t) {
      const TokenSpan tokens = (*texts_)[t];
      Numbers& numbers = numbers_[t];
      const std::int64_t positions = ngrams(tokens, n);
      for (std::int64_t i = 0; i < positions; ++i)
        numbers[i] = n == 1 ? pairs_.number(0, tokens[i]) : pairs_.number(numbers[i], numbers[i + 1]);
    }
  }

  void count(std::size_t text, Occurrences& occurrences) {
    const TokenSpan tokens = (*texts_)[text];
    Numbers& numbers = numbers_[text];
    const std::int64_t positions = ngrams(tokens, n_);
    if (text >= numbered_) {
      if (n_ == 1) {
        for (std::int64_t i = 0; i < positions; ++i) numbers[i] = pairs_.find(0, tokens[i]);
      } else {
        pairs_.find_adjacent(numbers.data(), positions);
      }
    }
    occurrences.assign(pairs_.used() + 1, 0);
    for (std::int64_t i = 0; i < positions; ++i) ++occurrences[numbers[i]];
  }

 private:
  using Numbers = std::vector<std::int32_t>;

  const std::vector<TokenSpan>* texts_ = nullptr;
  std::size_t numbered_ = 0;
  int n_ = 0;
  PairNumbers pairs_;
  // Number of the n-gram that starts at each position of a text; before order n is counted, of the (n - 1)-gram.
  std::vector<Numbers> numbers_;
};

}  // namespace gecbench
