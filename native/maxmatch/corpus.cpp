// Chooses between the fast and the literal algorithm, and runs sentences on several threads.
#include "maxmatch/corpus.hpp"

#include "maxmatch/literal.hpp"
#include "threads.hpp"

namespace gecbench::maxmatch {
namespace {

// Matches sentences one after another, reusing memory. All annotators of a sentence share its lattice and arc list.
class SentenceMatcher {
 public:
  explicit SentenceMatcher(const Options& options) : options_(options) {}

  void start(TokenSpan source, TokenSpan hypothesis) {
    source_ = source, hypothesis_ = hypothesis;
    limit_ = std::min(options_.max_unchanged_words, source.size);
    has_lattice_ = false;
    state_ = State::kUnknown;
  }

  Counts match(const GoldEdits& golds, std::int8_t& settled, std::vector<PathEdit>* path) {
    settled = kFast;
    if (source_ == hypothesis_) return {0, 0, golds.size()};
    prepare();  // §3, §4
    const std::int32_t limit = std::max(limit_, 0);
    const GoldArcs& arcs = gold_arcs_.find(lattice_, source_, hypothesis_, golds, limit);  // §5, §6
    search_.run(lattice_, golds, arcs, limit, folded());                                   // §7, §8
    // Release 3.2 gives insertions before the first token other spans than master (§12).
    const bool moved = options_.release == Release::kVersion32 && lattice_.row_offsets[1] > 2;
    if (limit_ < 0 || moved || !search_.is_official()) {
      if (close()) {
        settled = kLiteral;
        return literal_.match({closure_, lattice_, source_, hypothesis_}, golds, folded(),
                              path == nullptr ? scratch_ : *path);
      }
      settled = kTooLarge;
    }
    if (path != nullptr) search_.edits(*path);
    return search_.counts();
  }

  // Uses the literal algorithm unless its list is too long, so that the path is the official one, not only the counts.
  Counts match_officially(const GoldEdits& golds, std::int8_t& settled, std::vector<PathEdit>& path) {
    prepare();
    if (!close()) return match(golds, settled, &path);
    settled = kLiteral;
    return literal_.match({closure_, lattice_, source_, hypothesis_}, golds, folded(), path);
  }

 private:
  enum class State { kUnknown, kBuilt, kTooLarge };

  void prepare() {
    if (has_lattice_) return;
    lattice_.build(source_, hypothesis_);
    if (options_.folds) folded_.fill(source_, hypothesis_, options_.folded);
    has_lattice_ = true;
  }

  bool close() {
    if (state_ == State::kUnknown) {
      state_ = closure_.build(lattice_, limit_, options_) ? State::kBuilt : State::kTooLarge;
    }
    return state_ == State::kBuilt;
  }

  const FoldedCharacters* folded() const { return options_.folds ? &folded_ : nullptr; }

  const Options& options_;
  TokenSpan source_, hypothesis_;
  std::int32_t limit_ = 0;
  bool has_lattice_ = false;
  State state_ = State::kUnknown;  // of closure_
  Lattice lattice_;
  FoldedCharacters folded_;
  GoldArcFinder gold_arcs_;
  PathSearch search_;
  Closure closure_;
  LiteralMatcher literal_;
  std::vector<PathEdit> scratch_;
};

}  // namespace

void match_corpus(const Corpus& corpus, const Options& options, int threads, std::int64_t* counts,
                  std::int8_t* settled) {
  const GoldArrays& gold = corpus.gold;
  share_sentences(corpus.sources.size, threads, [&](std::int64_t begin, std::int64_t end) {
    SentenceMatcher matcher(options);
    for (std::int64_t sentence = begin; sentence < end; ++sentence) {
      matcher.start(corpus.sources[sentence], corpus.hypotheses[sentence]);
      for (std::int64_t row = gold.annotator_offsets[sentence]; row < gold.annotator_offsets[sentence + 1]; ++row) {
        look_for_stop();
        const Counts found = matcher.match(GoldEdits(gold, row), settled[row], nullptr);
        counts[3 * row] = found.correct;
        counts[3 * row + 1] = found.proposed;
        counts[3 * row + 2] = found.gold;
      }
    }
  });
}

Counts match_sentence(const Corpus& corpus, const Options& options, std::int8_t& settled, std::vector<PathEdit>& path) {
  SentenceMatcher matcher(options);
  matcher.start(corpus.sources[0], corpus.hypotheses[0]);
  return matcher.match_officially(GoldEdits(corpus.gold, 0), settled, path);
}

}  // namespace gecbench::maxmatch
