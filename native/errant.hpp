// Comparison of edits as errant_compare does it (Bryant et al. 2017; docs/metrics/errant.md).
// Python reference: gecbench/kernels/errant.py.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace gecbench::errant {

enum class Mode { correction, correction_and_type, span, token };

// The edits of a system, or of the gold. A row is an annotator of a sentence. Sentence s has the rows
// row_offsets[s]:row_offsets[s + 1]. Row r has the edits edit_offsets[r]:edit_offsets[r + 1]. Types and corrections are
// indexes of strings.
struct EditRows {
  const std::int64_t *row_offsets, *edit_offsets, *starts, *ends;
  const std::int32_t *types, *corrections;
  std::int64_t sentences;
};

// The edits to compare, and the fields in which two edits must agree: span and correction, also the type, only the
// span, or tokens. `single` drops edits with two or more tokens on either side. `multi` drops all other edits. With
// `once`, edits with the same key count once. The flags mark each string that is "noop", a type to drop, or a
// correction of two or more tokens.
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
