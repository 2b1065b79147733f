#include "maxmatch/path.hpp"

#include <algorithm>

namespace gecbench::maxmatch {

namespace {

constexpr std::int64_t kUnreached = std::int64_t{1} << 62;

bool operator!=(const Tally& left, const Tally& right) {
  return left.proposed != right.proposed || left.correct != right.correct || left.position != right.position;
}

void spell_tokens(TokenSpan tokens, const TokenArray& folded, std::vector<std::int32_t>& characters,
                  std::vector<std::int64_t>& offsets) {
  characters.clear();
  offsets.assign(1, 0);
  for (std::int64_t index = 0; index < tokens.size; ++index) {
    const TokenSpan token = folded[tokens[index]];
    characters.insert(characters.end(), token.data, token.data + token.size);
    offsets.push_back(static_cast<std::int64_t>(characters.size()));
  }
}

}  // namespace

void Spelling::spell(TokenSpan source, TokenSpan hypothesis, const TokenArray& folded) {
  spell_tokens(source, folded, source_, source_offsets_);
  spell_tokens(hypothesis, folded, hypothesis_, hypothesis_offsets_);
}

bool Spelling::folds_away(std::int32_t row, std::int32_t last_row, std::int32_t column,
                          std::int32_t last_column) const {
  const std::int64_t original = source_offsets_[row], correction = hypothesis_offsets_[column];
  const std::int64_t size = source_offsets_[last_row] - original;
  return size == hypothesis_offsets_[last_column] - correction &&
         std::equal(source_.data() + original, source_.data() + original + size, hypothesis_.data() + correction);
}

bool PathSearch::folds_away(std::int32_t tail, std::int32_t head) const {
  return spelling_ != nullptr && spelling_->folds_away(lattice_->rows[tail], lattice_->rows[head],
                                                       lattice_->columns[tail], lattice_->columns[head]);
}

// Moves the gold position over edits that begin before `row`: no later arc can match them.
Tally PathSearch::settle(Tally tally, std::int32_t row) const {
  if (in_order_) {
    tally.position = std::max(tally.position, first_gold_of_row_[row]);
  } else {
    while (tally.position < golds_->size() && golds_->start(tally.position) < row) ++tally.position;
  }
  return tally;
}

Tally PathSearch::propose(Tally tally, std::int32_t tail, std::int32_t head) const {
  if (!folds_away(tail, head)) ++tally.proposed;
  return settle(tally, lattice_->rows[head]);
}

// An edit that agrees with gold edits is credited for all of them from the position on (docs/m2.md, B.8).
Tally PathSearch::match(Tally tally, const GoldArc& arc) const {
  if (!folds_away(arc.tail, arc.head)) {
    ++tally.proposed;
    for (std::int32_t index = arc.golds_begin; index < arc.golds_end; ++index) {
      if (arcs_->group_golds[index] < tally.position) continue;
      ++tally.correct;
      tally.position = arcs_->group_golds[index] + 1;
    }
  }
  return settle(tally, lattice_->rows[arc.head]);
}

void PathSearch::close_at(std::int32_t vertex) {
  Closed best{kUnreached, {}, -1, false, kKeep};
  const auto offer = [&best](std::int64_t cost, const Tally& tally, bool tied, std::int32_t tail, Kind kind) {
    if (cost < best.cost)
      best = {cost, tally, tail, tied, kind};
    else
      best.tied = best.tied || tied || best.tally != tally;
  };
  for (const Step* step = lattice_->steps_begin(vertex); step != lattice_->steps_end(vertex); ++step) {
    const Closed& before = closed_[step->tail];
    const std::int64_t cost = before.cost + kStepCost + (step->unchanged ? 0 : step->copies);
    if (cost <= best.cost) {
      const Tally tally =
          step->unchanged ? settle(before.tally, lattice_->rows[vertex]) : propose(before.tally, step->tail, vertex);
      offer(cost, tally, before.tied, step->tail, step->unchanged ? kKeep : kSingle);
    }
    const Open* way = ways(step->tail);
    for (const Open* end = way + limit_ + 1 - step->unchanged; way < end; ++way)
      if (way->cost + kStepCost <= best.cost)
        offer(way->cost + kStepCost, propose(closed_[way->start].tally, way->start, vertex), way->tied, way->start,
              kMerged);
  }
  for (; next_arc_ < arcs_->arcs.size() && arcs_->arcs[next_arc_].head == vertex; ++next_arc_) {
    const GoldArc& arc = arcs_->arcs[next_arc_];
    const Closed& before = closed_[arc.tail];
    if (before.cost + arc.cost <= best.cost)
      offer(before.cost + arc.cost, match(before.tally, arc), before.tied, arc.tail, kAgreed);
  }
  closed_[vertex] = best;
}

// The lighter way; equally light ones are tied unless they must end with equal counts.
void PathSearch::improve(Open& best, Open way, std::int32_t vertex) const {
  if (way.cost != best.cost) {
    if (way.cost < best.cost) best = way;
    return;
  }
  best.tied = best.tied || way.tied;
  if (best.tied || best.start == way.start) return;
  const std::int32_t row = lattice_->rows[vertex];
  best.tied = spelling_ != nullptr || settle(closed_[best.start].tally, row) != settle(closed_[way.start].tally, row);
}

void PathSearch::open_at(std::int32_t vertex) {
  Open* const here = ways(vertex);
  for (std::int32_t words = 0; words <= limit_; ++words) here[words] = {kUnreached, -1, false};
  for (const Step* step = lattice_->steps_begin(vertex); step != lattice_->steps_end(vertex); ++step) {
    const Closed& before = closed_[step->tail];
    if (step->unchanged <= limit_)
      improve(here[step->unchanged], {before.cost + kStepCost + 1, step->tail, before.tied}, vertex);
    const Open* const inside = ways(step->tail);
    for (std::int32_t words = 0; words + step->unchanged <= limit_; ++words)
      if (inside[words].start >= 0)
        improve(here[words + step->unchanged],
                {inside[words].cost + kStepCost, inside[words].start, inside[words].tied}, vertex);
  }
}

void PathSearch::run(const Lattice& lattice, const GoldEdits& golds, const GoldArcs& arcs,
                     std::int32_t max_unchanged_words, const Spelling* spelling) {
  lattice_ = &lattice, golds_ = &golds, arcs_ = &arcs, spelling_ = spelling;
  limit_ = max_unchanged_words;
  next_arc_ = 0;
  in_order_ = true;
  for (std::int32_t gold = 1; gold < golds.size(); ++gold)
    in_order_ = in_order_ && golds.start(gold - 1) <= golds.start(gold);
  first_gold_of_row_.clear();
  for (std::int32_t row = 0, gold = 0; in_order_ && row <= lattice.rows.back(); ++row) {
    while (gold < golds.size() && golds.start(gold) < row) ++gold;
    first_gold_of_row_.push_back(gold);
  }
  closed_.resize(lattice.size());
  open_.resize(std::size_t(lattice.size()) * (limit_ + 1));
  closed_[0] = {0, settle({}, 0), -1, false, kKeep};
  std::fill_n(ways(0), limit_ + 1, Open{kUnreached, -1, false});
  for (std::int32_t vertex = 1; vertex < lattice.size(); ++vertex) {
    close_at(vertex);
    open_at(vertex);
  }
}

bool PathSearch::is_official() {
  if (closed_[lattice_->size() - 1].tied || !arcs_->certain) return false;
  for (std::int32_t head = lattice_->size() - 1, tail = 0; head > 0; head = tail) {
    const Closed& label = closed_[head];
    tail = label.tail;
    const std::int64_t cost = label.cost - closed_[tail].cost;
    const bool is_insertion = lattice_->rows[tail] == lattice_->rows[head];
    const InsertionPairing* pairing = is_insertion ? arcs_->pairing(lattice_->rows[tail]) : nullptr;
    if (pairing != nullptr && pairing->cost(tail, head) != cost) return false;
    if (label.kind == kMerged) {
      const Merged* arc = arc_finder_.find(*lattice_, tail, head, limit_);
      if (arc == nullptr || arc->keeps || arc->length * kStepCost + arc->entries != cost) return false;
    }
  }
  return true;
}

Counts PathSearch::counts() const {
  const Tally& tally = closed_[lattice_->size() - 1].tally;
  return {tally.correct, tally.proposed, golds_->size()};
}

void PathSearch::edits(std::vector<PathEdit>& path) const {
  path.clear();
  for (std::int32_t head = lattice_->size() - 1; head > 0; head = closed_[head].tail) {
    const std::int32_t tail = closed_[head].tail;
    if (closed_[head].kind != kKeep && !folds_away(tail, head))
      path.push_back({lattice_->rows[tail], lattice_->rows[head], lattice_->columns[tail], lattice_->columns[head]});
  }
  std::reverse(path.begin(), path.end());
}

}  // namespace gecbench::maxmatch
