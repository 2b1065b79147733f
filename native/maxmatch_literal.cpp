#include "maxmatch_literal.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace gecbench::maxmatch {

namespace {

constexpr double penalty = 0.001;

}  // namespace

// Arcs of length one in sorted order; those in both lattices are listed twice (docs/m2.md, B.3, B.4, B.12).
void LiteralMatcher::add_single_steps(Release release) {
    const Lattice& lattice = *lattice_;
    std::vector<std::vector<std::pair<std::int32_t, Step>>> steps(lattice.size());
    for (std::int32_t head = 0; head < lattice.size(); ++head)
        for (const Step* step = lattice.steps_begin(head); step != lattice.steps_end(head); ++step)
            steps[step->tail].emplace_back(head, *step);
    for (std::int32_t tail = 0; tail < lattice.size(); ++tail)
        for (const auto& [head, step] : steps[tail]) {
            Arc arc{tail, head, lattice.rows[tail], lattice.rows[head], 1, step.unchanged, step.unchanged == 1};
            if (release == Release::version_3_2 && arc.end == 0) arc.start = arc.end = lattice.columns[head] - 1;
            const auto index = static_cast<std::int32_t>(arcs_.size());
            arcs_.push_back(arc);
            list_.insert(list_.end(), step.copies, index);
            leaving_[tail].push_back(index);
            entering_[head].push_back(index);
        }
}

// Tries the edit `arc` followed by the step of `way`: the innermost body of the triple loop (docs/m2.md, B.5).
void LiteralMatcher::extend(std::int32_t arc_index, Way& way, std::int32_t max_unchanged_words) {
    const Arc arc = arcs_[arc_index], step = arcs_[way.arc];
    const auto& known = entering_[step.head];
    while (way.cursor < known.size() && arcs_[known[way.cursor]].tail < arc.tail)
        way.entering.push_back(known[way.cursor++]);
    const bool exists = way.cursor < known.size() && arcs_[known[way.cursor]].tail == arc.tail;
    const Arc merged{arc.tail,       step.head, arc.start, step.end, arc.length + 1, arc.unchanged + step.unchanged,
                     arc.keeps && step.keeps};
    if (merged.unchanged > max_unchanged_words) return;
    if (exists) {
        const std::int32_t index = known[way.cursor];
        if (merged.length >= arcs_[index].length) return;
        arcs_[index] = merged;
        list_.push_back(index);
    } else {
        const auto index = static_cast<std::int32_t>(arcs_.size());
        arcs_.push_back(merged);
        list_.push_back(index);
        way.entering.push_back(index);
    }
}

// The loops over i and j for one k; only arcs of length one leave k yet, and none enters it any more.
void LiteralMatcher::pass_through(std::int32_t vertex, std::int32_t max_unchanged_words) {
    const std::size_t count = leaving_[vertex].size();
    if (ways_.size() < count) ways_.resize(count);
    for (std::size_t index = 0; index < count; ++index) {
        ways_[index].arc = leaving_[vertex][index];
        ways_[index].cursor = 0;
        ways_[index].entering.clear();
    }
    for (const std::int32_t arc : entering_[vertex])
        for (std::size_t index = 0; index < count; ++index) extend(arc, ways_[index], max_unchanged_words);
    for (std::size_t index = 0; index < count; ++index) {
        Way& way = ways_[index];
        auto& known = entering_[arcs_[way.arc].head];
        way.entering.insert(way.entering.end(), known.begin() + static_cast<std::ptrdiff_t>(way.cursor), known.end());
        std::swap(known, way.entering);
    }
}

