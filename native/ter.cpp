#include "ter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "threads.hpp"

namespace gecbench {
namespace {

// The limits of Tercom, and sacrebleu's own on the number of shifts that are tried.
constexpr int kLongestShift = 10, kFarthestShift = 50, kBeam = 25, kMostCandidates = 1000;
constexpr std::int32_t kUnreached = 1 << 29;

using Tokens = std::vector<std::int32_t>;

enum Operation : std::uint8_t { kMatch, kSubstitute, kDelete, kInsert, kUndefined };

struct Cell {
  std::int32_t cost;
  Operation operation;
};

// Edit distance of a hypothesis to a reference, computed and stored near the diagonal only. Row i is for the first i
// words of the hypothesis.
class Distance {
 public:
  Distance(TokenSpan reference, int words) : reference_(reference), words_(words), columns_(reference.size + 1) {
    ratio_ = words > 0 ? static_cast<double>(reference.size) / words : 1.0;
    beam_ = kBeam < ratio_ / 2 ? static_cast<int>(std::ceil(ratio_ / 2 + kBeam)) : kBeam;
    bands_.reserve(std::size_t{1} + words);
    std::size_t cells = 0, widest = 0;
    for (int i = 0; i <= words; ++i) {
      const int begin = begin_of(i), end = end_of(i);
      bands_.push_back({begin, end, std::max(0, begin - 1), std::max(end, end_of(i + 1)), cells});
      cells += bands_.back().width();
      widest = std::max(widest, bands_.back().width());
    }
    cells_.resize(cells);
    for (std::vector<Cell>& row : tried_) row.resize(widest);
    for (int j = 0; j < bands_[0].stored_end; ++j) cells_[j] = {j, kInsert};
  }

  std::int32_t measure(const Tokens& hypothesis) {
    for (int i = 1; i <= words_; ++i) fill_row(i, hypothesis[i - 1], row_of(i - 1), row_of(i));
    return cells_.back().cost;
  }

  // The distance of as many other words. The first `same` words must be those that were measured.
  std::int32_t try_words(const Tokens& hypothesis, int same) {
    Cell* above = row_of(same);
    for (int i = same + 1; i <= words_; ++i) {
      Cell* row = tried_[i % 2].data();
      fill_row(i, hypothesis[i - 1], above, row);
      above = row;
    }
    return above[columns_ - 1 - bands_[words_].stored].cost;
  }

  Operation operation(int i, int j) const {
    const Band& band = bands_[i];
    return band.stored <= j && j < band.stored_end ? cells_[band.cells + j - band.stored].operation : kUndefined;
  }

 private:
  // The columns of a row that are computed, and those that are stored because this row or the next one reads them.
  struct Band {
    int begin, end, stored, stored_end;
    std::size_t cells;  // the place of the row

    std::size_t width() const { return static_cast<std::size_t>(stored_end - stored); }
  };

  Cell* row_of(int i) { return cells_.data() + bands_[i].cells; }

  // Columns near the diagonal; in the last row also all columns to the right
  int begin_of(int i) const { return std::max(0, static_cast<int>(std::floor(i * ratio_)) - beam_); }
  int end_of(int i) const {
    return i >= words_ ? columns_ : std::min(columns_, static_cast<int>(std::floor(i * ratio_)) + beam_);
  }

  // `above` and `row` are the stored cells of two rows.
  void fill_row(int i, std::int32_t word, const Cell* above, Cell* row) const {
    const Band& band = bands_[i];
    std::fill(row, row + band.width(), Cell{kUnreached, kUndefined});
    above += band.stored - bands_[i - 1].stored;  // from here on, both start at the same column
    int j = band.begin;
    if (j == 0) row[0] = {above[0].cost + 1, kDelete}, j = 1;
    for (; j < band.end; ++j) {
      const int k = j - band.stored;
      const bool same = word == reference_[j - 1];
      const auto offer = [&row, k](std::int32_t cost, Operation operation) {
        if (cost < row[k].cost) row[k] = {cost, operation};
      };
      offer(above[k - 1].cost + (same ? 0 : 1), same ? kMatch : kSubstitute);
      offer(above[k].cost + 1, kDelete);
      offer(row[k - 1].cost + 1, kInsert);
    }
  }

  TokenSpan reference_;
  int words_, columns_, beam_ = kBeam;
  double ratio_ = 1.0;
  std::vector<Band> bands_;
  std::vector<Cell> cells_;
  std::array<std::vector<Cell>, 2> tried_;
};

// The place of each reference word in the hypothesis, and the number of wrong words before each place.
struct Alignment {
  std::vector<int> place, wrong_in_hypothesis, wrong_in_reference;

