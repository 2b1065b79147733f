#include "gleu.hpp"

#include <algorithm>
#include <array>
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
    const std::uint64_t key =
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(prefix)) << 32) | static_cast<std::uint32_t>(token);
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
  TokenSpan tokens;
  std::vector<std::int32_t> numbers;  // of the n-gram starting at each position

  explicit Sequence(TokenSpan tokens) : tokens(tokens), numbers(tokens.size, 0) {}

  std::int64_t length() const { return tokens.size; }
  std::int64_t ngrams(int order) const { return std::max<std::int64_t>(length() + 1 - order, 0); }
};

class Sentence {
 public:
  Sentence(Sequence source, Sequence hypothesis, std::vector<Sequence> references)
      : source_(std::move(source)), hypothesis_(std::move(hypothesis)), references_(std::move(references)) {}

  void fill(int order, bool multiset, std::int64_t* rows) {
    const int width = 2 + 2 * order;
    for (std::size_t r = 0; r < references_.size(); ++r) {
      rows[r * width] = hypothesis_.length();
      rows[r * width + 1] = references_[r].length();
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
    std::size_t positions = source_.length() + hypothesis_.length();
    for (const Sequence& reference : references_) positions += reference.length();
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

// Mersenne Twister (Matsumoto & Nishimura 1998), seeded by a one-word key as CPython seeds it.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed) {
    state_[0] = 19650218U;
    for (int i = 1; i < kSize; ++i)
      state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
    int i = 1;
    for (int k = 0; k < kSize; ++k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525U)) + seed;
      i = advance(i);
    }
    for (int k = 0; k < kSize - 1; ++k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941U)) - static_cast<std::uint32_t>(i);
      i = advance(i);
    }
    state_[0] = 0x80000000U;
  }

  std::uint32_t next() {
    if (position_ == kSize) refill();
    std::uint32_t y = state_[position_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
  }

  double uniform() {
    const std::uint32_t high = next() >> 5, low = next() >> 6;
    return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
  }

 private:
  static constexpr int kSize = 624, kShift = 397;

  int advance(int i) {
    if (++i < kSize) return i;
    state_[0] = state_[kSize - 1];
    return 1;
  }

  static std::uint32_t twist(std::uint32_t high, std::uint32_t low) {
    const std::uint32_t y = (high & 0x80000000U) | (low & 0x7fffffffU);
    return (y >> 1) ^ ((0U - (y & 1U)) & 0x9908b0dfU);
  }

  void refill() {
    for (int i = 0; i < kSize - kShift; ++i) state_[i] = state_[i + kShift] ^ twist(state_[i], state_[i + 1]);
    for (int i = kSize - kShift; i < kSize - 1; ++i)
      state_[i] = state_[i + kShift - kSize] ^ twist(state_[i], state_[i + 1]);
    state_[kSize - 1] = state_[kShift - 1] ^ twist(state_[kSize - 1], state_[0]);
    position_ = 0;
  }

  std::array<std::uint32_t, kSize> state_{};
  int position_ = kSize;
};

int bit_length(std::uint64_t value) {
  int bits = 0;
  for (; value != 0; value >>= 1) ++bits;
  return bits;
}

std::int64_t draw_below(MersenneTwister& twister, std::int64_t choices, Generator generator) {
  if (generator == Generator::kPython2) return static_cast<std::int64_t>(twister.uniform() * choices);
  const int bits = bit_length(static_cast<std::uint64_t>(choices));
  std::int64_t drawn;
  do {
    drawn = twister.next() >> (32 - bits);
  } while (drawn >= choices);
  return drawn;
}

MersenneTwister seeded(std::int64_t iteration) {
  return MersenneTwister(static_cast<std::uint32_t>(iteration * 101));
}

// Sentences whose counts stay in the cache while every draw passes over them.
constexpr std::int64_t kBlock = 2048;

}  // namespace

void gleu_counts(const TokenArray& sources, const TokenArray& hypotheses, const TokenArray& references,
                 const std::int64_t* reference_rows, int order, bool multiset, std::int64_t* counts) {
  const int width = 2 + 2 * order;
  for (std::int64_t i = 0; i < sources.size; ++i) {
    std::vector<Sequence> rows;
    rows.reserve(reference_rows[i + 1] - reference_rows[i]);
    for (std::int64_t r = reference_rows[i]; r < reference_rows[i + 1]; ++r) rows.emplace_back(references[r]);
    Sentence(Sequence(sources[i]), Sequence(hypotheses[i]), std::move(rows))
        .fill(order, multiset, counts + reference_rows[i] * width);
  }
}

void draw_rows(const std::int64_t* row_offsets, std::int64_t sentences, std::int64_t first_iteration,
               std::int64_t iterations, Generator generator, std::int64_t* rows) {
  for (std::int64_t d = 0; d < iterations; ++d) {
    MersenneTwister twister = seeded(first_iteration + d);
    for (std::int64_t i = 0; i < sentences; ++i)
      rows[d * sentences + i] = row_offsets[i] + draw_below(twister, row_offsets[i + 1] - row_offsets[i], generator);
  }
}

void sampled_totals(const std::int64_t* counts, std::int64_t width, const std::int64_t* row_offsets,
                    std::int64_t sentences, std::int64_t iterations, Generator generator, std::int64_t* totals) {
  std::fill(totals, totals + iterations * width, 0);
  std::vector<MersenneTwister> twisters;
  twisters.reserve(iterations);
  for (std::int64_t d = 0; d < iterations; ++d) twisters.push_back(seeded(d));
  for (std::int64_t begin = 0; begin < sentences; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, sentences);
    for (std::int64_t d = 0; d < iterations; ++d) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row =
            row_offsets[i] + draw_below(twisters[d], row_offsets[i + 1] - row_offsets[i], generator);
        for (std::int64_t c = 0; c < width; ++c) totals[d * width + c] += counts[row * width + c];
      }
    }
  }
}

}  // namespace gecbench
