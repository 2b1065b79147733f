// Tokens as small integers: splitting text, and giving equal tokens equal numbers (twin of gecbench/kernels/tokens.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gecbench {

// A token sequence that lies in somebody else's memory.
struct TokenSpan {
  const std::int32_t* data = nullptr;
  std::int32_t size = 0;

  std::int32_t operator[](std::int64_t index) const { return data[index]; }
  const std::int32_t* begin() const { return data; }
  const std::int32_t* end() const { return data + size; }
  TokenSpan part(std::int32_t start, std::int32_t end) const { return {data + start, end - start}; }
};

inline bool operator==(TokenSpan left, TokenSpan right) {
  return left.size == right.size && std::equal(left.begin(), left.end(), right.begin());
}

inline bool operator<(TokenSpan left, TokenSpan right) {
  return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
}

// Token sequences laid end to end: sequence i is ids[offsets[i]:offsets[i + 1]].
struct TokenArray {
  const std::int32_t* ids = nullptr;
  const std::int64_t* offsets = nullptr;
  std::int64_t size = 0;

  TokenSpan operator[](std::int64_t index) const {
    return {ids + offsets[index], static_cast<std::int32_t>(offsets[index + 1] - offsets[index])};
  }
};

// Numbers of tokens, and the distinct tokens in the order of their numbers, laid end to end with the length of each.
struct InternedTokens {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets;
  std::string vocabulary;
  std::vector<std::int64_t> lengths;
};

// Line i is the UTF-8 bytes text[line_offsets[i]] .. text[line_offsets[i + 1]].
// unicode_whitespace: split like Python 3's str.split(); otherwise like bytes.split() (ASCII blanks only).
// The vocabulary is listed only if wanted. Threads number the tokens of their own lines first.
InternedTokens intern(std::string_view text, const std::int64_t* line_offsets, std::int64_t lines,
                      bool unicode_whitespace, bool list_vocabulary, int threads);

}  // namespace gecbench