  Alignment(const Distance& distance, int words, int reference_words)
      : place(reference_words), wrong_in_hypothesis(words + 1), wrong_in_reference(reference_words + 1) {
    int i = words, j = reference_words;
    while (i > 0 || j > 0) {
      const Operation operation = distance.operation(i, j);
      if (operation == kUndefined) throw std::logic_error("the search for shifts left its beam");
      const int wrong = operation == kMatch ? 0 : 1;
      if (operation != kDelete) {
        place[j - 1] = i - 1;
        wrong_in_reference[j--] = wrong;
      }
      if (operation != kInsert) wrong_in_hypothesis[i--] = wrong;
    }
    for (int k = 0; k < words; ++k) wrong_in_hypothesis[k + 1] += wrong_in_hypothesis[k];
    for (int k = 0; k < reference_words; ++k) wrong_in_reference[k + 1] += wrong_in_reference[k];
  }
};

struct Shift {
  int gain, length, start, target;

  // Compares by gain (largest first), length (longest first), start and target (earliest first).
  bool better_than(const Shift& other) const {
    return std::make_tuple(gain, length, -start, -target) >
           std::make_tuple(other.gain, other.length, -other.start, -other.target);
  }
};

class Search {
 public:
  Search(TokenSpan hypothesis, TokenSpan reference)
      : words_(hypothesis.begin(), hypothesis.end()),
        reference_(reference),
        size_(hypothesis.size),
        distance_(reference, size_) {}

  // The number of edits. Words are shifted as long as a shift lowers the distance.
  std::int64_t edits() {
    std::int64_t shifts = 0;
    std::int32_t before = distance_.measure(words_);
    for (;;) {
      const Shift best = best_shift(before);
      if (candidates_ >= kMostCandidates || best.gain <= 0) return shifts + before;
      ++shifts;
      move_words(best, tried_);
      words_.swap(tried_);
      before = distance_.measure(words_);
    }
  }

 private:
  Shift best_shift(std::int32_t before) {
    const Alignment alignment(distance_, size_, reference_.size);
    Shift best{-kUnreached, 0, 0, 0};
    for (int start = 0; start < size_; ++start) {
      look_for_stop();
      const std::vector<int>& wrong = alignment.wrong_in_hypothesis;
      if (wrong[std::min(start + kLongestShift, size_)] == wrong[start]) continue;  // no shift is worth trying
      const int end = std::min(reference_.size, start + kFarthestShift + 1);
      for (int place = std::max(0, start - kFarthestShift); place < end; ++place) {
        const int longest = std::min({kLongestShift, size_ - start, reference_.size - place});
        for (int length = 1; length <= longest && words_[start + length - 1] == reference_[place + length - 1];
             ++length) {
          if (!worth_trying(alignment, start, place, length)) continue;
          try_targets(alignment, before, start, place, length, best);
          if (candidates_ >= kMostCandidates) return best;
        }
      }
    }
    return best;
  }

  // A shift is worth trying if words are wrong on both sides, and they do not move into themselves.
  static bool worth_trying(const Alignment& alignment, int start, int place, int length) {
    const auto& [places, hypothesis, reference] = alignment;
    return hypothesis[start + length] > hypothesis[start] && reference[place + length] > reference[place] &&
           (places[place] < start || places[place] >= start + length);
  }

  void try_targets(const Alignment& alignment, std::int32_t before, int start, int place, int length, Shift& best) {
    int last = -1;
    for (int position = place - 1; position < place + length; ++position) {
      const int target = position < 0 ? 0 : alignment.place[position] + 1;
      if (target == last) continue;
      last = target;
      ++candidates_;
      look_for_stop();
      Shift shift{0, length, start, target};
      move_words(shift, tried_);
      shift.gain = before - distance_.try_words(tried_, std::min(start, target));
      if (shift.better_than(best)) best = shift;
    }
  }

  // Moves the words of a shift before the target. A target among or right after the words is counted without the words.
  void move_words(const Shift& shift, Tokens& moved) const {
    moved = words_;
    const auto at = [&moved, this](int index) { return moved.begin() + std::min(index, size_); };
    const int end = shift.start + shift.length;
    if (shift.target < shift.start)
      std::rotate(at(shift.target), at(shift.start), at(end));
    else
      std::rotate(at(shift.start), at(end), at(shift.target > end ? shift.target : shift.target + shift.length));
  }

  Tokens words_, tried_;
  TokenSpan reference_;
  int size_;
  Distance distance_;
  int candidates_ = 0;
};

}  // namespace

void ter_edits(const TokenArray& hypotheses, const TokenArray& references, int threads, std::int64_t* edits) {
  share_sentences(hypotheses.size, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      edits[i] = references[i].size == 0 ? hypotheses[i].size : Search(hypotheses[i], references[i]).edits();
  });
}

}  // namespace gecbench
