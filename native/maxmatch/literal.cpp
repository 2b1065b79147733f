#include "maxmatch/literal.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace gecbench::maxmatch {
namespace {

constexpr double kPenalty = 0.001;

}  // namespace

// Same span, same original, and the correction is one of the alternatives (docs/m2.md, B.6).
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

// Weights for one annotator (docs/m2.md, B.6).
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

// Bellman-Ford in list order with strict improvement (docs/m2.md, B.7).
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

bool LiteralMatcher::is_dropped(const Arc& arc, const Spelling* spelling) const {
  return arc.keeps ||
         (spelling != nullptr && spelling->folds_away(lattice_->rows[arc.tail], lattice_->rows[arc.head],
                                                      lattice_->columns[arc.tail], lattice_->columns[arc.head]));
}

// Walks the proposed edits along the gold list, never stopping at a match (docs/m2.md, B.8).
Counts LiteralMatcher::match(const ClosedSentence& sentence, const GoldEdits& golds, const Spelling* spelling,
                             std::vector<PathEdit>& path) {
  closure_ = &sentence.closure, lattice_ = &sentence.lattice;
  source_ = sentence.source, hypothesis_ = sentence.hypothesis;
  weigh(golds);  // B.6
  std::vector<std::int32_t> chosen;
  find_path(chosen);  // B.7
  Counts counts{0, 0, golds.size()};
  path.clear();
  std::int32_t position = 0;
  for (const std::int32_t index : chosen) {
    const Arc& arc = closure_->arcs()[index];
    if (is_dropped(arc, spelling)) continue;
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
