#include "gleu.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "mersenne_twister.hpp"
#include "threads.hpp"

namespace gecbench {
namespace {

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

std::int64_t ngrams(TokenSpan tokens, int order) {
  return std::max<std::int64_t>(std::int64_t{tokens.size} + 1 - order, 0);
}

// Counts sentence after sentence; an n-gram that the hypothesis lacks counts for nothing.
class Counter {
 public:
  Counter(int order, bool multiset) : order_(order), multiset_(multiset) {}

  // Texts are the source, then the references, whose rows are filled.
  void fill(TokenSpan hypothesis, const std::vector<TokenSpan>& texts, std::int64_t* rows) {
    const int width = 2 + 2 * order_;
    numbers_of_hypothesis_.assign(hypothesis.size, 0);
    numbers_of_texts_.resize(std::max(numbers_of_texts_.size(), texts.size()));
    for (std::size_t t = 0; t < texts.size(); ++t) numbers_of_texts_[t].assign(texts[t].size, 0);
    for (std::size_t r = 1; r < texts.size(); ++r) {
      rows[(r - 1) * width] = hypothesis.size;
      rows[(r - 1) * width + 1] = texts[r].size;
    }
    for (int n = 1; n <= order_; ++n) {
      count_hypothesis(hypothesis, n);
      count_text(texts[0], n, numbers_of_texts_[0], in_source_);
      for (std::size_t r = 1; r < texts.size(); ++r) {
        count_text(texts[r], n, numbers_of_texts_[r], in_reference_);
        std::int64_t* pair = rows + (r - 1) * width + 2 * n;
        pair[0] = multiset_ ? literal_numerator() : official_numerator();
        pair[1] = ngrams(hypothesis, n);
      }
    }
  }

 private:
  // Numbers are those of the n-gram, before of the (n - 1)-gram, that starts at each position.
  void count_hypothesis(TokenSpan tokens, int n) {
    const std::int64_t positions = ngrams(tokens, n);
    ngram_numbers_.reset(positions);
    for (std::int64_t i = 0; i < positions; ++i)
      numbers_of_hypothesis_[i] = ngram_numbers_.number(numbers_of_hypothesis_[i], tokens[i + n - 1]);
    in_hypothesis_.assign(ngram_numbers_.used(), 0);
    for (std::int64_t i = 0; i < positions; ++i) ++in_hypothesis_[numbers_of_hypothesis_[i]];
  }

