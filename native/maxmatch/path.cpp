// See path.hpp for how this differs from the official program and why the counts are the same.
#include "maxmatch/path.hpp"

#include <algorithm>
#include <tuple>

namespace gecbench::maxmatch {

namespace {

constexpr std::int64_t kUnreached = std::int64_t{1} << 62;

bool operator!=(const Tally& left, const Tally& right) {
  return left.proposed != right.proposed || left.correct != right.correct || left.position != right.position;
}

bool starts_with(TokenSpan tokens, std::int64_t position, TokenSpan text) {
  return position + text.size <= tokens.size && std::equal(text.data, text.data + text.size, tokens.data + position);
}

void append_characters(TokenSpan tokens, const TokenArray& folded, std::vector<std::int32_t>& characters,
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

// Insertions at one position

void find_insertion_runs(const Lattice& lattice, std::int32_t row,
                         std::vector<std::pair<std::int32_t, std::int32_t>>& runs) {
  runs.clear();
  std::int32_t first = lattice.row_offsets[row];
  for (std::int32_t vertex = first + 1; vertex <= lattice.row_offsets[row + 1]; ++vertex) {
    if (vertex < lattice.row_offsets[row + 1] && lattice.step_counts[vertex] > 0 &&
        (lattice.steps_end(vertex) - 1)->tail == vertex - 1)
      continue;
    if (vertex - 1 > first) runs.emplace_back(first, vertex - 1);
    first = vertex;
  }
}

InsertionPairing::InsertionPairing(const Lattice& lattice, std::int32_t row, const std::vector<AgreeingArc>& agreeing)
    : lattice_(&lattice), row_(row), first_vertex_(lattice.row_offsets[row]) {
  number_places();
  for (const AgreeingArc& arc : agreeing) {
    const auto [first, last] = entries(arc.tail, arc.head);
    agreeing_.push_back({first, last, arc});
    gold_right_ = std::max(gold_right_, *(arc.golds_end - 1));
  }
  std::sort(agreeing_.begin(), agreeing_.end(),
            [](const Listed& one, const Listed& other) { return one.first < other.first; });
  right_ = places_.back() - 1;
  walk();
}

// Finds the place of each tail's first entry in the sorted list. A tail has one entry for each head; a single step has
// an entry for each lattice that has it.
void InsertionPairing::number_places() {
  const std::int32_t size = lattice_->row_offsets[row_ + 1] - first_vertex_;
  run_ends_.resize(size);
  for (std::int32_t offset = 0; offset < size; ++offset) run_ends_[offset] = first_vertex_ + offset;
  std::vector<std::pair<std::int32_t, std::int32_t>> runs;
  find_insertion_runs(*lattice_, row_, runs);
  for (const auto& [first, last] : runs)
    std::fill(run_ends_.begin() + (first - first_vertex_), run_ends_.begin() + (last - first_vertex_) + 1, last);
  places_.assign(size + 1, 0);
  for (std::int32_t offset = 0; offset < size; ++offset) {
    const std::int32_t vertex = first_vertex_ + offset, rest = run_ends_[offset] - vertex;
    const std::int64_t here = rest == 0 ? 0 : rest - 1 + (lattice_->steps_end(vertex + 1) - 1)->copies;
    places_[offset + 1] = places_[offset] + here;
  }
}

// Places [first, last) of an arc in the sorted list.
std::pair<std::int64_t, std::int64_t> InsertionPairing::entries(std::int32_t tail, std::int32_t head) const {
  const std::int64_t first = places_[tail - first_vertex_];
  const std::int64_t copies = (lattice_->steps_end(tail + 1) - 1)->copies;
  if (head == tail + 1) return {first, first + copies};
  const std::int64_t place = first + copies + head - tail - 2;
  return {place, place + 1};
}

std::int64_t InsertionPairing::cost(std::int32_t tail, std::int32_t head) const {
  const auto [first, last] = entries(tail, head);
  std::int64_t total = kStepCost * (head - tail);
  for (const Event& event : events_) {
    if (event.is_reward)
      total = event.first == first ? kRewardCost : total;
    else
      total += std::max<std::int64_t>(0, std::min(last, event.last) - std::max(first, event.first));
  }
  return total;
}

// First place in [first, last], from the left or from the right, whose arc agrees with a gold edit still in the window.
InsertionPairing::Found InsertionPairing::next_match(std::int64_t first, std::int64_t last, bool from_left) const {
  for (std::size_t index = 0; index < agreeing_.size(); ++index) {
    const Listed& listed = agreeing_[from_left ? index : agreeing_.size() - 1 - index];
    const std::int64_t place = from_left ? std::max(listed.first, first) : std::min(listed.last - 1, last);
    if (place < listed.first || place >= listed.last || place < first || place > last) continue;
    const auto low = std::lower_bound(listed.arc.golds_begin, listed.arc.golds_end, gold_left_);
    const auto high = std::upper_bound(listed.arc.golds_begin, listed.arc.golds_end, gold_right_);
    if (low < high) return {place, &listed, from_left ? *low : *(high - 1)};
  }
  return {};
}

// 1. Count the steps from each side to its next match. Both sides take turns, so the nearer match comes first.
// 2. Every entry passed until then gets a penalty.
// 3. The match gets the reward, and its side skips to the arcs that continue where the match ended.
void InsertionPairing::walk() {
  bool at_left = true;
  while (left_ <= right_) {
    const Found ahead = next_match(left_, right_, true), behind = next_match(left_, right_, false);
    if (ahead.listed == nullptr) {
      events_.push_back({left_, right_ + 1, false});
      return;
    }
    // Step 1
    std::int64_t left_steps = ahead.place - left_, right_steps = right_ - behind.place;
    const bool left_first = at_left ? left_steps <= right_steps : left_steps < right_steps;
    if (left_first)
      right_steps = at_left ? left_steps : left_steps + 1;
    else
      left_steps = at_left ? right_steps + 1 : right_steps;
    // Step 2
    events_.push_back({left_, left_ + left_steps, false});
    events_.push_back({right_ - right_steps + 1, right_ + 1, false});
    left_ += left_steps, right_ -= right_steps;
    at_left = left_first || left_ == right_;
    // Step 3
    at_left ? match_left() : match_right();
  }
}

// Rewards the arc at the left, then passes all entries that do not begin where it ended.
void InsertionPairing::match_left() {
  const Found found = next_match(left_, left_, true);
  const std::int32_t head = found.listed->arc.head;
  events_.push_back({found.listed->first, 0, true});
  const bool continues = head < run_ends_[head - first_vertex_];
  const std::int64_t after = continues ? places_[head - first_vertex_] : places_.back();
  events_.push_back({left_ + 1, after, false});
  left_ = std::max(after, left_ + 1);
  gold_left_ = found.gold + 1;
}

// Rewards the arc at the right, then passes all entries that do not end where it started.
void InsertionPairing::match_right() {
  const Found found = next_match(right_, right_, false);
  const std::int32_t tail = found.listed->arc.tail;
  events_.push_back({found.listed->first, 0, true});
  const bool joined = tail > first_vertex_ && run_ends_[tail - 1 - first_vertex_] >= tail;
  const std::int64_t place = joined ? entries(tail - 1, tail).second - 1 : -1;
  events_.push_back({place + 1, right_, false});
  right_ = place;
  gold_right_ = found.gold - 1;
}

// Arcs that agree with gold edits

// Gold edits inside the sentence, grouped by span and accepted text.
void GoldArcFinder::group_by_text(TokenSpan source, const GoldEdits& golds) {
  entries_.clear();
  groups_.clear();
  for (std::int32_t gold = 0; gold < golds.size(); ++gold) {
    if (!golds.is_inside(gold, source.size)) continue;
    for (std::int64_t text = golds.alternatives_begin(gold); text < golds.alternatives_end(gold); ++text)
      entries_.push_back({golds.start(gold), golds.end(gold), golds.correction(text), gold});
  }
  const auto is_before = [](const Entry& left, const Entry& right) {
    return std::tie(left.start, left.end, left.text, left.gold) <
           std::tie(right.start, right.end, right.text, right.gold);
  };
  std::sort(entries_.begin(), entries_.end(), is_before);
  for (const Entry& entry : entries_) {
    const auto count = static_cast<std::int32_t>(result_.group_golds.size());
    const bool same = !groups_.empty() && groups_.back().start == entry.start && groups_.back().end == entry.end &&
                      groups_.back().text == entry.text;
    if (!same) groups_.push_back({entry.start, entry.end, entry.text, count, count});
    if (same && result_.group_golds.back() == entry.gold) continue;
    result_.group_golds.push_back(entry.gold);
    ++groups_.back().golds_end;
  }
}

// Adds the arcs over source tokens that agree with a group. If a gold edit agrees with kept tokens, an arc that is not
// counted has the weight -N (§6). This case is left to the literal algorithm.
void GoldArcFinder::add_texts(const Group& group) {
  const Lattice& lattice = *lattice_;
  for (std::int32_t tail = lattice.row_offsets[group.start]; tail < lattice.row_offsets[group.start + 1]; ++tail) {
    const std::int32_t column = lattice.columns[tail];
    if (!starts_with(hypothesis_, column, group.text)) continue;
    const std::int32_t head = lattice.find(group.end, column + static_cast<std::int32_t>(group.text.size));
    if (head < 0) continue;
    const Merged* merged = arc_finder_.find(lattice, tail, head, max_unchanged_words_);
    if (merged == nullptr) continue;
    if (merged->keeps)
      result_.certain = false;
    else
      result_.arcs.push_back({tail, head, kRewardCost, group.golds_begin, group.golds_end});
  }
}

// Adds the insertion arcs that agree with the groups of one position, with the weights of the official pairing.
void GoldArcFinder::add_insertions(const Group* first_group, const Group* last_group) {
  find_insertion_runs(*lattice_, first_group->start, runs_);
  const std::size_t first_arc = result_.arcs.size();
  agreeing_.clear();
  for (const auto& [first, last] : runs_)
    for (std::int32_t tail = first; tail < last; ++tail)
      for (const Group* group = first_group; group != last_group; ++group) {
        if (group->text.size == 0 || group->text.size > last - tail) continue;
        if (!starts_with(hypothesis_, lattice_->columns[tail], group->text)) continue;
        const std::int32_t head = tail + static_cast<std::int32_t>(group->text.size);
        const std::int32_t* golds = result_.group_golds.data();
        result_.arcs.push_back({tail, head, kRewardCost, group->golds_begin, group->golds_end});
        agreeing_.push_back({tail, head, golds + group->golds_begin, golds + group->golds_end});
      }
  if (agreeing_.empty()) return;
  const InsertionPairing& pairing = result_.pairings.emplace_back(*lattice_, first_group->start, agreeing_);
  for (std::size_t arc = first_arc; arc < result_.arcs.size(); ++arc)
    result_.arcs[arc].cost = pairing.cost(result_.arcs[arc].tail, result_.arcs[arc].head);
}

const InsertionPairing* GoldArcs::pairing(std::int32_t row) const {
  for (const InsertionPairing& found : pairings)
    if (found.row() == row) return &found;
  return nullptr;
}

const GoldArcs& GoldArcFinder::find(const Lattice& lattice, TokenSpan source, TokenSpan hypothesis,
                                    const GoldEdits& golds, std::int32_t max_unchanged_words) {
  lattice_ = &lattice;
  hypothesis_ = hypothesis;
  max_unchanged_words_ = max_unchanged_words;
  result_.arcs.clear();
  result_.group_golds.clear();
  result_.pairings.clear();
  result_.certain = true;
  group_by_text(source, golds);
  const Group* const end = groups_.data() + groups_.size();
  for (const Group* group = groups_.data(); group != end;) {
    const Group* next = group + 1;
    if (group->start == group->end) {
      while (next != end && next->start == group->start && next->end == group->end) ++next;
      add_insertions(group, next);
    } else {
      add_texts(*group);
    }
    group = next;
  }
  std::sort(result_.arcs.begin(), result_.arcs.end(), [](const GoldArc& left, const GoldArc& right) {
    return std::tie(left.head, left.tail) < std::tie(right.head, right.tail);
  });
  return result_;
}

// The path

void FoldedCharacters::fill(TokenSpan source, TokenSpan hypothesis, const TokenArray& folded) {
  append_characters(source, folded, source_, source_offsets_);
  append_characters(hypothesis, folded, hypothesis_, hypothesis_offsets_);
}

bool FoldedCharacters::are_equal(std::int32_t row, std::int32_t last_row, std::int32_t column,
                                 std::int32_t last_column) const {
  const std::int64_t original = source_offsets_[row], correction = hypothesis_offsets_[column];
  const std::int64_t size = source_offsets_[last_row] - original;
  return size == hypothesis_offsets_[last_column] - correction &&
         std::equal(source_.data() + original, source_.data() + original + size, hypothesis_.data() + correction);
}

// Whether an edit is ignored because it changes only spaces and case.
bool PathSearch::is_ignored(std::int32_t tail, std::int32_t head) const {
  return folded_ != nullptr && folded_->are_equal(lattice_->rows[tail], lattice_->rows[head], lattice_->columns[tail],
                                                  lattice_->columns[head]);
}

// Moves the gold position over edits that begin before `row`. No later arc can match these edits, so paths that differ
// only in them will have the same counts.
Tally PathSearch::skip_golds_before(Tally tally, std::int32_t row) const {
  if (golds_sorted_) {
    tally.position = std::max(tally.position, first_gold_of_row_[row]);
  } else {
    while (tally.position < golds_->size() && golds_->start(tally.position) < row) ++tally.position;
  }
  return tally;
}

// The tally after an edit that agrees with no gold edit.
Tally PathSearch::propose(Tally tally, std::int32_t tail, std::int32_t head) const {
  if (!is_ignored(tail, head)) ++tally.proposed;
  return skip_golds_before(tally, lattice_->rows[head]);
}

// The tally after an edit that agrees with gold edits. It is credited for each of them from the position on (§8).
Tally PathSearch::match(Tally tally, const GoldArc& arc) const {
  if (!is_ignored(arc.tail, arc.head)) {
    ++tally.proposed;
    for (std::int32_t index = arc.golds_begin; index < arc.golds_end; ++index) {
      if (arcs_->group_golds[index] < tally.position) continue;
      ++tally.correct;
      tally.position = arcs_->group_golds[index] + 1;
    }
  }
  return skip_golds_before(tally, lattice_->rows[arc.head]);
}

// The best path to a vertex by a kept token, a single step, the end of an open edit, or an arc that agrees with gold.
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
      const Tally tally = step->unchanged ? skip_golds_before(before.tally, lattice_->rows[vertex])
                                          : propose(before.tally, step->tail, vertex);
      offer(cost, tally, before.tied, step->tail, step->unchanged ? kKeep : kSingle);
    }
    const Open* open = open_paths(step->tail);
    for (const Open* end = open + limit_ + 1 - step->unchanged; open < end; ++open)
      if (open->cost + kStepCost <= best.cost)
        offer(open->cost + kStepCost, propose(closed_[open->start].tally, open->start, vertex), open->tied, open->start,
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

// Keeps the lighter of two open paths. Equally light paths are tied unless their counts are certain to be equal.
void PathSearch::improve(Open& best, Open way, std::int32_t vertex) const {
  if (way.cost != best.cost) {
    if (way.cost < best.cost) best = way;
    return;
  }
  best.tied = best.tied || way.tied;
  if (best.tied || best.start == way.start) return;
  const std::int32_t row = lattice_->rows[vertex];
  best.tied = folded_ != nullptr ||
              skip_golds_before(closed_[best.start].tally, row) != skip_golds_before(closed_[way.start].tally, row);
}

// The best paths to a vertex inside an edit, by the number of its unchanged words. The penalty is paid at its start.
void PathSearch::open_at(std::int32_t vertex) {
  Open* const here = open_paths(vertex);
  for (std::int32_t words = 0; words <= limit_; ++words) here[words] = {kUnreached, -1, false};
  for (const Step* step = lattice_->steps_begin(vertex); step != lattice_->steps_end(vertex); ++step) {
    const Closed& before = closed_[step->tail];
    if (step->unchanged <= limit_)
      improve(here[step->unchanged], {before.cost + kStepCost + 1, step->tail, before.tied}, vertex);
    const Open* const inside = open_paths(step->tail);
    for (std::int32_t words = 0; words + step->unchanged <= limit_; ++words)
      if (inside[words].start >= 0)
        improve(here[words + step->unchanged],
                {inside[words].cost + kStepCost, inside[words].start, inside[words].tied}, vertex);
  }
}

void PathSearch::run(const Lattice& lattice, const GoldEdits& golds, const GoldArcs& arcs,
                     std::int32_t max_unchanged_words, const FoldedCharacters* folded) {
  lattice_ = &lattice, golds_ = &golds, arcs_ = &arcs, folded_ = folded;
  limit_ = max_unchanged_words;
  next_arc_ = 0;
  golds_sorted_ = true;
  for (std::int32_t gold = 1; gold < golds.size(); ++gold)
    golds_sorted_ = golds_sorted_ && golds.start(gold - 1) <= golds.start(gold);
  first_gold_of_row_.clear();
  for (std::int32_t row = 0, gold = 0; golds_sorted_ && row <= lattice.rows.back(); ++row) {
    while (gold < golds.size() && golds.start(gold) < row) ++gold;
    first_gold_of_row_.push_back(gold);
  }
  closed_.resize(lattice.size());
  open_.resize(std::size_t(lattice.size()) * (limit_ + 1));
  closed_[0] = {0, skip_golds_before({}, 0), -1, false, kKeep};
  std::fill_n(open_paths(0), limit_ + 1, Open{kUnreached, -1, false});
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
    if (closed_[head].kind != kKeep && !is_ignored(tail, head))
      path.push_back({lattice_->rows[tail], lattice_->rows[head], lattice_->columns[tail], lattice_->columns[head]});
  }
  std::reverse(path.begin(), path.end());
}

}  // namespace gecbench::maxmatch
