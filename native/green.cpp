// The seven multisets of the paper are not built. Let an n-gram occur s, c and r times in source, hypothesis and
// reference. What it adds to the counts follows from these three numbers. N-grams of the reference alone share the
// number 0 (ngrams.hpp): each of their occurrences is an under-insertion, so they need not be told apart.
#include "green.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ngrams.hpp"
#include "threads.hpp"

namespace gecbench {
namespace {

class Counter {
 public:
  explicit Counter(int order) : order_(order) {}

  // `texts` are the source, the hypothesis, then the references, whose rows are filled.
  void fill(const std::vector<TokenSpan>& texts, std::int64_t* rows) {
    ngrams_.begin(texts, 2);
    for (int n = 1; n <= order_; ++n) {
      if (n % 16 == 0) look_for_stop();
      ngrams_.begin_order(n);
      ngrams_.count(0, in_source_);
      ngrams_.count(1, in_hypothesis_);
      for (std::size_t r = 2; r < texts.size(); ++r) {
        ngrams_.count(r, in_reference_);
        compare(rows + (r - 2) * 3 * order_ + 3 * (n - 1));
      }
    }
  }

 private:
  // An n-gram has max(s, c, r) occurrences, and each is in some of the three texts: it belongs to exactly one of the
  // seven multisets, so what is neither wrong nor missed is right.
  void compare(std::int64_t* counts) const {
    std::int32_t all = 0, wrong = 0, missed = 0;
    for (std::size_t k = 0; k < in_source_.size(); ++k) {
      const std::int32_t s = in_source_[k], c = in_hypothesis_[k], r = in_reference_[k];
      wrong += std::max(0, std::min(s, r) - c) + std::max(0, c - std::max(s, r));
      missed += std::max(0, std::min(s, c) - r) + std::max(0, r - std::max(s, c));
      all += std::max({s, c, r});
    }
    counts[0] = all - wrong - missed;
    counts[1] = wrong;
    counts[2] = missed;
  }

  int order_;
  NgramCounter ngrams_;
  NgramCounter::Occurrences in_source_, in_hypothesis_, in_reference_;
};

}  // namespace

void green_counts(const TokenArray& sources, const TokenArray& hypotheses, const TokenArray& references,
                  const std::int64_t* reference_rows, int order, int threads, std::int64_t* counts) {
  share_sentences(sources.size, threads, [&](std::int64_t begin, std::int64_t end) {
    Counter counter(order);
    std::vector<TokenSpan> texts;
    for (std::int64_t i = begin; i < end; ++i) {
      if (i % 16 == 0) look_for_stop();
      texts = {sources[i], hypotheses[i]};
      for (std::int64_t r = reference_rows[i]; r < reference_rows[i + 1]; ++r) texts.push_back(references[r]);
      counter.fill(texts, counts + reference_rows[i] * 3 * order);
    }
  });
}

}  // namespace gecbench
