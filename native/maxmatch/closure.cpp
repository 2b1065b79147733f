#include "maxmatch/closure.hpp"

#include <algorithm>
#include <utility>

namespace gecbench::maxmatch {
namespace {

// Entries that unbroken insertions and deletions alone put into the list: every pair of vertices of such a run.
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

}  // namespace

// Arcs of length one in sorted order; those in both lattices are listed twice (docs/m2.md, B.3, B.4, B.12).
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

// Tries the edit `arc` followed by the step of `way`: the innermost body of the triple loop (docs/m2.md, B.5).
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

// The loops over i and j for one k; only arcs of length one leave k yet, and none enters it any more.
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

// Removes merged noops from the list that is being walked, which skips their successors (docs/m2.md, B.5).
// What goes is the first entry equal to the one in hand.
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
  add_single_steps(lattice, options.release);                         // B.3, B.4
  for (std::int32_t vertex = 0; vertex < lattice.size(); ++vertex) {  // B.5
    pass_through(vertex, max_unchanged_words);
    if (static_cast<std::int64_t>(list_.size()) > options.arc_limit) return false;
  }
  drop_merged_noops();
  return true;
}

}  // namespace gecbench::maxmatch
