// Splitting UTF-8 lines into tokens as Python does, and hashing tokens.
#pragma once

#include <array>
#include <cstdint>
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

// Calls visit(token) for each token. unicode: split like Python 3's str.split(); otherwise like bytes.split().
template <typename Visit>
void split_line(std::string_view line, bool unicode, const Visit& visit) {
  const ByteKinds& kinds = unicode ? kUnicodeKinds : kAsciiKinds;
  std::size_t start = 0, end = 0;  // of the token in hand
  while (end < line.size()) {
    const ByteKind kind = kinds[static_cast<unsigned char>(line[end])];
    if (kind == ByteKind::kToken) {
      ++end;
      continue;
    }
    const std::size_t blank = kind == ByteKind::kBlank ? 1 : wide_blank(line.substr(end));
    if (blank == 0) {
      ++end;
      continue;
    }
    if (end > start) visit(line.substr(start, end - start));
    start = end += blank;
  }
  if (end > start) visit(line.substr(start));
}

// Up to kShortToken bytes and their number fit a word, and every step can be undone: of short tokens of one size, equal
// hashes are equal tokens.
constexpr std::size_t kShortToken = 7;

inline std::uint64_t hash_of(std::string_view token) {
  std::uint64_t hash = static_cast<std::uint64_t>(token.size()) << 56;
  for (std::size_t begin = 0; begin < token.size(); begin += kShortToken) {
    std::uint64_t word = 0;
    for (const char byte : token.substr(begin, kShortToken)) word = word << 8 | static_cast<unsigned char>(byte);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace gecbench
