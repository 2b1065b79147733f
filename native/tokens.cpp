#include "tokens.hpp"

#include <memory>

#include "threads.hpp"

namespace gecbench {
namespace {

// Number of bytes of the whitespace character at the cursor, 0 if there is none.
std::size_t ascii_whitespace(std::string_view text) {
  const char first = text[0];
  return first == ' ' || (first >= '\t' && first <= '\r') ? 1 : 0;
}

bool is_unicode_space(std::uint32_t code) {
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

std::size_t unicode_whitespace(std::string_view text) {
  const auto byte = [text](std::size_t index) { return std::uint32_t{static_cast<unsigned char>(text[index])}; };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return ascii_whitespace(text) == 1 || (first >= 0x1C && first <= 0x1F) ? 1 : 0;
  if (first == 0xC2 && text.size() > 1) return is_unicode_space(byte(1)) ? 2 : 0;
  if (first >= 0xE1 && first <= 0xE3 && text.size() > 2) {
    const std::uint32_t code = ((first & 0x0FU) << 12) | ((byte(1) & 0x3FU) << 6) | (byte(2) & 0x3FU);
    return is_unicode_space(code) ? 3 : 0;
  }
  return 0;
}

class Vocabulary {
 public:
  Vocabulary() : slots_(1 << 12, -1) {}

  std::int32_t number(std::string_view token) {
    if (2 * entries_.size() >= slots_.size()) grow();
    const std::uint64_t hash = hash_of(token);
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] >= 0) {
      const Entry& entry = entries_[slots_[slot]];
      const bool same_size = entry.hash == hash && entry.token.size() == token.size();
      if (same_size && (token.size() <= kShort || entry.token == token)) return slots_[slot];
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = static_cast<std::int32_t>(entries_.size());
    entries_.push_back(Entry{hash, token});
    return slots_[slot];
  }

  // All tokens in the order of their numbers.
  std::vector<std::string_view> tokens() const {
    std::vector<std::string_view> found;
    for (const Entry& entry : entries_) found.push_back(entry.token);
    return found;
  }

 private:
  struct Entry {
    std::uint64_t hash;
    std::string_view token;
  };

  static constexpr std::size_t kShort = 7;

  // Up to kShort bytes and their number fit a word, and every step can be undone: equal hashes are equal short tokens.
  static std::uint64_t hash_of(std::string_view token) {
    std::uint64_t hash = static_cast<std::uint64_t>(token.size()) << 56;
    for (std::size_t begin = 0; begin < token.size(); begin += kShort) {
      std::uint64_t word = 0;
      for (const char byte : token.substr(begin, kShort)) word = word << 8 | static_cast<unsigned char>(byte);
      hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 32;
    }
    return hash;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), -1);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t slot = entries_[i].hash & (slots_.size() - 1);
      while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::int32_t>(i);
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;
};

template <typename Whitespace>
void split_line(std::string_view line, Whitespace whitespace, Vocabulary& vocabulary, std::vector<std::int32_t>& ids) {
  std::size_t start = 0, end = 0;  // of the token in hand
  while (end < line.size()) {
    const std::size_t blank = whitespace(line.substr(end));
    if (blank == 0) {
      ++end;
      continue;
    }
    if (end > start) ids.push_back(vocabulary.number(line.substr(start, end - start)));
    start = end += blank;
  }
  if (end > start) ids.push_back(vocabulary.number(line.substr(start)));
}

// Lines first … last - 1, numbered by themselves.
struct Part {
  Vocabulary vocabulary;
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> ends;  // of each line, in ids

  Part(std::string_view text, const std::int64_t* line_offsets, std::int64_t first, std::int64_t last, bool unicode) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::string_view line = text.substr(line_offsets[i], line_offsets[i + 1] - line_offsets[i]);
      if (unicode)
        split_line(line, unicode_whitespace, vocabulary, ids);
      else
        split_line(line, ascii_whitespace, vocabulary, ids);
      ends.push_back(static_cast<std::int64_t>(ids.size()));
    }
  }
};

// Parts in order give the numbers of one pass: the first keeps its own, new tokens of the others follow.
InternedTokens joined(std::vector<std::unique_ptr<Part>>& parts, int threads) {
  InternedTokens result;
  result.offsets.push_back(0);
  std::vector<std::int64_t> begins;
  std::vector<std::vector<std::int32_t>> numbers(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    begins.push_back(result.offsets.back());
    for (const std::int64_t end : parts[p]->ends) result.offsets.push_back(begins[p] + end);
    if (p == 0) continue;
    for (const std::string_view token : parts[p]->vocabulary.tokens())
      numbers[p].push_back(parts[0]->vocabulary.number(token));
  }
  result.ids = std::move(parts[0]->ids);
  result.ids.resize(result.offsets.back());
  run_tasks(static_cast<std::int64_t>(parts.size()) - 1, threads, [&](std::int64_t task) {
    const std::size_t p = static_cast<std::size_t>(task) + 1;
    std::transform(parts[p]->ids.begin(), parts[p]->ids.end(), result.ids.begin() + begins[p],
                   [&](std::int32_t id) { return numbers[p][id]; });
  });
  return result;
}

// Fewer lines are not worth a thread.
constexpr std::int64_t kFewestLines = 4096;

}  // namespace

InternedTokens intern(std::string_view text, const std::int64_t* line_offsets, std::int64_t lines, bool unicode,
                      int threads) {
  const std::int64_t count = std::max<std::int64_t>(1, std::min<std::int64_t>(threads, lines / kFewestLines));
  std::vector<std::unique_ptr<Part>> parts(count);
  run_tasks(count, threads, [&](std::int64_t part) {
    const std::int64_t first = lines * part / count, last = lines * (part + 1) / count;
    parts[part] = std::make_unique<Part>(text, line_offsets, first, last, unicode);
  });
  return joined(parts, threads);
}

}  // namespace gecbench
