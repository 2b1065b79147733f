// The steps of the official program in their order: the arc list (§3-§5), weights (§6), path (§7), counts (§8).
#include "maxmatch/literal.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace gecbench::maxmatch {

namespace {

constexpr double kPenalty = 0.001;

// A lower bound of the length of the list: a run of insertions, or of deletions, has an entry for every pair of its
// vertices. A sentence that is certain to exceed the limit is given up at once.
std::int64_t least_entries(const Lattice& lattice) {
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

// Pairs the insertion arcs of one position with the gold insertions there (§6): a pointer from the left and one from
// the right take turns, changing sides after each miss. `arcs` is sorted, with duplicates.
template <typename Arc, typename Weight, typename IsMatch, typename WeightOf>
void weigh_insertions(const std::vector<Arc>& arcs, std::int32_t gold_count, Weight reward, Weight penalty,
                      IsMatch is_match, WeightOf weight_of) {
  std::int64_t left = 0, right = static_cast<std::int64_t>(arcs.size()) - 1;
  std::int32_t gold_left = 0, gold_right = gold_count - 1;
  bool at_left = true;
  while (left <= right) {
    if (left == right) at_left = true;
    const Arc arc = arcs[at_left ? left : right];
    std::int32_t gold = at_left ? gold_left : gold_right;
    while (gold_left <= gold && gold <= gold_right && !is_match(arc, gold)) gold += at_left ? 1 : -1;
    if (gold < gold_left || gold > gold_right) {
      weight_of(arc) += penalty;
      at_left ? ++left : --right;
      at_left = !at_left;
      continue;
    }
    weight_of(arc) = reward;
    if (at_left) {
      gold_left = gold + 1;
      for (++left; left < static_cast<std::int64_t>(arcs.size()) && arcs[left].first != arc.second; ++left)
        weight_of(arcs[left]) += penalty;
    } else {
      gold_right = gold - 1;
      for (--right; right >= 0 && arcs[right].second != arc.first; --right) weight_of(arcs[right]) += penalty;
    }
  }
}

}  // namespace

// The arc list

// Arcs of length one in sorted order; those in both lattices are listed twice (docs/metrics/m2.md §3, §4, §12).
void Closure::add_single_steps(const Lattice& lattice, Release release) {
  std::vector<std::vector<std::pair<std::int32_t, Step>>> steps(lattice.size());
  for (std::int32_t head = 0; head < lattice.size(); ++head)
    for (const Step* step = lattice.steps_begin(head); step != lattice.steps_end(head); ++step)
      steps[step->tail].emplace_back(head, *step);
  for (std::int32_t tail = 0; tail < lattice.size(); ++tail)
    for (const auto& [head, step] : steps[tail]) {
      Arc arc{tail, head, lattice.rows[tail], lattice.rows[head], 1, step.unchanged, step.unchanged == 1};
      if (release == Release::kVersion32 && arc.end == 0) arc.start = arc.end = lattice.columns[head] - 1;
      const auto index = static_cast<std::int32_t>(arcs_.size());
      arcs_.push_back(arc);
      list_.insert(list_.end(), step.copies, index);
      leaving_[tail].push_back(index);
      entering_[head].push_back(index);
    }
}

// Tries the edit `arc` followed by the step of `way`: the innermost body of the triple loop (docs/metrics/m2.md §5).
void Closure::extend(std::int32_t arc_index, Way& way, std::int32_t max_unchanged_words) {
  const Arc arc = arcs_[arc_index], step = arcs_[way.arc];
  const auto& known = entering_[step.head];
  while (way.cursor < known.size() && arcs_[known[way.cursor]].tail < arc.tail)
    way.entering.push_back(known[way.cursor++]);
  const bool exists = way.cursor < known.size() && arcs_[known[way.cursor]].tail == arc.tail;
  const Arc merged{arc.tail,
                   step.head,
                   arc.start,
                   step.end,
                   arc.length + 1,
                   arc.unchanged + step.unchanged,
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

// The official loops over tails and heads for one middle vertex. At that time only arcs of length one leave it, since
// longer ones from it need later middle vertices, and all arcs that enter it are known. So it is enough to join each
// entering arc with each leaving step; `entering_` stays sorted by tail, which is the program's order.
void Closure::pass_through(std::int32_t vertex, std::int32_t max_unchanged_words) {
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

// Removes merged noops as the program does: while it loops over the list, so that the arc after each removed arc is
// skipped (docs/metrics/m2.md §5). Like list.remove, it removes the first entry that equals the current one.
void Closure::drop_merged_noops() {
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

bool Closure::build(const Lattice& lattice, std::int32_t max_unchanged_words, const Options& options) {
  if (least_entries(lattice) > options.arc_limit) return false;
  arcs_.clear();
  list_.clear();
  entering_.assign(lattice.size(), {});
  leaving_.assign(lattice.size(), {});
  add_single_steps(lattice, options.release);                         // §3, §4
  for (std::int32_t vertex = 0; vertex < lattice.size(); ++vertex) {  // §5
    pass_through(vertex, max_unchanged_words);
    if (static_cast<std::int64_t>(list_.size()) > options.arc_limit) return false;
  }
  drop_merged_noops();
  return true;
}

// Weights, path and counts

// Same span, same original, and the correction is one of the alternatives (docs/metrics/m2.md §6).
bool LiteralMatcher::matches(const Arc& arc, const GoldEdits& golds, std::int32_t gold) const {
  if (arc.start != golds.start(gold) || arc.end != golds.end(gold) || !golds.is_inside(gold, source_.size))
    return false;
  const std::int32_t row = lattice_->rows[arc.tail], column = lattice_->columns[arc.tail];
  const TokenSpan original{source_.data + row, lattice_->rows[arc.head] - row};
  const TokenSpan correction{hypothesis_.data + column, lattice_->columns[arc.head] - column};
  return original == TokenSpan{source_.data + arc.start, arc.end - arc.start} && golds.accepts(gold, correction);
}

void LiteralMatcher::weigh_position(const GoldEdits& golds, std::int32_t position, double reward) {
  std::vector<std::pair<std::int32_t, std::int32_t>> arcs;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> index_of;
  for (const std::int32_t index : closure_->list()) {
    const Arc& arc = closure_->arcs()[index];
    if (arc.start != position || arc.end != position) continue;
    arcs.emplace_back(arc.tail, arc.head);
    index_of[arcs.back()] = index;
  }
  std::sort(arcs.begin(), arcs.end());
  std::vector<std::int32_t> here;
  for (std::int32_t gold = 0; gold < golds.size(); ++gold)
    if (golds.start(gold) == position && golds.end(gold) == position) here.push_back(gold);
  weigh_insertions(
      arcs, static_cast<std::int32_t>(here.size()), reward, kPenalty,
      [&](const auto& arc, std::int32_t gold) { return matches(closure_->arcs()[index_of[arc]], golds, here[gold]); },
      [&](const auto& arc) -> double& { return weights_[index_of[arc]]; });
}

// Weights for one annotator (docs/metrics/m2.md §6).
void LiteralMatcher::weigh(const GoldEdits& golds) {
  const double reward = -static_cast<double>(closure_->list().size());
  std::map<std::int32_t, std::vector<std::int32_t>> golds_at;
  for (std::int32_t gold = 0; gold < golds.size(); ++gold) golds_at[golds.start(gold)].push_back(gold);
  std::vector<std::int8_t> is_matched(closure_->arcs().size(), 0);
  weights_.resize(closure_->arcs().size());
  std::vector<std::int32_t> positions;
  for (std::int32_t gold = 0; gold < golds.size(); ++gold)
    if (golds.start(gold) == golds.end(gold)) positions.push_back(golds.start(gold));
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  for (std::size_t index = 0; index < closure_->arcs().size(); ++index) {
    const Arc& arc = closure_->arcs()[index];
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
  for (const std::int32_t index : closure_->list()) {
    if (is_matched[index] == 1)
      weights_[index] = reward;
    else if (is_matched[index] == 0 && !closure_->arcs()[index].keeps)
      weights_[index] += kPenalty;
  }
  for (const std::int32_t position : positions) weigh_position(golds, position, reward);
}

// Bellman-Ford in list order with strict improvement (§7). It stops after a sweep without change; further sweeps would
// change nothing either.
void LiteralMatcher::find_path(std::vector<std::int32_t>& path) const {
  const std::int32_t vertices = lattice_->size();
  std::vector<double> distance(vertices, std::numeric_limits<double>::infinity());
  std::vector<std::int32_t> previous(vertices, -1);
  distance[0] = 0.0;
  bool changed = true;
  for (std::int32_t sweep = 1; sweep < vertices && changed; ++sweep) {
    changed = false;
    for (const std::int32_t index : closure_->list()) {
      const Arc& arc = closure_->arcs()[index];
      const double total = distance[arc.tail] + weights_[index];
      if (total < distance[arc.head]) {
        distance[arc.head] = total;
        previous[arc.head] = index;
        changed = true;
      }
    }
  }
  path.clear();
  for (std::int32_t vertex = vertices - 1; vertex > 0; vertex = closure_->arcs()[path.back()].tail)
    path.push_back(previous[vertex]);
  std::reverse(path.begin(), path.end());
}

bool LiteralMatcher::is_dropped(const Arc& arc, const FoldedCharacters* folded) const {
  return arc.keeps ||
         (folded != nullptr && folded->are_equal(lattice_->rows[arc.tail], lattice_->rows[arc.head],
                                                 lattice_->columns[arc.tail], lattice_->columns[arc.head]));
}

// Counts matches in the gold list from left to right; one edit can match several (docs/metrics/m2.md §8).
Counts LiteralMatcher::match(const ClosedSentence& sentence, const GoldEdits& golds, const FoldedCharacters* folded,
                             std::vector<PathEdit>& path) {
  closure_ = &sentence.closure, lattice_ = &sentence.lattice;
  source_ = sentence.source, hypothesis_ = sentence.hypothesis;
  weigh(golds);  // §6
  std::vector<std::int32_t> chosen;
  find_path(chosen);  // §7
  Counts counts{0, 0, golds.size()};
  path.clear();
  std::int32_t position = 0;
  for (const std::int32_t index : chosen) {
    const Arc& arc = closure_->arcs()[index];
    if (is_dropped(arc, folded)) continue;
    path.push_back(
        {lattice_->rows[arc.tail], lattice_->rows[arc.head], lattice_->columns[arc.tail], lattice_->columns[arc.head]});
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
