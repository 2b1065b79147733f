// Splitting text into tokens and giving equal tokens equal numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace gecbench {

struct InternedTokens {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets;
  std::int32_t vocabulary;
};

// Line i is the UTF-8 bytes text[line_offsets[i]] .. text[line_offsets[i + 1]].
// unicode_whitespace: split like Python 3's str.split(); otherwise like bytes.split() (ASCII blanks only).
InternedTokens intern(const char* text, const std::int64_t* line_offsets, std::int64_t lines,
                      bool unicode_whitespace);

}  // namespace gecbench
