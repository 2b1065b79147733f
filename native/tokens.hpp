// Token sequences as integer ids, and the conversion of text to ids: lines are split as Python does, tokens are hashed,
// and equal tokens get the same number. Python reference: gecbench/kernels/tokens.py.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace gecbench {

// A view of a token sequence.
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

// Concatenated token sequences: sequence i is ids[offsets[i]:offsets[i + 1]].
struct TokenArray {
  const std::int32_t* ids = nullptr;
  const std::int64_t* offsets = nullptr;
  std::int64_t size = 0;

  TokenSpan operator[](std::int64_t index) const {
    return {ids + offsets[index], static_cast<std::int32_t>(offsets[index + 1] - offsets[index])};
  }
};

// Token ids per line, and the distinct tokens in the order of their ids, concatenated, with the length of each.
struct InternedTokens {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets;
  std::string vocabulary;
  std::vector<std::int64_t> lengths;
};

// Line i is the UTF-8 bytes text[line_offsets[i]] .. text[line_offsets[i + 1]].
// unicode_whitespace: split like Python 3's str.split(); otherwise like bytes.split() (ASCII blanks only).
// The vocabulary is filled only with list_vocabulary.
InternedTokens intern(std::string_view text, const std::int64_t* line_offsets, std::int64_t lines,
                      bool unicode_whitespace, bool list_vocabulary, int threads);

// Splitting and hashing

// What a byte can be: part of a token, a blank, or the first byte of a non-ASCII blank.
enum class ByteKind : std::uint8_t { kToken, kBlank, kPerhaps };
using ByteKinds = std::array<ByteKind, 256>;

constexpr ByteKinds byte_kinds(bool unicode) {
  ByteKinds kinds{};
  for (int byte = '\t'; byte <= '\r'; ++byte) kinds[byte] = ByteKind::kBlank;
  kinds[' '] = ByteKind::kBlank;
  if (!unicode) return kinds;
  for (int byte = 0x1C; byte <= 0x1F; ++byte) kinds[byte] = ByteKind::kBlank;
  kinds[0xC2] = kinds[0xE1] = kinds[0xE2] = kinds[0xE3] = ByteKind::kPerhaps;
  return kinds;
}

inline constexpr ByteKinds kAsciiKinds = byte_kinds(false), kUnicodeKinds = byte_kinds(true);

constexpr bool is_wide_blank(std::uint32_t code) {
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

// The number of bytes of the non-ASCII blank at the start of the text, 0 if there is another character.
inline std::size_t wide_blank(std::string_view text) {
  const auto byte = [text](std::size_t index) { return std::uint32_t{static_cast<unsigned char>(text[index])}; };
  if (byte(0) == 0xC2) return text.size() > 1 && is_wide_blank(byte(1)) ? 2 : 0;
  if (text.size() < 3) return 0;
  return is_wide_blank(((byte(0) & 0x0FU) << 12) | ((byte(1) & 0x3FU) << 6) | (byte(2) & 0x3FU)) ? 3 : 0;
}

inline bool is_ascii(std::string_view line) {
  unsigned char bits = 0;
  for (const char byte : line) bits |= static_cast<unsigned char>(byte);
  return bits < 0x80;
}

// Calls visit(token) for each token of a line that may have non-ASCII blanks.
template <typename Visit>
void split_wide(std::string_view line, const Visit& visit) {
  std::size_t start = 0, end = 0;  // of the current token
  while (end < line.size()) {
    const ByteKind kind = kUnicodeKinds[static_cast<unsigned char>(line[end])];
    const std::size_t blank = kind == ByteKind::kToken   ? 0
                              : kind == ByteKind::kBlank ? 1
                                                         : wide_blank(line.substr(end));
    if (blank == 0) {
      ++end;
      continue;
    }
    if (end > start) visit(line.substr(start, end - start));
    start = end += blank;
  }
  if (end > start) visit(line.substr(start));
}

// Calls visit(token) for each token. unicode: split like Python 3's str.split(); otherwise like bytes.split().
// The boundaries of tokens are first collected for a chunk of bytes, without a branch per byte: mispredicted branches
// would cost more than the rest of the work.
template <typename Visit>
void split_line(std::string_view line, bool unicode, const Visit& visit) {
  if (unicode && !is_ascii(line)) return split_wide(line, visit);
  const ByteKinds& kinds = unicode ? kUnicodeKinds : kAsciiKinds;
  constexpr std::size_t kBytes = 256;
  std::array<std::uint8_t, kBytes> boundaries;
  std::size_t start = 0;
  bool inside = false, open = false;  // is a token open after the last byte, after the last boundary?
  for (std::size_t begin = 0; begin < line.size(); begin += kBytes) {
    std::size_t count = 0;
    const std::size_t bytes = std::min(kBytes, line.size() - begin);
    for (std::size_t i = 0; i < bytes; ++i) {
      const bool blank = kinds[static_cast<unsigned char>(line[begin + i])] == ByteKind::kBlank;
      boundaries[count] = static_cast<std::uint8_t>(i);
      count += blank == inside ? 1 : 0;
      inside = !blank;
    }
    for (std::size_t boundary = 0; boundary < count; ++boundary, open = !open) {
      const std::size_t place = begin + boundaries[boundary];
      if (open) visit(std::string_view(line.data() + start, place - start));
      start = place;
    }
  }
  if (open) visit(line.substr(start));
}

// A token of up to kShortToken bytes fits into one word together with its size, and every step of its hash is
// invertible. So short tokens with equal hashes are equal.
constexpr std::size_t kShortToken = 7;

// Up to kShortToken bytes as a word, padded with zeros. Memory can be read up to `end`.
inline std::uint64_t read_short(const char* bytes, std::size_t size, const char* end) {
  static constexpr std::array<unsigned char, 16> kMasks{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  std::uint64_t word = 0, mask = 0;
  if (end - bytes < 8) {
    std::memcpy(&word, bytes, size);
    return word;
  }
  std::memcpy(&word, bytes, 8);
  std::memcpy(&mask, kMasks.data() + 8 - size, 8);
  return word & mask;
}

// The hash of a token in memory that can be read up to `end`.
inline std::uint64_t hash_of(std::string_view token, const char* end) {
  const auto mix = [](std::uint64_t hash) {
    hash *= 0x9E3779B97F4A7C15ULL;
    return hash ^ hash >> 32;
  };
  const char* bytes = token.data();
  std::size_t size = token.size();
  std::uint64_t hash = static_cast<std::uint64_t>(size) << 56;
  for (; size > kShortToken; bytes += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    hash = mix(hash ^ word);
  }
  return mix(hash ^ read_short(bytes, size, end));
}

// Whether two tokens with the same hash are equal.
inline bool same_token(std::string_view left, std::string_view right) {
  return left.size() == right.size() && (left.size() <= kShortToken || left == right);
}

}  // namespace gecbench
