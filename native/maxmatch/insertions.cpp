#include "maxmatch/insertions.hpp"

#include <algorithm>

namespace gecbench::maxmatch {

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

// Where the entries of each tail begin in the sorted list.
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

// 1. Each side's next match is a number of steps away; both sides take turns, so the nearer match comes first.
// 2. Every entry passed until then gains a penalty.
// 3. The match gets the reward, and its side skips to the arcs that continue where it ended.
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

}  // namespace gecbench::maxmatch
