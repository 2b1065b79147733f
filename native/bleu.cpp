#include "bleu.hpp"

#include <cstdlib>

#include "ngrams.hpp"
#include "threads.hpp"

namespace gecbench {
namespace {

class Counter {
 public:
  explicit Counter(int order) : order_(order) {}

  void fill(TokenSpan hypothesis, const std::vector<TokenSpan>& references, std::int64_t* row) {
    std::int32_t shorter = references[0].size, first = references[0].size;
    const auto distance = [&](std::int32_t length) { return std::abs(length - hypothesis.size); };
    for (const TokenSpan reference : references) {
      if (distance(reference.size) < distance(first)) first = reference.size;
      if (distance(reference.size) < distance(shorter) ||
          (distance(reference.size) == distance(shorter) && reference.size < shorter))
        shorter = reference.size;
    }
    row[0] = hypothesis.size;
    row[1] = shorter;
    row[2] = first;
    ngrams_.begin(hypothesis, references);
    for (int n = 1; n <= order_; ++n) {
      row[2 + n] = matches(references, n);
      row[2 + order_ + n] = ngrams(hypothesis, n);
    }
  }

 private:
  std::int64_t matches(const std::vector<TokenSpan>& references, int n) {
    ngrams_.count_hypothesis(n, in_hypothesis_);
    most_.assign(in_hypothesis_.size(), 0);
    for (std::size_t r = 0; r < references.size(); ++r) {
      ngrams_.count_text(references, r, n, in_reference_);
      for (std::size_t k = 0; k < most_.size(); ++k) most_[k] = std::max(most_[k], in_reference_[k]);
    }
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < most_.size(); ++k) sum += std::min(in_hypothesis_[k], most_[k]);
    return sum;
  }

  int order_;
  HypothesisNgrams ngrams_;
  HypothesisNgrams::Occurrences in_hypothesis_, in_reference_, most_;
};

}  // namespace

void bleu_counts(const TokenArray& hypotheses, const TokenArray& references, const std::int64_t* reference_rows,
                 int order, int threads, std::int64_t* counts) {
  share_sentences(hypotheses.size, threads, [&](std::int64_t begin, std::int64_t end) {
    Counter counter(order);
    std::vector<TokenSpan> texts;
    for (std::int64_t i = begin; i < end; ++i) {
      texts.clear();
      for (std::int64_t r = reference_rows[i]; r < reference_rows[i + 1]; ++r) texts.push_back(references[r]);
      counter.fill(hypotheses[i], texts, counts + i * (3 + 2 * order));
    }
  });
}

}  // namespace gecbench
