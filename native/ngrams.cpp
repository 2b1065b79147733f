#include "ngrams.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gecbench {
namespace {

// Gives equal n-grams of one sentence equal small numbers: an n-gram is the pair
// (number of its first n - 1 tokens, last token), compared exactly, so no two n-grams collide.
class NgramNumbers {
 public:
  void reset(std::size_t positions) {
    std::size_t wanted = 16;
    while (wanted < 2 * positions) wanted *= 2;
    slots_.assign(wanted, Slot{0, 0, -1});
    used_ = 0;
  }

  std::int32_t number(std::int32_t prefix, std::int32_t token) {
    const std::uint64_t key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(prefix)) << 32) |
                              static_cast<std::uint32_t>(token);
    std::size_t slot = (key * 0x9E3779B97F4A7C15ULL >> 29) & (slots_.size() - 1);
    while (slots_[slot].number >= 0) {
      if (slots_[slot].prefix == prefix && slots_[slot].token == token) return slots_[slot].number;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = Slot{prefix, token, used_};
    return used_++;
  }

  std::int32_t used() const { return used_; }

 private:
  struct Slot {
    std::int32_t prefix, token, number;
  };
  std::vector<Slot> slots_;
  std::int32_t used_ = 0;
};

struct Sequence {
  const std::int32_t* tokens;
  std::int64_t length;
  std::vector<std::int32_t> numbers;  // of the n-gram starting at each position

  std::int64_t ngrams(int order) const { return std::max<std::int64_t>(length + 1 - order, 0); }
};

Sequence sequence_at(const TokenView& view, std::int64_t index) {
  const std::int64_t begin = view.offsets[index], end = view.offsets[index + 1];
  return Sequence{view.ids + begin, end - begin, std::vector<std::int32_t>(end - begin, 0)};
}

class Sentence {
 public:
  Sentence(Sequence source, Sequence hypothesis, std::vector<Sequence> references)
      : source_(std::move(source)), hypothesis_(std::move(hypothesis)), references_(std::move(references)) {}

  void fill(int order, bool multiset, std::int64_t* rows) {
    const int width = 2 + 2 * order;
    for (std::size_t r = 0; r < references_.size(); ++r) {
      rows[r * width] = hypothesis_.length;
      rows[r * width + 1] = references_[r].length;
    }
    for (int n = 1; n <= order; ++n) {
      number_ngrams(n);
      count(source_, n, in_source_);
      count(hypothesis_, n, in_hypothesis_);
      for (std::size_t r = 0; r < references_.size(); ++r) {
        count(references_[r], n, in_reference_);
        std::int64_t* pair = rows + r * width + 2 * n;
        pair[0] = multiset ? literal_numerator() : official_numerator();
        pair[1] = hypothesis_.ngrams(n);
      }
    }
  }

 private:
  void number_ngrams(int n) {
    std::size_t positions = source_.length + hypothesis_.length;
    for (const Sequence& reference : references_) positions += reference.length;
    numbers_.reset(positions);
    number_sequence(source_, n);
    number_sequence(hypothesis_, n);
    for (Sequence& reference : references_) number_sequence(reference, n);
    in_source_.assign(numbers_.used(), 0);
    in_hypothesis_.assign(numbers_.used(), 0);
    in_reference_.assign(numbers_.used(), 0);
  }

  void number_sequence(Sequence& sequence, int n) {
    for (std::int64_t i = 0; i < sequence.ngrams(n); ++i)
      sequence.numbers[i] = numbers_.number(sequence.numbers[i], sequence.tokens[i + n - 1]);
  }

  static void count(const Sequence& sequence, int n, std::vector<std::int32_t>& occurrences) {
    std::fill(occurrences.begin(), occurrences.end(), 0);
    for (std::int64_t i = 0; i < sequence.ngrams(n); ++i) ++occurrences[sequence.numbers[i]];
  }

  // The official penalty looks at types: an n-gram the reference has even once costs nothing.
  std::int64_t official_numerator() const {
    std::int64_t match = 0, penalty = 0;
    for (std::size_t k = 0; k < in_hypothesis_.size(); ++k) {
      match += std::min(in_hypothesis_[k], in_reference_[k]);
      if (in_reference_[k] == 0) penalty += std::min(in_hypothesis_[k], in_source_[k]);
    }
    return std::max<std::int64_t>(match - penalty, 0);
  }

  // Sakaguchi et al. 2016, Equation 1, as printed.
  std::int64_t literal_numerator() const {
    std::int64_t match = 0, penalty = 0;
    for (std::size_t k = 0; k < in_hypothesis_.size(); ++k) {
      const std::int32_t with_reference = std::min(in_hypothesis_[k], in_reference_[k]);
      match += with_reference;
      penalty += std::max(0, std::min(in_hypothesis_[k], in_source_[k]) - with_reference);
    }
    return match - penalty;
  }

  Sequence source_, hypothesis_;
  std::vector<Sequence> references_;
  NgramNumbers numbers_;
  std::vector<std::int32_t> in_source_, in_hypothesis_, in_reference_;
};

}  // namespace

void gleu_counts(const TokenView& sources, const TokenView& hypotheses, const TokenView& references,
                 const std::int64_t* reference_rows, int order, bool multiset, std::int64_t* counts) {
  const int width = 2 + 2 * order;
  for (std::int64_t i = 0; i < sources.count; ++i) {
    std::vector<Sequence> rows;
    rows.reserve(reference_rows[i + 1] - reference_rows[i]);
    for (std::int64_t r = reference_rows[i]; r < reference_rows[i + 1]; ++r)
      rows.push_back(sequence_at(references, r));
    Sentence(sequence_at(sources, i), sequence_at(hypotheses, i), std::move(rows))
        .fill(order, multiset, counts + reference_rows[i] * width);
  }
}

}  // namespace gecbench
