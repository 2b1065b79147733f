#include "maxmatch.hpp"

#include <algorithm>

#include "maxmatch_literal.hpp"

namespace gecbench::maxmatch {

bool operator==(TokenSpan left, TokenSpan right) {
    return left.size == right.size && std::equal(left.tokens, left.tokens + left.size, right.tokens);
}

bool operator<(TokenSpan left, TokenSpan right) {
    return std::lexicographical_compare(left.tokens, left.tokens + left.size, right.tokens,
                                        right.tokens + right.size);
}

bool GoldEdits::accepts(std::int32_t index, TokenSpan correction) const {
    for (std::int64_t text = alternatives_begin(index); text < alternatives_end(index); ++text)
        if (edits->corrections[text] == correction) return true;
    return false;
}

namespace {

// Works through sentences one after another; its memory is reused, and lattice and closure serve all annotators.
class SentenceMatcher {
public:
    explicit SentenceMatcher(const Settings& settings) : settings_(settings) {}

    void start(TokenSpan source, TokenSpan hypothesis) {
        source_ = source, hypothesis_ = hypothesis;
        limit_ = static_cast<std::int32_t>(std::min<std::int64_t>(settings_.max_unchanged_words, source.size));
        has_lattice_ = false;
        closure_ = Closure::unknown;
    }

    Counts match(const GoldEdits& golds, std::int8_t& settled, std::vector<PathEdit>* path) {
        settled = fast;
        if (source_ == hypothesis_) return {0, 0, golds.size()};
        prepare();
        const GoldArcs& arcs = gold_arcs_.find(lattice_, source_, hypothesis_, golds, limit_);
        search_.run(lattice_, golds, arcs, limit_, spelling());
        const bool moved = settings_.release == Release::version_3_2 && lattice_.row_offsets[1] > 2;
        if (moved || !search_.is_official()) {
            if (close()) {
                settled = literal;
                return literal_.match(golds, spelling(), path == nullptr ? scratch_ : *path);
            }
            settled = too_large;
        }
        if (path != nullptr) search_.edits(*path);
        return search_.counts();
    }

    // By the literal algorithm wherever it fits, so that the path too is the official one.
    Counts match_officially(const GoldEdits& golds, std::int8_t& settled, std::vector<PathEdit>& path) {
        prepare();
        if (!close()) return match(golds, settled, &path);
        settled = literal;
        return literal_.match(golds, spelling(), path);
    }

private:
    enum class Closure { unknown, built, too_large };

    void prepare() {
        if (has_lattice_) return;
        lattice_.build(source_, hypothesis_);
        if (settings_.folded != nullptr) spelling_.spell(source_, hypothesis_, *settings_.folded);
        has_lattice_ = true;
    }

    bool close() {
        if (closure_ == Closure::unknown) {
            const bool built = literal_.close(lattice_, source_, hypothesis_, limit_, settings_.release,
                                              settings_.arc_limit);
            closure_ = built ? Closure::built : Closure::too_large;
        }
        return closure_ == Closure::built;
    }

    const Spelling* spelling() const { return settings_.folded == nullptr ? nullptr : &spelling_; }

    const Settings settings_;
    TokenSpan source_, hypothesis_;
    std::int32_t limit_ = 0;
    bool has_lattice_ = false;
    Closure closure_ = Closure::unknown;
    Lattice lattice_;
    Spelling spelling_;
    GoldArcFinder gold_arcs_;
    PathSearch search_;
    LiteralMatcher literal_;
    std::vector<PathEdit> scratch_;
};

}  // namespace

void match_corpus(const Corpus& corpus, const Settings& settings, Counts* counts, std::int8_t* settled) {
    SentenceMatcher matcher(settings);
    for (std::int64_t sentence = 0; sentence < corpus.sentences; ++sentence) {
        matcher.start(corpus.sources[sentence], corpus.hypotheses[sentence]);
        for (std::int64_t row = corpus.annotator_offsets[sentence]; row < corpus.annotator_offsets[sentence + 1]; ++row) {
            const GoldEdits golds{&corpus.edits, corpus.edit_offsets[row], corpus.edit_offsets[row + 1]};
            counts[row] = matcher.match(golds, settled[row], nullptr);
        }
    }
}

Counts match_sentence(TokenSpan source, TokenSpan hypothesis, const GoldEdits& golds, const Settings& settings,
                      std::int8_t& settled, std::vector<PathEdit>& path) {
    SentenceMatcher matcher(settings);
    matcher.start(source, hypothesis);
    return matcher.match_officially(golds, settled, path);
}

Counts greedy_walk(const Counts* counts, const std::int64_t* annotator_offsets, double beta_squared,
                   const std::int32_t* sentences, std::int64_t size, std::int64_t* chosen) {
    Counts totals;
    for (std::int64_t place = 0; place < size; ++place) {
        const std::int64_t sentence = sentences == nullptr ? place : sentences[place];
        std::int64_t best = -1;
        double best_score = 0.0, best_size = 0.0;
        Counts best_totals = totals;
        for (std::int64_t row = annotator_offsets[sentence]; row < annotator_offsets[sentence + 1]; ++row) {
            const Counts next{totals.correct + counts[row].correct, totals.proposed + counts[row].proposed,
                              totals.gold + counts[row].gold};
            const double weighted_gold = beta_squared * static_cast<double>(next.gold);
            const double next_size = weighted_gold + static_cast<double>(next.proposed);
            const double weighted_correct = (1.0 + beta_squared) * static_cast<double>(next.correct);
            const double score = next_size == 0.0 ? 1.0 : weighted_correct / next_size;
            const bool better =
                best < 0 || score > best_score ||
                (score == best_score && (next.correct > best_totals.correct ||
                                         (next.correct == best_totals.correct && next_size < best_size)));
            if (!better) continue;
            best = row, best_score = score, best_size = next_size, best_totals = next;
        }
        totals = best_totals;
        if (chosen != nullptr) chosen[place] = best;
    }
    return totals;
}

}  // namespace gecbench::maxmatch
