// The steps are numbered in gecbench/kernels/lattice.py.
#include "imeasure/lattice.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace gecbench::imeasure {

namespace {

constexpr std::int32_t kNowhere = -(1 << 28);
constexpr std::size_t kMostClasses = 64;
constexpr std::size_t kMostEdges = 1 << 16;  // of a segment

void keep_largest(Plane& most, const Plane& plane, std::int32_t less) {
  for (std::size_t n = 0; n < plane.size(); ++n) most[n] = std::max(most[n], plane[n] - less);
}

std::vector<std::int32_t> reversed(TokenSpan tokens) {
  return {std::make_reverse_iterator(tokens.end()), std::make_reverse_iterator(tokens.begin())};
}

TokenSpan span_of(const std::vector<std::int32_t>& tokens) {
  return {tokens.data(), static_cast<std::int32_t>(tokens.size())};
}

}  // namespace

// Planes

Planes::Planes(TokenSpan source, TokenSpan hypothesis)
    : source(source),
      hypothesis(hypothesis),
      height_(source.size + 1),
      width_(hypothesis.size + 1),
      savings_(static_cast<std::size_t>(source.size) * hypothesis.size),
      with_hypothesis_(hypothesis.size) {
  for (int i = 0; i < source.size; ++i) {
    std::int32_t* row = savings_.data() + std::int64_t{i} * hypothesis.size;
    for (int j = 0; j < hypothesis.size; ++j) row[j] = saving(source[i], hypothesis[j]);
  }
}

Plane Planes::start() const {
  Plane plane(size(), kNowhere);
  plane[0] = 0;
  close(plane.data());
  return plane;
}

void Planes::close(std::int32_t* plane) const {
  for (int i = 0; i < height_; ++i) {
    std::int32_t* here = plane + std::int64_t{i} * width_;
    if (i > 0) {
      const std::int32_t* above = here - width_;
      const std::int32_t* savings = savings_.data() + std::int64_t{i - 1} * (width_ - 1);
      here[0] = std::max(here[0], above[0]);
      for (int j = 1; j < width_; ++j) {
        here[j] = std::max(here[j], std::max(above[j], above[j - 1] + savings[j - 1]));
      }
    }
    for (int j = 1; j < width_; ++j) here[j] = std::max(here[j], here[j - 1]);
  }
}

void Planes::take(const std::int32_t* before, std::int32_t token, std::int32_t* after) {
  cells += size();
  for (int j = 0; j < hypothesis.size; ++j) with_hypothesis_[j] = saving(token, hypothesis[j]);
  for (int i = 0; i < height_; ++i) {
    const std::int32_t* from = before + std::int64_t{i} * width_;
    std::int32_t* here = after + std::int64_t{i} * width_;
    here[0] = from[0];
    for (int j = 1; j < width_; ++j) here[j] = std::max(from[j], from[j - 1] + with_hypothesis_[j - 1]);
    if (i == 0) continue;
    const std::int32_t* above = from - width_;
    const std::int32_t* savings = savings_.data() + std::int64_t{i - 1} * (width_ - 1);
    const std::int32_t with_source = saving(token, source[i - 1]);
    here[0] = std::max(here[0], above[0] + with_source);
    for (int j = 1; j < width_; ++j) {
      const std::int32_t all_three = above[j - 1] + savings[j - 1] + with_hypothesis_[j - 1];
      here[j] = std::max(here[j], std::max(above[j], all_three) + with_source);
    }
  }
}

void Planes::cross(const Plane& start, TokenSpan tokens, std::vector<Plane>& planes) {
  planes.resize(tokens.size + 1);
  planes[0] = start;
  for (int k = 0; k < tokens.size; ++k) {
    planes[k + 1].resize(size());
    take(planes[k].data(), tokens[k], planes[k + 1].data());
    close(planes[k + 1].data());
  }
}