// Removes merged noops from the list that is being walked, which skips their successors (docs/m2.md, B.5).
// What goes is the first entry equal to the one in hand.
void LiteralMatcher::drop_merged_noops() {
    std::vector<std::int32_t> kept;
    std::vector<bool> was_kept(arcs_.size(), false);
    const auto keep = [&](std::int32_t arc) {
        kept.push_back(arc);
        was_kept[arc] = true;
    };
    for (std::size_t index = 0; index < list_.size(); ++index) {
        const std::int32_t arc = list_[index];
        if (!arcs_[arc].keeps || arcs_[arc].length == 1) {
            keep(arc);
            continue;
        }
        if (was_kept[arc]) {
            kept.erase(std::find(kept.begin(), kept.end(), arc));
            kept.push_back(arc);
        }
        if (++index < list_.size()) keep(list_[index]);
    }
    list_ = std::move(kept);
}

// Entries that unbroken insertions and deletions alone put into the list: every pair of vertices of such a run.
std::int64_t LiteralMatcher::least_entries() const {
    const Lattice& lattice = *lattice_;
    std::vector<std::int32_t> insertions(lattice.size(), 0), deletions(lattice.size(), 0);
    std::int64_t entries = 0;
    for (std::int32_t head = 1; head < lattice.size(); ++head)
        for (const Step* step = lattice.steps_begin(head); step != lattice.steps_end(head); ++step) {
            if (lattice.rows[step->tail] == lattice.rows[head])
                entries += insertions[head] = insertions[step->tail] + 1;
            else if (lattice.columns[step->tail] == lattice.columns[head])
                entries += deletions[head] = deletions[step->tail] + 1;
        }
    return entries;
}

bool LiteralMatcher::close(const Lattice& lattice, TokenSpan source, TokenSpan hypothesis,
                           std::int32_t max_unchanged_words, Release release, std::int64_t arc_limit) {
    lattice_ = &lattice;
    source_ = source, hypothesis_ = hypothesis;
    if (least_entries() > arc_limit) return false;
    arcs_.clear();
    list_.clear();
    entering_.assign(lattice.size(), {});
    leaving_.assign(lattice.size(), {});
    add_single_steps(release);
    for (std::int32_t vertex = 0; vertex < lattice.size(); ++vertex) {
        pass_through(vertex, max_unchanged_words);
        if (static_cast<std::int64_t>(list_.size()) > arc_limit) return false;
    }
    drop_merged_noops();
    return true;
}

// Same span, same original, and the correction is one of the alternatives (docs/m2.md, B.6).
bool LiteralMatcher::matches(const Arc& arc, const GoldEdits& golds, std::int32_t gold) const {
    if (arc.start != golds.start(gold) || arc.end != golds.end(gold) || !golds.is_inside(gold, source_.size))
        return false;
    const std::int32_t row = lattice_->rows[arc.tail], column = lattice_->columns[arc.tail];
    const TokenSpan original{source_.tokens + row, lattice_->rows[arc.head] - row};
    const TokenSpan correction{hypothesis_.tokens + column, lattice_->columns[arc.head] - column};
    return original == TokenSpan{source_.tokens + arc.start, arc.end - arc.start} && golds.accepts(gold, correction);
}

void LiteralMatcher::weigh_position(const GoldEdits& golds, std::int32_t position, double reward) {
    std::vector<std::pair<std::int32_t, std::int32_t>> arcs;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> index_of;
    for (const std::int32_t index : list_) {
        const Arc& arc = arcs_[index];
        if (arc.start != position || arc.end != position) continue;
        arcs.emplace_back(arc.tail, arc.head);
        index_of[arcs.back()] = index;
    }
    std::sort(arcs.begin(), arcs.end());
    std::vector<std::int32_t> here;
    for (std::int32_t gold = 0; gold < golds.size(); ++gold)
        if (golds.start(gold) == position && golds.end(gold) == position) here.push_back(gold);
    weigh_insertions(
        arcs, static_cast<std::int32_t>(here.size()), reward, penalty,
        [&](const auto& arc, std::int32_t gold) { return matches(arcs_[index_of[arc]], golds, here[gold]); },
        [&](const auto& arc) -> double& { return weights_[index_of[arc]]; });
}

