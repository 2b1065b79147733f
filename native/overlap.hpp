// How many tokens two lines share (Python reference: gecbench/kernels/tokens.py).
#pragma once

#include <cstdint>
#include <string_view>

namespace gecbench {

// Lines laid end to end: line i is text[offsets[i]] .. text[offsets[i + 1]], in UTF-8.
struct Lines {
  std::string_view text;
  const std::int64_t* offsets;

  std::string_view operator[](std::int64_t index) const {
    return text.substr(offsets[index], offsets[index + 1] - offsets[index]);
  }
};

// rows[pair][4]: tokens of the left line, tokens of the right, distinct ones in both, in either.
void count_shared(const Lines& left, const Lines& right, std::int64_t pairs, std::int32_t* rows);

}  // namespace gecbench