Cell Planes::trace_back(const std::vector<Plane>& planes, TokenSpan tokens, Cell end, bool whole,
                        Counts& counts) const {
  int i = end.source, j = end.hypothesis, k = tokens.size;
  while (k > 0 || (whole && (i > 0 || j > 0))) {
    const std::int32_t value = planes[k][at({i, j})];
    for (const auto& [over_source, over_hypothesis, over_reference] : kMoves) {
      const int before_i = i - over_source, before_j = j - over_hypothesis, before_k = k - over_reference;
      if (before_i < 0 || before_j < 0 || before_k < 0) continue;
      std::int32_t saved = planes[before_k][at({before_i, before_j})];
      if (over_source && over_hypothesis) saved += pair_saving(before_i, before_j);
      if (over_source && over_reference) saved += saving(source[before_i], tokens[before_k]);
      if (over_hypothesis && over_reference) saved += saving(hypothesis[before_j], tokens[before_k]);
      if (saved != value) continue;
      count_column(over_source ? source[before_i] : -1, over_hypothesis ? hypothesis[before_j] : -1,
                   over_reference ? tokens[before_k] : -1, counts);
      i = before_i, j = before_j, k = before_k;
      break;
    }
  }
  return {i, j};
}

// Lattice

// What each option saves between the pivots of both ends of its segment.
std::vector<std::vector<std::int32_t>> Lattice::saved_between_pivots() const {
  std::vector<std::vector<std::int32_t>> saved(segments_.size());
  std::vector<Plane> planes;
  for (std::size_t g = 0; g < segments_.size(); ++g) {
    const Cell start = pivots_[g], end = pivots_[g + 1];
    Planes box(source_.part(start.source, end.source), hypothesis_.part(start.hypothesis, end.hypothesis));
    const Plane first = box.start();
    for (TokenSpan option : segments_[g]) {
      box.cross(first, option, planes);
      saved[g].push_back(planes.back().back());
    }
  }
  return saved;
}

// The most that any ending can save from each cell of a boundary on, compared with its saving from the pivot on. All
// texts are reversed here, and so are the planes.
std::vector<Plane> Lattice::behind(const std::vector<std::vector<std::int32_t>>& saved) {
  const std::vector<std::int32_t> source = reversed(source_), hypothesis = reversed(hypothesis_);
  Planes planes(span_of(source), span_of(hypothesis));
  std::vector<Plane> found(segments_.size() + 1, Plane(planes.size(), 2 * kNowhere));
  found.back().assign(planes.size(), kNowhere);
  found.back()[0] = 0;
  for (std::size_t g = segments_.size(); g-- > 0;) {
    for (std::size_t n = 0; n < segments_[g].size(); ++n) {
      Plane after = found[g + 1], before = after;
      for (std::int32_t token : reversed(segments_[g][n])) {
        planes.close(after.data());
        planes.take(after.data(), token, before.data());
        after = before;
      }
      keep_largest(found[g], before, saved[g][n]);
    }
  }
  cells += planes.cells;
  return found;
}

std::vector<std::vector<Cell>> Lattice::live_cells() {
  const auto saved = saved_between_pivots();
  const std::vector<Plane> endings = behind(saved);
  std::vector<std::vector<Cell>> live(segments_.size() + 1);
  std::vector<Plane> crossed;
  Planes planes(source_, hypothesis_);
  Plane ahead = planes.start();
  for (std::size_t g = 0;; ++g) {
    for (int i = 0, n = 0; i <= source_.size; ++i) {
      for (int j = 0; j <= hypothesis_.size; ++j, ++n) {
        if (ahead[n] + endings[g][planes.size() - 1 - n] >= 0) live[g].push_back({i, j});
      }
    }
    if (g == segments_.size()) break;
    Plane next(planes.size(), 2 * kNowhere);
    for (std::size_t n = 0; n < segments_[g].size(); ++n) {
      planes.cross(ahead, segments_[g][n], crossed);
      keep_largest(next, crossed.back(), saved[g][n]);
    }
    ahead = std::move(next);
  }
  cells += planes.cells;
  return live;
}

