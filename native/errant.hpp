// Two M2 files compared as errant_compare does (docs/errant.md; twin of gecbench/kernels/errant.py).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gecbench::errant {

enum class Mode { correction, correction_and_type, span, token };

// Which edits are compared, and by what; as the Python twin describes it.
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

// False if a file is not of the usual form, or if they are not of the same sentences.
bool count_files(std::string_view hypothesis, std::string_view reference, const Selection& selection,
                 PairCounts& counts);

// Counts the types of the pair chosen for each sentence: its place among the sentence's rows.
bool tally_files(std::string_view hypothesis, std::string_view reference, const Selection& selection,
                 const std::int64_t* chosen, std::int64_t sentences, TypeCounts& counts);

}  // namespace gecbench::errant
