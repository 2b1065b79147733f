// M2 files of the usual form as arrays (twin of gecbench/kernels/m2.py).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gecbench {

// The edits of an M2 file, as the Python twin describes them.
struct EditTable {
  std::vector<std::int64_t> source_lines, row_offsets{0}, annotators, edit_offsets{0};
  std::vector<std::int32_t> starts, ends;
  std::vector<std::int64_t> alternative_offsets{0};
  std::string corrections;
  std::vector<std::int64_t> correction_lengths;
  std::string spelled;
};

// An edit line as it stands: `A start end|||type|||corrections|||...|||annotator`.
struct EditLine {
  std::int32_t start = 0, end = 0, annotator = 0;
  std::string_view type, corrections;
  int fields = 0;
};

// Takes what stands before the separator, or all that is left, off the text.
std::string_view take(std::string_view& text, std::string_view separator);

// Reads a line of four fields or more, the last the annotator; false if a number is not a plain one of up to nine
// digits.
bool read_edit_line(std::string_view line, EditLine& edit);

// False if the text is not of the usual form.
bool read_edits(std::string_view text, EditTable& table);

}  // namespace gecbench
