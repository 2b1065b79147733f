// MaxMatch (M2): counts per sentence and annotator, equal to the official scorer's (docs/m2.md, B.3-B.9).
#pragma once

#include <cstdint>
#include <vector>

namespace gecbench::maxmatch {

struct TokenSpan {
    const std::int32_t* tokens = nullptr;
    std::int64_t size = 0;

    std::int32_t operator[](std::int64_t index) const { return tokens[index]; }
};

bool operator==(TokenSpan left, TokenSpan right);
bool operator<(TokenSpan left, TokenSpan right);

// n token sequences, one after another; sequence i is ids[offsets[i]:offsets[i + 1]].
struct TokenArray {
    const std::int32_t* ids = nullptr;
    const std::int64_t* offsets = nullptr;

    TokenSpan operator[](std::int64_t index) const {
        return {ids + offsets[index], offsets[index + 1] - offsets[index]};
    }
};

// Gold edits, flat: edit e corrects the source span [starts[e], ends[e]) into one of the token sequences
// corrections[alternative_offsets[e]] ... corrections[alternative_offsets[e + 1] - 1].
struct EditArray {
    const std::int32_t* starts = nullptr;
    const std::int32_t* ends = nullptr;
    const std::int64_t* alternative_offsets = nullptr;
    TokenArray corrections;
};

// The edits [first, last) of an EditArray: what one annotator wrote for one sentence, in file order.
struct GoldEdits {
    const EditArray* edits = nullptr;
    std::int64_t first = 0;
    std::int64_t last = 0;

    std::int32_t size() const { return static_cast<std::int32_t>(last - first); }
    std::int32_t start(std::int32_t index) const { return edits->starts[first + index]; }
    std::int32_t end(std::int32_t index) const { return edits->ends[first + index]; }
    std::int64_t alternatives_begin(std::int32_t index) const { return edits->alternative_offsets[first + index]; }
    std::int64_t alternatives_end(std::int32_t index) const { return edits->alternative_offsets[first + index + 1]; }
    bool is_inside(std::int32_t index, std::int64_t source_size) const {
        return 0 <= start(index) && start(index) <= end(index) && end(index) <= source_size;
    }
    bool accepts(std::int32_t index, TokenSpan correction) const;
};

enum class Release { master, version_3_2 };

enum Settled : std::int8_t { fast = 0, literal = 1, too_large = 2 };

constexpr std::int64_t default_arc_limit = 1'000'000;

struct Settings {
    std::int32_t max_unchanged_words = 2;
    Release release = Release::master;
    std::int64_t arc_limit = default_arc_limit;
    const TokenArray* folded = nullptr;  // lower-cased characters of every token id, or none
};

struct Counts {
    std::int64_t correct = 0;
    std::int64_t proposed = 0;
    std::int64_t gold = 0;
};

struct PathEdit {
    std::int32_t start, end, hypothesis_start, hypothesis_end;
};

struct Corpus {
    std::int64_t sentences = 0;
    TokenArray sources;
    TokenArray hypotheses;
    const std::int64_t* annotator_offsets = nullptr;
    const std::int64_t* edit_offsets = nullptr;
    EditArray edits;
};

// Fills one Counts and one Settled per row (annotator of a sentence).
void match_corpus(const Corpus& corpus, const Settings& settings, Counts* counts, std::int8_t* settled);

// One sentence and annotator with the edits of the official path.
Counts match_sentence(TokenSpan source, TokenSpan hypothesis, const GoldEdits& golds, const Settings& settings,
                      std::int8_t& settled, std::vector<PathEdit>& path);

// Greedy choice of annotator on running totals along `sentences` (docs/m2.md, B.9); `chosen` may be null.
Counts greedy_walk(const Counts* counts, const std::int64_t* annotator_offsets, double beta_squared,
                   const std::int32_t* sentences, std::int64_t size, std::int64_t* chosen);

}  // namespace gecbench::maxmatch
