// Fast parser of M2 files with the standard layout: blocks of one `S ` line and `A` lines of six fields with plain
// numbers, separated by empty lines. Other files are left to the Python parser, which can explain what is wrong with
// them. Python reference: gecbench/kernels/m2.py.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gecbench {

// The edits of a file, concatenated. Sentence s is on line source_lines[s], has source_lengths[s] tokens and the rows
// row_offsets[s]:row_offsets[s + 1], one per annotator, in order of appearance. Row r has the edits
// edit_offsets[r]:edit_offsets[r + 1], in the order of the file. Edit e is on line edit_lines[e] and spans the tokens
// starts[e]:ends[e]. Its other fields are indexes of `strings`, the distinct fields, which are views of the text.
struct ParsedM2 {
  std::vector<std::int64_t> source_lines, source_lengths, row_offsets{0}, annotators, edit_offsets{0};
  std::vector<std::int64_t> edit_lines, starts, ends;
  std::vector<std::int32_t> types, corrections, required, comments;
  std::vector<std::string_view> strings;
};

// False if the file does not have the standard layout. `errant` adds the rules of errant_compare: exactly one empty
// line between blocks, and spans of at most 10,000 tokens.
bool parse_m2(std::string_view text, bool errant, ParsedM2& parsed);

}  // namespace gecbench
