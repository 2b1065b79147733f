// Both tables are filled inside a band of diagonals that provably holds every minimal alignment. A cell has a bit per
// move and table. The cells on minimal alignments become vertices.
#include "maxmatch/lattice.hpp"

#include <algorithm>
#include <cstdlib>

namespace gecbench::maxmatch {

namespace {

constexpr std::int32_t kFar = 1 << 30;
constexpr std::uint8_t kDiagonal = 1, kDeletion = 2, kInsertion = 4, kVisited = 8;
constexpr int kFirstShift = 0, kSecondShift = 4;  // of the bits of the tables with substitution cost 1 and 2

}  // namespace

std::int32_t Lattice::find(std::int32_t row, std::int32_t column) const {
  const auto first = columns.begin() + row_offsets[row], last = columns.begin() + row_offsets[row + 1];
  const auto place = std::lower_bound(first, last, column);
  return place != last && *place == column ? static_cast<std::int32_t>(place - columns.begin()) : -1;
}

// Fills one table inside the band and returns the distance. Every cell keeps all moves that attain the minimum (§3).
std::int32_t Lattice::find_moves(TokenSpan source, TokenSpan hypothesis, std::int32_t substitution_cost, Band band,
                                 int shift) {
  const std::int64_t width = band.width();
  const auto source_size = static_cast<std::int32_t>(source.size);
  const auto hypothesis_size = static_cast<std::int32_t>(hypothesis.size);
  above_.assign(width + 2, kFar);
  current_.assign(width + 2, kFar);
  for (std::int32_t row = 0; row <= source_size; ++row) {
    std::uint8_t* cells = cells_.data() + row * width;
    std::int32_t column = std::max(0, row + band.first);
    const std::int32_t last_column = std::min(hypothesis_size, row + band.last);
    std::int64_t place = std::int64_t{column} - row - band.first;
    current_[place] = kFar;  // one place to the left of the first cell
    if (column == 0) {
      current_[place + 1] = row;
      if (row > 0) cells[place] = static_cast<std::uint8_t>(cells[place] | (kDeletion << shift));
      ++column, ++place;
    }
    for (; column <= last_column; ++column, ++place) {
      const std::int32_t insertion = current_[place] + 1;
      const std::int32_t deletion = above_[place + 2] + 1;
      std::int32_t diagonal = above_[place + 1];
      diagonal += row > 0 && source[row - 1] == hypothesis[column - 1] ? 0 : substitution_cost;
      const std::int32_t best = std::min(diagonal, std::min(deletion, insertion));
      current_[place + 1] = best;
      const int moves = (diagonal == best ? kDiagonal : 0) | (deletion == best ? kDeletion : 0) |
                        (insertion == best ? kInsertion : 0);
      cells[place] = static_cast<std::uint8_t>(cells[place] | (moves << shift));
    }
    if (place + 1 < width + 2) current_[place + 1] = kFar;  // one place to the right of the last cell
    std::swap(above_, current_);
  }
  return above_[hypothesis_size - source_size - band.first + 1];
}

// Clears the moves of cells that no minimal alignment visits and marks the others.
void Lattice::keep_reachable(std::int64_t row_count, std::int64_t width, std::int64_t final_place, int shift) {
  const auto mark = static_cast<std::uint8_t>(kVisited << shift);
  const auto lattice_bits = static_cast<std::uint8_t>(15 << shift);
  cells_[(row_count - 1) * width + final_place] |= mark;
  for (std::int64_t row = row_count - 1; row >= 0; --row) {
    std::uint8_t* cells = cells_.data() + row * width;
    for (std::int64_t place = width - 1; place >= 0; --place) {
      if (!(cells[place] & mark)) {
        cells[place] &= static_cast<std::uint8_t>(~lattice_bits);
        continue;
      }
      const int moves = cells[place] >> shift;
      if (moves & kDiagonal) cells[place - width] |= mark;
      if (moves & kDeletion) cells[place - width + 1] |= mark;
      if (moves & kInsertion) cells[place - 1] |= mark;
    }
  }
}

// Finds the band and the moves of both lattices in it. An alignment of cost d leaves the corridor between the diagonals
// of the two corners by at most (d - |length difference|) / 2, so the band is widened until the distance found in it
// fits. The distance with substitution cost 2 is the larger one, so its band holds the other lattice too.
Lattice::Band Lattice::align(TokenSpan source, TokenSpan hypothesis) {
  const auto difference = static_cast<std::int32_t>(hypothesis.size - source.size);
  std::int32_t slack = 2;
  Band band{};
  while (true) {
    band = {std::min(0, difference) - slack, std::max(0, difference) + slack};
    cells_.assign((source.size + 1) * band.width(), 0);
    const std::int32_t distance = find_moves(source, hypothesis, 2, band, kSecondShift);
    const std::int32_t needed = (distance - std::abs(difference)) / 2;
    if (needed <= slack) break;
    slack = std::min(2 * slack + 2, needed);
  }
  find_moves(source, hypothesis, 1, band, kFirstShift);
  keep_reachable(source.size + 1, band.width(), difference - band.first, kSecondShift);
  keep_reachable(source.size + 1, band.width(), difference - band.first, kFirstShift);
  return band;
}

// Adds the vertices of a row, with the steps that enter them (§4).
void Lattice::add_row(TokenSpan source, TokenSpan hypothesis, std::int32_t row, Band band) {
  const std::int64_t width = band.width();
  const std::uint8_t* cells = cells_.data() + row * width;
  const std::int64_t last = std::min<std::int64_t>(width, hypothesis.size - row - band.first + 1);
  for (std::int64_t place = std::max<std::int64_t>(0, -row - band.first); place < last; ++place) {
    const int cell = cells[place];
    if (cell == 0) continue;
    const auto column = static_cast<std::int32_t>(place + row + band.first);
    const bool same = row > 0 && column > 0 && source[row - 1] == hypothesis[column - 1];
    std::array<Step, 3> entering;
    std::uint8_t count = 0;
    const auto add = [&](int move, std::int32_t tail, bool unchanged) {
      const int copies = ((cell >> kFirstShift & move) != 0) + ((cell >> kSecondShift & move) != 0);
      entering[count++] = {tail, static_cast<std::uint8_t>(copies), static_cast<std::uint8_t>(unchanged)};
    };
    const int moves = (cell >> kFirstShift) | (cell >> kSecondShift);
    if (moves & kDiagonal) add(kDiagonal, above_vertices_[place], same);
    if (moves & kDeletion) add(kDeletion, above_vertices_[place + 1], false);
    if (moves & kInsertion) add(kInsertion, size() - 1, false);
    current_vertices_[place] = size();
    rows.push_back(row);
    columns.push_back(column);
    steps.push_back(entering);
    step_counts.push_back(count);
  }
}

void Lattice::build(TokenSpan source, TokenSpan hypothesis) {
  const Band band = align(source, hypothesis);  // §3
  rows.clear(), columns.clear(), steps.clear(), step_counts.clear();
  row_offsets.assign(1, 0);
  above_vertices_.resize(band.width() + 1);
  current_vertices_.resize(band.width() + 1);
  for (std::int32_t row = 0; row <= source.size; ++row) {  // §4
    add_row(source, hypothesis, row, band);
    row_offsets.push_back(size());
    std::swap(above_vertices_, current_vertices_);
  }
}

// The official triple loop is over a middle vertex, a tail and a head. All tails of a vertex precede it, so for one
// tail the loop meets heads in vertex order, and at a head the steps into it in the order of their tails. One pass over
// the vertices between tail and head therefore makes the same decisions: a merged arc is accepted if it is strictly
// shorter than the one before and spans few enough unchanged words, and every acceptance is one more entry of the list.
const Merged* ArcFinder::find(const Lattice& lattice, std::int32_t tail, std::int32_t head,
                              std::int32_t max_unchanged_words) {
  if (static_cast<std::int32_t>(found_.size()) < lattice.size()) found_.resize(lattice.size());
  const std::int32_t first_column = lattice.columns[tail], last_column = lattice.columns[head];
  const auto is_in_rectangle = [&](std::int32_t vertex) {
    return vertex > tail && lattice.columns[vertex] >= first_column && lattice.columns[vertex] <= last_column;
  };
  for (std::int32_t row = lattice.rows[tail]; row <= lattice.rows[head]; ++row) {
    const auto begin = lattice.columns.begin();
    std::int32_t vertex = static_cast<std::int32_t>(
        std::lower_bound(begin + lattice.row_offsets[row], begin + lattice.row_offsets[row + 1], first_column) - begin);
    for (; vertex < lattice.row_offsets[row + 1] && lattice.columns[vertex] <= last_column; ++vertex) {
      Merged best;
      for (const Step* step = lattice.steps_begin(vertex); step != lattice.steps_end(vertex); ++step)
        if (step->tail == tail) best = {1, step->unchanged, step->copies, step->unchanged == 1};
      for (const Step* step = lattice.steps_begin(vertex); step != lattice.steps_end(vertex); ++step) {
        if (!is_in_rectangle(step->tail)) continue;
        const Merged& before = found_[step->tail];
        const std::int32_t unchanged = before.unchanged + step->unchanged;
        if (before.length == 0 || unchanged > max_unchanged_words) continue;
        if (best.length != 0 && before.length + 1 >= best.length) continue;
        best = {before.length + 1, unchanged, best.entries + 1, before.keeps && step->unchanged == 1};
      }
      found_[vertex] = best;
    }
  }
  return found_[head].length == 0 ? nullptr : &found_[head];
}

}  // namespace gecbench::maxmatch