std::optional<Layers> Lattice::edges(std::int64_t limit) {
  std::int64_t tokens = 0;
  for (const auto& options : segments_) {
    for (TokenSpan option : options) tokens += option.size;
  }
  if (2 * tokens * (std::int64_t{source_.size} + 1) * (std::int64_t{hypothesis_.size} + 1) > limit) return std::nullopt;
  std::vector<std::vector<Cell>> live = live_cells();
  live[0] = {{0, 0}};
  std::vector<Plane> classes{{0}};  // what beginnings save in the live cells of a boundary
  std::vector<Plane> planes;
  Layers layers(segments_.size());
  for (std::size_t g = 0; g < segments_.size(); ++g) {
    const std::vector<Cell>&starts = live[g], &ends = live[g + 1];
    // No alignment between live cells leaves the box around them.
    Cell first = starts[0], last = ends[0];
    for (Cell cell : starts) first = {std::min(first.source, cell.source), std::min(first.hypothesis, cell.hypothesis)};
    for (Cell cell : ends) last = {std::max(last.source, cell.source), std::max(last.hypothesis, cell.hypothesis)};
    Planes box(source_.part(first.source, last.source), hypothesis_.part(first.hypothesis, last.hypothesis));
    const auto inside = [first, last](Cell cell) {
      return first.source <= cell.source && cell.source <= last.source && first.hypothesis <= cell.hypothesis &&
             cell.hypothesis <= last.hypothesis;
    };
    const auto shifted = [first](Cell cell) {
      return Cell{cell.source - first.source, cell.hypothesis - first.hypothesis};
    };
    std::vector<int> numbers(box.size(), -1);  // of the live cells at the start
    for (std::size_t n = 0; n < starts.size(); ++n) {
      if (inside(starts[n])) numbers[box.at(shifted(starts[n]))] = static_cast<int>(n);
    }
    std::map<Plane, std::size_t> known;
    std::vector<Plane> found;
    for (std::size_t number = 0; number < classes.size(); ++number) {
      Plane start(box.size(), kNowhere);
      for (std::size_t n = 0; n < starts.size(); ++n) {
        if (inside(starts[n])) start[box.at(shifted(starts[n]))] = classes[number][n];
      }
      if (g == 0) box.close(start.data());
      for (std::size_t option = 0; option < segments_[g].size(); ++option) {
        box.cross(start, segments_[g][option], planes);
        Plane saved;
        for (Cell cell : ends) saved.push_back(inside(cell) ? planes.back()[box.at(shifted(cell))] : kNowhere);
        const std::int32_t most = *std::max_element(saved.begin(), saved.end());
        for (std::int32_t& value : saved) value = value > kNowhere / 2 ? value - most : kNowhere;
        const auto [place, is_new] = known.emplace(saved, found.size());
        const std::size_t reached = place->second;
        if (is_new) found.push_back(saved);
        if (cells + box.cells > limit || reached == kMostClasses || layers[g].size() > kMostEdges) return std::nullopt;
        for (std::size_t n = 0; n < ends.size(); ++n) {
          if (saved[n] == kNowhere) continue;
          Edge edge{option, {}, 0, static_cast<int>(reached * ends.size() + n)};
          const Cell origin = box.trace_back(planes, segments_[g][option], shifted(ends[n]), g == 0, edge.counts);
          edge.start = static_cast<int>(number * starts.size()) + numbers[box.at(origin)];
          layers[g].push_back(edge);
        }
      }
    }
    classes = std::move(found);
    cells += box.cells;
  }
  return layers;
}

Layers add_baseline(const Layers& layers, const Layers& baseline) {
  Layers joined(layers.size());
  int starts = 1;  // nodes of the baseline where the segment starts
  for (std::size_t g = 0; g < layers.size(); ++g) {
    std::vector<std::vector<const Edge*>> by_option;
    int ends = 0;
    for (const Edge& other : baseline[g]) {
      ends = std::max(ends, other.end + 1);
      if (by_option.size() <= other.option) by_option.resize(other.option + 1);
      by_option[other.option].push_back(&other);
    }
    for (const Edge& edge : layers[g]) {
      for (const Edge* other : by_option[edge.option]) {
        Counts counts = edge.counts;
        // Without a hypothesis, a token that source and reference share counts as a false positive. Every other column
        // is an error that is not corrected.
        counts[kBaseline + kTN] = other->counts[kFP];
        counts[kBaseline + kFN] = other->counts[kTP] + other->counts[kFN];
        joined[g].push_back({edge.option, counts, edge.start * starts + other->start, edge.end * ends + other->end});
      }
    }
    starts = ends;
  }
  return joined;
}

}  // namespace gecbench::imeasure
