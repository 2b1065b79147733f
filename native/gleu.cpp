// 1. Counts: numerator and denominator of GLEU's precisions (Sakaguchi et al. 2016, Equation 1). Instead of hash tables
//    of token tuples, n-grams are numbered exactly (ngrams.hpp), so that a multiset is an array of counts.
// 2. Draws: CPython 2's and CPython 3's way to draw a number below k, bit for bit.
// 3. Totals of the drawn rows. Columns that are the same for all references of a sentence are summed once, the others
//    per draw. Whole numbers are summed, so the order of the sums does not matter.
#include "gleu.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "mersenne_twister.hpp"
#include "ngrams.hpp"
#include "threads.hpp"

namespace gecbench {
namespace {

// 1. Counts

class Counter {
 public:
  Counter(int order, bool multiset) : order_(order), multiset_(multiset) {}

  // `texts` are the hypothesis, the source, then the references, whose rows are filled.
  void fill(const std::vector<TokenSpan>& texts, std::int64_t* rows) {
    const int width = 2 + 2 * order_;
    for (std::size_t r = 2; r < texts.size(); ++r) {
      rows[(r - 2) * width] = texts[0].size;
      rows[(r - 2) * width + 1] = texts[r].size;
    }
    ngrams_.begin(texts, 1);
    for (int n = 1; n <= order_; ++n) {
      if (n % 16 == 0) look_for_stop();
      ngrams_.begin_order(n);
      ngrams_.count(0, in_hypothesis_);
      ngrams_.count(1, in_source_);
      for (std::size_t r = 2; r < texts.size(); ++r) {
        ngrams_.count(r, in_reference_);
        std::int64_t* pair = rows + (r - 2) * width + 2 * n;
        pair[0] = multiset_ ? literal_numerator() : official_numerator();
        pair[1] = ngrams(texts[0], n);
      }
    }
  }

 private:
  // The official script: an n-gram that occurs in the reference at all is never penalized. At least 0.
  std::int64_t official_numerator() const {
    std::int32_t match = 0, penalty = 0;
    for (std::size_t k = 0; k < in_hypothesis_.size(); ++k) {
      match += std::min(in_hypothesis_[k], in_reference_[k]);
      penalty += in_reference_[k] == 0 ? std::min(in_hypothesis_[k], in_source_[k]) : 0;
    }
    return std::max(match - penalty, 0);
  }

  // Equation 1 as printed: multisets, may be negative.
  std::int64_t literal_numerator() const {
    std::int32_t match = 0, penalty = 0;
    for (std::size_t k = 0; k < in_hypothesis_.size(); ++k) {
      const std::int32_t with_reference = std::min(in_hypothesis_[k], in_reference_[k]);
      match += with_reference;
      penalty += std::max(0, std::min(in_hypothesis_[k], in_source_[k]) - with_reference);
    }
    return match - penalty;
  }

  int order_;
  bool multiset_;
  NgramCounter ngrams_;
  NgramCounter::Occurrences in_source_, in_hypothesis_, in_reference_;
};

// 2. Draws

int bit_length(std::uint64_t value) {
  int bits = 0;
  for (; value != 0; value >>= 1) ++bits;
  return bits;
}

// floor(random() * choices) of CPython 2, whose random() is made of two words. The first word alone bounds the product
// from both sides. If both bounds have the same whole part, it is also that of the product, rounded or not,
// and no floating-point arithmetic is needed.
std::int64_t draw_python2(MersenneTwister& twister, std::int64_t choices) {
  constexpr int kHighBits = 27;
  const std::uint32_t high = twister.next() >> (32 - kHighBits), low = twister.next() >> 6;
  if (choices < 1 << 16) {
    const std::uint64_t least = std::uint64_t{high} * static_cast<std::uint64_t>(choices);
    const std::uint64_t most = least + static_cast<std::uint64_t>(choices);
    if (least >> kHighBits == most >> kHighBits) return static_cast<std::int64_t>(least >> kHighBits);
  }
  return static_cast<std::int64_t>(MersenneTwister::uniform(high, low) * static_cast<double>(choices));
}

// random.randrange(choices) of CPython 3: draws words until the top bits of one are below `choices`.
std::int64_t draw_python3(MersenneTwister& twister, std::int64_t choices) {
  const int bits = bit_length(static_cast<std::uint64_t>(choices));
  std::int64_t drawn;
  do {
    drawn = twister.next() >> (32 - bits);
  } while (drawn >= choices);
  return drawn;
}

void draw_block(const std::int64_t* row_offsets, Generator generator, MersenneTwister& twister, std::int64_t sentences,
                std::int64_t* rows) {
  const auto draw = [&](auto draw_one) {
    for (std::int64_t i = 0; i < sentences; ++i)
      rows[i] = row_offsets[i] + draw_one(twister, row_offsets[i + 1] - row_offsets[i]);
  };
  generator == Generator::kPython2 ? draw(draw_python2) : draw(draw_python3);
}

std::vector<MersenneTwister> twisters_of(std::int64_t first_iteration, std::int64_t iterations) {
  std::vector<std::uint32_t> seeds;
  for (std::int64_t d = 0; d < iterations; ++d)
    seeds.push_back(static_cast<std::uint32_t>((first_iteration + d) * 101));
  return MersenneTwister::seeded(seeds);
}

std::vector<MersenneTwister> restored_twisters(const std::uint32_t* states, std::int64_t iterations) {
  std::vector<MersenneTwister> twisters;
  for (std::int64_t d = 0; d < iterations; ++d)
    twisters.push_back(MersenneTwister::restored(states + d * MersenneTwister::kStateWords));
  return twisters;
}

void save_twisters(const std::vector<MersenneTwister>& twisters, std::uint32_t* states) {
  for (std::size_t d = 0; d < twisters.size(); ++d) twisters[d].save(states + d * MersenneTwister::kStateWords);
}

// 3. Totals

// Columns of counts, a vector register at a time.
constexpr std::size_t kLanes = 8;
using Columns = std::array<std::int64_t, kLanes>;

// The columns whose counts depend on the row drawn, copied into groups of kLanes, and the totals of the other columns.
struct VaryingColumns {
  std::vector<std::int64_t> columns, totals;
  std::vector<std::unique_ptr<Columns[]>> groups;  // by row; not initialized here, so that threads touch them first

