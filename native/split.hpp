// Splitting UTF-8 lines into tokens as Python does, and hashing tokens.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gecbench {

// What a byte may be: part of a token, a blank, or the first byte of a blank beyond ASCII.
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

// The number of bytes of the blank that the text begins with, 0 if it begins with another character beyond ASCII.
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

// Calls visit(token) for each token of a line that may have blanks beyond ASCII.
template <typename Visit>
void split_wide(std::string_view line, const Visit& visit) {
  std::size_t start = 0, end = 0;  // of the token in hand
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
// The edges of tokens are collected some bytes at a time, without a jump that the processor would have to guess.
template <typename Visit>
void split_line(std::string_view line, bool unicode, const Visit& visit) {
  if (unicode && !is_ascii(line)) return split_wide(line, visit);
  const ByteKinds& kinds = unicode ? kUnicodeKinds : kAsciiKinds;
  constexpr std::size_t kBytes = 256;
  std::array<std::uint8_t, kBytes> edges;
  std::size_t start = 0;
  bool inside = false, open = false;  // a token: at the last byte looked at, at the last edge
  for (std::size_t begin = 0; begin < line.size(); begin += kBytes) {
    std::size_t count = 0;
    const std::size_t bytes = std::min(kBytes, line.size() - begin);
    for (std::size_t i = 0; i < bytes; ++i) {
      const bool blank = kinds[static_cast<unsigned char>(line[begin + i])] == ByteKind::kBlank;
      edges[count] = static_cast<std::uint8_t>(i);
      count += blank == inside ? 1 : 0;
      inside = !blank;
    }
    for (std::size_t edge = 0; edge < count; ++edge, open = !open) {
      const std::size_t place = begin + edges[edge];
      if (open) visit(std::string_view(line.data() + start, place - start));
      start = place;
    }
  }
  if (open) visit(line.substr(start));
}

// A token of up to kShortToken bytes fits a word with its size, and every step of its hash can be undone: of short
// tokens, equal hashes are equal tokens.
constexpr std::size_t kShortToken = 7;

// Up to kShortToken bytes as a word, the rest of which is 0; the memory may be read up to its end.
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

// The token lies in memory that may be read up to its end.
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

// Whether tokens of equal hash are equal.
inline bool same_token(std::string_view left, std::string_view right) {
  return left.size() == right.size() && (left.size() <= kShortToken || left == right);
}

}  // namespace gecbench