// Weights for one annotator (docs/m2.md, B.6).
void LiteralMatcher::weigh(const GoldEdits& golds) {
    const double reward = -static_cast<double>(list_.size());
    std::map<std::int32_t, std::vector<std::int32_t>> golds_at;
    for (std::int32_t gold = 0; gold < golds.size(); ++gold) golds_at[golds.start(gold)].push_back(gold);
    std::vector<std::int8_t> is_matched(arcs_.size(), 0);
    weights_.resize(arcs_.size());
    std::vector<std::int32_t> positions;
    for (std::int32_t gold = 0; gold < golds.size(); ++gold)
        if (golds.start(gold) == golds.end(gold)) positions.push_back(golds.start(gold));
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    for (std::size_t index = 0; index < arcs_.size(); ++index) {
        const Arc& arc = arcs_[index];
        weights_[index] = arc.length;
        if (arc.start == arc.end) {
            is_matched[index] = std::binary_search(positions.begin(), positions.end(), arc.start) ? 2 : 0;
            continue;
        }
        const auto place = golds_at.find(arc.start);
        if (place == golds_at.end()) continue;
        for (const std::int32_t gold : place->second)
            if (matches(arc, golds, gold)) is_matched[index] = 1;
    }
    for (const std::int32_t index : list_) {
        if (is_matched[index] == 1)
            weights_[index] = reward;
        else if (is_matched[index] == 0 && !arcs_[index].keeps)
            weights_[index] += penalty;
    }
    for (const std::int32_t position : positions) weigh_position(golds, position, reward);
}

// Bellman-Ford in list order with strict improvement (docs/m2.md, B.7).
void LiteralMatcher::find_path(std::vector<std::int32_t>& path) const {
    const std::int32_t vertices = lattice_->size();
    std::vector<double> distance(vertices, std::numeric_limits<double>::infinity());
    std::vector<std::int32_t> previous(vertices, -1);
    distance[0] = 0.0;
    bool changed = true;
    for (std::int32_t sweep = 1; sweep < vertices && changed; ++sweep) {
        changed = false;
        for (const std::int32_t index : list_) {
            const Arc& arc = arcs_[index];
            const double total = distance[arc.tail] + weights_[index];
            if (total < distance[arc.head]) {
                distance[arc.head] = total;
                previous[arc.head] = index;
                changed = true;
            }
        }
    }
    path.clear();
    for (std::int32_t vertex = vertices - 1; vertex > 0; vertex = arcs_[path.back()].tail)
        path.push_back(previous[vertex]);
    std::reverse(path.begin(), path.end());
}

bool LiteralMatcher::is_dropped(const Arc& arc, const Spelling* spelling) const {
    return arc.keeps || (spelling != nullptr &&
                         spelling->folds_away(lattice_->rows[arc.tail], lattice_->rows[arc.head],
                                              lattice_->columns[arc.tail], lattice_->columns[arc.head]));
}

// Walks the proposed edits along the gold list, never stopping at a match (docs/m2.md, B.8).
Counts LiteralMatcher::match(const GoldEdits& golds, const Spelling* spelling, std::vector<PathEdit>& path) {
    weigh(golds);
    std::vector<std::int32_t> chosen;
    find_path(chosen);
    Counts counts{0, 0, golds.size()};
    path.clear();
    std::int32_t position = 0;
    for (const std::int32_t index : chosen) {
        const Arc& arc = arcs_[index];
        if (is_dropped(arc, spelling)) continue;
        path.push_back({lattice_->rows[arc.tail], lattice_->rows[arc.head], lattice_->columns[arc.tail],
                        lattice_->columns[arc.head]});
        ++counts.proposed;
        for (std::int32_t gold = position; gold < golds.size(); ++gold) {
            if (!matches(arc, golds, gold)) continue;
            ++counts.correct;
            position = gold + 1;
        }
    }
    return counts;
}

}  // namespace gecbench::maxmatch
