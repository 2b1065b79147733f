// Fast parser of M2 files with the standard layout: blocks of one `S ` line and `A` lines with plain numbers, separated
// by empty lines, and no span outside its sentence. Other files are left to a reader that can explain errors. Python
// reference: gecbench/kernels/m2.py.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gecbench {

// The edits of an M2 file. Sentence s is line source_lines[s] and has the annotators row_offsets[s]:row_offsets[s + 1],
// row r the edits edit_offsets[r]:edit_offsets[r + 1]; edit e replaces the tokens [starts[e], ends[e]) by one of the
// corrections alternative_offsets[e]:alternative_offsets[e + 1]. These are concatenated, each with its length in bytes,
// without those whose blanks are not single spaces. `spelled` is the same for a fingerprint: byte 0 before each
// sentence, 2 and the number before each annotator, 3, span and type before each edit, 1 before each correction.
struct EditTable {
  std::vector<std::int64_t> source_lines, row_offsets{0}, annotators, edit_offsets{0};
  std::vector<std::int32_t> starts, ends;
  std::vector<std::int64_t> alternative_offsets{0};
  std::string corrections;
  std::vector<std::int64_t> correction_lengths;
  std::string spelled;
};

// An edit line: `A start end|||type|||corrections|||...|||annotator`.
struct EditLine {
  std::int32_t start = 0, end = 0, annotator = 0;
  std::string_view type, corrections;
  int fields = 0;
};

// Removes and returns the text before the separator, or all of it; removes the separator, too.
std::string_view take(std::string_view& text, std::string_view separator);

// Parses a line of four fields or more, the last of which is the annotator. False if a number is not plain, or has more
// than nine digits.
bool read_edit_line(std::string_view line, EditLine& edit);

// False if the file does not have the standard layout.
bool read_edits(std::string_view text, EditTable& table);

}  // namespace gecbench
