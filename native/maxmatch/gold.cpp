#include "maxmatch/gold.hpp"

#include <algorithm>
#include <tuple>

namespace gecbench::maxmatch {

namespace {

bool starts_with(TokenSpan tokens, std::int64_t position, TokenSpan text) {
  return position + text.size <= tokens.size && std::equal(text.data, text.data + text.size, tokens.data + position);
}

}  // namespace

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

}  // namespace gecbench::maxmatch