  void count_text(TokenSpan tokens, int n, std::vector<std::int32_t>& numbers, std::vector<std::int32_t>& occurrences) {
    occurrences.assign(ngram_numbers_.used(), 0);
    for (std::int64_t i = 0; i < ngrams(tokens, n); ++i) {
      if (numbers[i] == NgramNumbers::kAbsent) continue;
      const bool rest_absent = n > 1 && numbers[i + 1] == NgramNumbers::kAbsent;  // without the first token
      numbers[i] = rest_absent ? NgramNumbers::kAbsent : ngram_numbers_.find(numbers[i], tokens[i + n - 1]);
      if (numbers[i] != NgramNumbers::kAbsent) ++occurrences[numbers[i]];
    }
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

  int order_;
  bool multiset_;
  NgramNumbers ngram_numbers_;
  std::vector<std::int32_t> numbers_of_hypothesis_;
  std::vector<std::vector<std::int32_t>> numbers_of_texts_;
  std::vector<std::int32_t> in_source_, in_hypothesis_, in_reference_;
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

void draw_block(const std::int64_t* row_offsets, Generator generator, MersenneTwister& twister, std::int64_t sentences,
                std::int64_t* rows) {
  for (std::int64_t i = 0; i < sentences; ++i)
    rows[i] = row_offsets[i] + draw_below(twister, row_offsets[i + 1] - row_offsets[i], generator);
}

std::vector<MersenneTwister> twisters_of(std::int64_t first_iteration, std::int64_t iterations) {
  std::vector<std::uint32_t> seeds;
  for (std::int64_t d = 0; d < iterations; ++d)
    seeds.push_back(static_cast<std::uint32_t>((first_iteration + d) * 101));
  return MersenneTwister::seeded(seeds);
}

// The columns of counts that depend on the row drawn, some side by side, and the totals of all columns where they do
// not.
constexpr std::size_t kSide = 8;
using Columns = std::array<std::int64_t, kSide>;

struct MovingColumns {
  std::vector<std::int64_t> columns, totals;
  std::vector<std::vector<Columns>> groups;  // by row

  MovingColumns(const std::int64_t* counts, std::int64_t width, const std::int64_t* row_offsets, std::int64_t sentences)
      : totals(width, 0) {
    for (std::int64_t c = 0; c < width; ++c) {
      bool moves = false;
      for (std::int64_t i = 0; i < sentences; ++i) {
        const std::int64_t first = counts[row_offsets[i] * width + c];
        totals[c] += first;
        for (std::int64_t row = row_offsets[i] + 1; row < row_offsets[i + 1]; ++row)
          moves |= counts[row * width + c] != first;
      }
      if (moves) columns.push_back(c);
    }
    groups.assign((columns.size() + kSide - 1) / kSide, std::vector<Columns>(row_offsets[sentences], Columns{}));
    for (std::size_t m = 0; m < columns.size(); ++m)
      for (std::int64_t row = 0; row < row_offsets[sentences]; ++row)
        groups[m / kSide][row][m % kSide] = counts[row * width + columns[m]];
  }
};

Columns sum_of(const std::vector<Columns>& counts, const std::vector<std::int64_t>& rows) {
  Columns sum{};
  for (const std::int64_t row : rows)
    for (std::size_t m = 0; m < kSide; ++m) sum[m] += counts[row][m];
  return sum;
}

// Sentences whose counts stay in the cache while some draws pass over them, and draws that one task makes.
constexpr std::int64_t kBlock = 2048, kDraws = 32;

}  // namespace

void gleu_counts(const TokenArray& sources, const TokenArray& hypotheses, const TokenArray& references,
                 const std::int64_t* reference_rows, int order, bool multiset, int threads, std::int64_t* counts) {
  const int width = 2 + 2 * order;
  share_sentences(sources.size, threads, [&](std::int64_t begin, std::int64_t end) {
    Counter counter(order, multiset);
    std::vector<TokenSpan> texts;
    for (std::int64_t i = begin; i < end; ++i) {
      texts.assign(1, sources[i]);
      for (std::int64_t r = reference_rows[i]; r < reference_rows[i + 1]; ++r) texts.push_back(references[r]);
      counter.fill(hypotheses[i], texts, counts + reference_rows[i] * width);
    }
  });
}

void draw_rows(const std::int64_t* row_offsets, std::int64_t sentences, std::int64_t first_iteration,
               std::int64_t iterations, Generator generator, int threads, std::int64_t* rows) {
  run_tasks((iterations + kDraws - 1) / kDraws, threads, [&](std::int64_t task) {
    const std::int64_t begin = task * kDraws, end = std::min(begin + kDraws, iterations);
    std::vector<MersenneTwister> twisters = twisters_of(first_iteration + begin, end - begin);
    for (std::int64_t d = begin; d < end; ++d)
      draw_block(row_offsets, generator, twisters[d - begin], sentences, rows + d * sentences);
  });
}

void sampled_totals(const std::int64_t* counts, std::int64_t width, const std::int64_t* row_offsets,
                    std::int64_t sentences, std::int64_t iterations, Generator generator, int threads,
                    std::int64_t* totals) {
  const MovingColumns moving(counts, width, row_offsets, sentences);
  const std::size_t moved = moving.columns.size();
  run_tasks((iterations + kDraws - 1) / kDraws, threads, [&](std::int64_t task) {
    const std::int64_t first = task * kDraws, last = std::min(first + kDraws, iterations);
    for (std::int64_t d = first; d < last; ++d) {
      std::copy(moving.totals.begin(), moving.totals.end(), totals + d * width);
      for (const std::int64_t c : moving.columns) totals[d * width + c] = 0;
    }
    if (moved == 0) return;
    std::vector<MersenneTwister> twisters = twisters_of(first, last - first);
    std::vector<std::int64_t> rows;
    for (std::int64_t begin = 0; begin < sentences; begin += kBlock) {
      rows.resize(std::min(kBlock, sentences - begin));
      for (std::int64_t d = first; d < last; ++d) {
        draw_block(row_offsets + begin, generator, twisters[d - first], rows.size(), rows.data());
        for (std::size_t group = 0; group < moving.groups.size(); ++group) {
          const Columns sum = sum_of(moving.groups[group], rows);
          for (std::size_t m = group * kSide; m < std::min(moved, (group + 1) * kSide); ++m)
            totals[d * width + moving.columns[m]] += sum[m % kSide];
        }
      }
    }
  });
}

}  // namespace gecbench
