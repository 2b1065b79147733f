// The official algorithm with its lists, their order and its floating-point sums (docs/m2.md, B.5-B.8, B.12).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "maxmatch_lattice.hpp"
#include "maxmatch_path.hpp"

namespace gecbench::maxmatch {

class LiteralMatcher {
public:
    // Builds the arc list of a sentence; false once it outgrows `arc_limit`.
    bool close(const Lattice& lattice, TokenSpan source, TokenSpan hypothesis, std::int32_t max_unchanged_words,
               Release release, std::int64_t arc_limit);

    // Counts for one annotator; `spelling` may be null.
    Counts match(const GoldEdits& golds, const Spelling* spelling, std::vector<PathEdit>& path);

private:
    struct Arc {
        std::int32_t tail, head;
        std::int32_t start, end;  // source span of the edit; not that of the vertices in release 3.2 (docs/m2.md, B.12)
        std::int32_t length;
        std::int32_t unchanged;
        bool keeps;
    };
    struct Way {  // an arc of length one that leaves the vertex in hand
        std::int32_t arc;
        std::size_t cursor;
        std::vector<std::int32_t> entering;
    };

    std::int64_t least_entries() const;
    void add_single_steps(Release release);
    void pass_through(std::int32_t vertex, std::int32_t max_unchanged_words);
    void extend(std::int32_t arc, Way& way, std::int32_t max_unchanged_words);
    void drop_merged_noops();
    void weigh(const GoldEdits& golds);
    void weigh_position(const GoldEdits& golds, std::int32_t position, double reward);
    void find_path(std::vector<std::int32_t>& path) const;
    bool matches(const Arc& arc, const GoldEdits& golds, std::int32_t gold) const;
    bool is_dropped(const Arc& arc, const Spelling* spelling) const;

    const Lattice* lattice_ = nullptr;
    TokenSpan source_, hypothesis_;
    std::vector<Arc> arcs_;
    std::vector<std::int32_t> list_;  // the official arc list: indexes into arcs_, with duplicates
    std::vector<std::vector<std::int32_t>> entering_, leaving_;
    std::vector<Way> ways_;
    std::vector<double> weights_;
};

}  // namespace gecbench::maxmatch
