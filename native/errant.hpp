// Comparison of two M2 files as errant_compare does it (Bryant et al. 2017; docs/errant.md), straight from the text.
// Python reference: gecbench/kernels/errant.py.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gecbench::errant {

enum class Mode { correction, correction_and_type, span, token };

// Which edits are compared, and by what: by span and correction, with the type too, by span alone, or by token.
// `single` drops edits of two tokens or more on either side, `multi` the others, `filtered` those of some types. With
// `once`, edits with the same key count once.
struct Selection {
  Mode mode;
  bool single, multi, once;
  std::vector<std::string> filtered;
};

// Rows of three (TP, TP + FP, TP + FN) per pair of annotators; sentence s has the rows offsets[s]:offsets[s + 1].
struct PairCounts {
  std::vector<std::int64_t> rows, offsets{0};
};

// TP, FP and FN by error type, in order of appearance.
class TypeCounts {
 public:
  struct Row {
    std::string_view type;
    std::array<std::int64_t, 3> counts;
  };
  std::vector<Row> types;

  void add(std::string_view type, int outcome);

 private:
  std::unordered_map<std::string_view, std::size_t> places_;
};

// False if a file does not have the standard layout, or if the sentences differ.
bool count_files(std::string_view hypothesis, std::string_view reference, const Selection& selection,
                 PairCounts& counts);

// Counts the error types of the pair chosen for each sentence, given by its place among the sentence's rows.
bool tally_files(std::string_view hypothesis, std::string_view reference, const Selection& selection,
                 const std::int64_t* chosen, std::int64_t sentences, TypeCounts& counts);

}  // namespace gecbench::errant