  VaryingColumns(const std::int64_t* counts, std::int64_t width, const std::int64_t* row_offsets,
                 std::int64_t sentences, int threads)
      : totals(width, 0) {
    std::vector<char> varies(width, 0);
    std::mutex merging;
    share_sentences(sentences, threads, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t> sums(width, 0);
      std::vector<char> varied(width, 0);
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t* first = counts + row_offsets[i] * width;
        for (std::int64_t c = 0; c < width; ++c) sums[c] += first[c];
        for (const std::int64_t* row = first + width; row < counts + row_offsets[i + 1] * width; row += width)
          for (std::int64_t c = 0; c < width; ++c) varied[c] |= row[c] != first[c] ? 1 : 0;
      }
      const std::lock_guard<std::mutex> lock(merging);
      for (std::int64_t c = 0; c < width; ++c) totals[c] += sums[c], varies[c] |= varied[c];
    });
    for (std::int64_t c = 0; c < width; ++c)
      if (varies[c] != 0) columns.push_back(c);
    while (groups.size() * kLanes < columns.size()) groups.emplace_back(new Columns[row_offsets[sentences]]);
    share_sentences(row_offsets[sentences], threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::size_t group = 0; group < groups.size(); ++group)
        for (std::int64_t row = begin; row < end; ++row) fill(groups[group][row], counts + row * width, group * kLanes);
    });
  }

 private:
  void fill(Columns& lanes, const std::int64_t* row, std::size_t first) const {
    for (std::size_t m = 0; m < kLanes; ++m) lanes[m] = first + m < columns.size() ? row[columns[first + m]] : 0;
  }
};

Columns sum_of(const Columns* counts, const std::vector<std::int64_t>& rows) {
  Columns sum{};
  for (const std::int64_t row : rows)
    for (std::size_t m = 0; m < kLanes; ++m) sum[m] += counts[row][m];
  return sum;
}

// Sentences per block, few enough that their counts stay in the cache for all draws of a task; and draws per task.
constexpr std::int64_t kBlock = 2048, kDraws = 32;

}  // namespace

void gleu_counts(const TokenArray& sources, const TokenArray& hypotheses, const TokenArray& references,
                 const std::int64_t* reference_rows, int order, bool multiset, int threads, std::int64_t* counts) {
  const int width = 2 + 2 * order;
  share_sentences(sources.size, threads, [&](std::int64_t begin, std::int64_t end) {
    Counter counter(order, multiset);
    std::vector<TokenSpan> texts;
    for (std::int64_t i = begin; i < end; ++i) {
      if (i % 16 == 0) look_for_stop();
      texts = {hypotheses[i], sources[i]};
      for (std::int64_t r = reference_rows[i]; r < reference_rows[i + 1]; ++r) texts.push_back(references[r]);
      counter.fill(texts, counts + reference_rows[i] * width);
    }
  });
}

void generator_states(std::int64_t iterations, std::uint32_t* states) {
  save_twisters(twisters_of(0, iterations), states);
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
                    std::uint32_t* states, std::int64_t* totals) {
  const VaryingColumns varying(counts, width, row_offsets, sentences, threads);
  const std::size_t count = varying.columns.size();
  run_tasks((iterations + kDraws - 1) / kDraws, threads, [&](std::int64_t task) {
    const std::int64_t first = task * kDraws, last = std::min(first + kDraws, iterations);
    for (std::int64_t d = first; d < last; ++d) {
      std::copy(varying.totals.begin(), varying.totals.end(), totals + d * width);
      for (const std::int64_t c : varying.columns) totals[d * width + c] = 0;
    }
    if (count == 0 && states == nullptr) return;
    std::uint32_t* ours = states == nullptr ? nullptr : states + first * MersenneTwister::kStateWords;
    std::vector<MersenneTwister> twisters =
        ours == nullptr ? twisters_of(first, last - first) : restored_twisters(ours, last - first);
    std::vector<std::int64_t> rows;
    for (std::int64_t begin = 0; begin < sentences; begin += kBlock) {
      look_for_stop();
      rows.resize(std::min(kBlock, sentences - begin));
      for (std::int64_t d = first; d < last; ++d) {
        draw_block(row_offsets + begin, generator, twisters[d - first], rows.size(), rows.data());
        for (std::size_t group = 0; group < varying.groups.size(); ++group) {
          const Columns sum = sum_of(varying.groups[group].get(), rows);
          for (std::size_t m = group * kLanes; m < std::min(count, (group + 1) * kLanes); ++m)
            totals[d * width + varying.columns[m]] += sum[m % kLanes];
        }
      }
    }
    if (ours != nullptr) save_twisters(twisters, ours);
  });
}

}  // namespace gecbench
