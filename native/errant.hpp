// Comparison of edits as errant_compare does it (Bryant et al. 2017; docs/metrics/errant.md).
// Python reference: gecbench/kernels/errant.py.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace gecbench::errant {

enum class Mode { correction, correction_and_type, span, token };

// The edits of a system, or of the gold. Sentence s has the rows row_offsets[s]:row_offsets[s + 1], each an annotator;
// row r has the edits edit_offsets[r]:edit_offsets[r + 1]. Types and corrections are numbers of strings.
struct EditRows {
  const std::int64_t *row_offsets, *edit_offsets, *starts, *ends;
  const std::int32_t *types, *corrections;
  std::int64_t sentences;
};

// Which edits are compared, and by what: by span and correction, with the type too, by span alone, or by token.
// `single` drops edits of two tokens or more on either side, `multi` the others. With `once`, edits with the same key
// count once. The flags say of each string: it is "noop", a type to leave out, or a correction of two tokens or more.
struct Selection {
  Mode mode;
  bool single, multi, once;
  const std::uint8_t *is_noop, *is_dropped, *is_several;
};

// Rows of three (TP, TP + FP, TP + FN) per pair of annotators; sentence s has the rows offsets[s]:offsets[s + 1].
struct PairCounts {
  std::vector<std::int64_t> rows, offsets{0};
};

// TP, FP and FN by error type, in order of appearance.
class TypeCounts {
 public:
  struct Row {
    std::int32_t type;
    std::array<std::int64_t, 3> counts;
  };
  std::vector<Row> types;

  void add(std::int32_t type, int outcome);

 private:
  std::unordered_map<std::int32_t, std::size_t> places_;
};

// Both sides have the same number of sentences.
PairCounts count_pairs(const EditRows& ours, const EditRows& theirs, const Selection& selection);

// Counts the error types of the pair chosen for each sentence, given by its place among the sentence's rows. Throws
// std::invalid_argument if there is no such pair.
TypeCounts count_types(const EditRows& ours, const EditRows& theirs, const Selection& selection,
                       const std::int64_t* chosen);

}  // namespace gecbench::errant
