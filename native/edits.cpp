// Tokens shared at both ends are removed first, and the table is filled only for the rest. The result is the same:
// tracing back from the end takes equal tokens first anyway, and tokens shared at the start are kept by definition.
// Only the step of each cell is stored, not its cost.
#include "edits.hpp"

#include <algorithm>
#include <cstddef>

#include "threads.hpp"

namespace gecbench {
namespace {

// Aligns pairs one after another; its memory is reused.
class PairAligner {
 public:
  void align(TokenSpan before, TokenSpan after, std::vector<std::int32_t>& spans) {
    std::int32_t shared = 0;
    const std::int32_t shorter = std::min(before.size, after.size);
    while (shared < shorter && before[shared] == after[shared]) ++shared;
    std::int32_t rows = before.size - shared, columns = after.size - shared;
    while (rows > 0 && columns > 0 && before[shared + rows - 1] == after[shared + columns - 1]) --rows, --columns;
    if (rows == 0 && columns == 0) return;
    if (rows == 0 || columns == 0) {
      spans.insert(spans.end(), {shared, shared + rows, shared, shared + columns});
      return;
    }
    fill(before.part(shared, shared + rows), after.part(shared, shared + columns));
    trace(before.part(shared, shared + rows), after.part(shared, shared + columns));
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
      spans.insert(spans.end(),
                   {shared + change->start, shared + change->end, shared + change->first, shared + change->last});
    }
  }

 private:
  enum Step : std::uint8_t { kDiagonal, kDelete, kInsert };
  struct Change {
    std::int32_t start, end, first, last;
  };

  // steps_[i][j]: the last step to source token i and rewrite token j, each counted from 0.
  void fill(TokenSpan before, TokenSpan after) {
    const auto columns = static_cast<std::size_t>(after.size);
    steps_.resize(static_cast<std::size_t>(before.size) * columns);
    costs_.resize(columns + 1);
    for (std::size_t j = 0; j <= columns; ++j) costs_[j] = static_cast<std::int32_t>(j);
    std::uint8_t* step = steps_.data();
    for (std::int32_t i = 0; i < before.size; ++i) {
      look_for_stop();
      std::int32_t diagonal = costs_[0], left = i + 1;
      costs_[0] = left;
      for (std::size_t j = 0; j < columns; ++j) {
        const std::int32_t above = costs_[j + 1];
        const std::int32_t replaced = diagonal + (before[i] != after[j] ? 1 : 0);
        const std::int32_t cost = std::min(replaced, std::min(above, left) + 1);
        *step++ = cost == replaced ? kDiagonal : cost == above + 1 ? kDelete : kInsert;
        diagonal = above;
        costs_[j + 1] = left = cost;
      }
    }
  }

  // The changes between kept tokens, from the last to the first.
  void trace(TokenSpan before, TokenSpan after) {
    changes_.clear();
    std::int32_t i = before.size, j = after.size, end = i, last = j;
    const auto close = [&] {
      if (end > i || last > j) changes_.push_back({i, end, j, last});
    };
    while (i > 0 && j > 0) {
      const std::uint8_t step = steps_[static_cast<std::size_t>(i - 1) * after.size + (j - 1)];
      if (step == kDiagonal && before[i - 1] == after[j - 1]) {
        close();
        end = --i, last = --j;
      } else {
        if (step != kInsert) --i;
        if (step != kDelete) --j;
      }
    }
    i = j = 0;
    close();
  }

  std::vector<std::uint8_t> steps_;
  std::vector<std::int32_t> costs_;
  std::vector<Change> changes_;
};

}  // namespace

ChangedSpans changed_spans(const TokenArray& sources, const TokenArray& rewrites, const std::int64_t* rewrite_rows) {
  ChangedSpans found;
  found.offsets.reserve(rewrites.size + 1);
  found.offsets.push_back(0);
  PairAligner aligner;
  run_watched([&] {
    for (std::int64_t i = 0; i < sources.size; ++i) {
      for (std::int64_t row = rewrite_rows[i]; row < rewrite_rows[i + 1]; ++row) {
        aligner.align(sources[i], rewrites[row], found.spans);
        found.offsets.push_back(static_cast<std::int64_t>(found.spans.size() / 4));
      }
    }
  });
  return found;
}

}  // namespace gecbench
