// Edits, gold and proposed, and the options of MaxMatch; twin of gecbench/kernels/maxmatch/edits.py.
#pragma once

#include "tokens.hpp"

namespace gecbench::maxmatch {

// All gold edits of a corpus, laid end to end: sentence s has the rows annotator_offsets[s]:annotator_offsets[s + 1],
// row r the edits edit_offsets[r]:edit_offsets[r + 1]; edit e covers the source span [starts[e], ends[e]) and accepts
// the corrections alternative_offsets[e]:alternative_offsets[e + 1].
struct GoldArrays {
  const std::int64_t* annotator_offsets = nullptr;
  const std::int64_t* edit_offsets = nullptr;
  const std::int32_t* starts = nullptr;
  const std::int32_t* ends = nullptr;
  const std::int64_t* alternative_offsets = nullptr;
  TokenArray corrections;
};

// The edits of one row: what one annotator wrote for one sentence, in file order.
class GoldEdits {
 public:
  GoldEdits(const GoldArrays& arrays, std::int64_t row)
      : arrays_(&arrays), first_(arrays.edit_offsets[row]), last_(arrays.edit_offsets[row + 1]) {}

  std::int32_t size() const { return static_cast<std::int32_t>(last_ - first_); }
  std::int32_t start(std::int32_t index) const { return arrays_->starts[first_ + index]; }
  std::int32_t end(std::int32_t index) const { return arrays_->ends[first_ + index]; }
  std::int64_t alternatives_begin(std::int32_t index) const { return arrays_->alternative_offsets[first_ + index]; }
  std::int64_t alternatives_end(std::int32_t index) const { return arrays_->alternative_offsets[first_ + index + 1]; }
  TokenSpan correction(std::int64_t alternative) const { return arrays_->corrections[alternative]; }
  bool is_inside(std::int32_t index, std::int32_t source_size) const {
    return 0 <= start(index) && start(index) <= end(index) && end(index) <= source_size;
  }
  bool accepts(std::int32_t index, TokenSpan text) const {
    for (std::int64_t alternative = alternatives_begin(index); alternative < alternatives_end(index); ++alternative) {
      if (correction(alternative) == text) return true;
    }
    return false;
  }

 private:
  const GoldArrays* arrays_;
  std::int64_t first_, last_;
};

enum class Release { kMaster, kVersion32 };

// The characters of `folded`, lower-cased and by token id, switch ignore_whitespace_casing on (docs/m2.md, B.8).
struct Options {
  std::int32_t max_unchanged_words = 2;
  Release release = Release::kMaster;
  bool folds = false;
  TokenArray folded;
  std::int64_t arc_limit = 0;
};

struct Counts {
  std::int64_t correct = 0;
  std::int64_t proposed = 0;
  std::int64_t gold = 0;
};

struct PathEdit {
  std::int32_t start, end, hypothesis_start, hypothesis_end;
};

}  // namespace gecbench::maxmatch
