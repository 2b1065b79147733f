#include "tokens.hpp"

#include "split.hpp"

namespace gecbench {
namespace {

class Vocabulary {
 public:
  Vocabulary() : slots_(1 << 12, -1) {}

  std::int32_t number(std::string_view token) {
    if (2 * entries_.size() >= slots_.size()) grow();
    const std::uint64_t hash = hash_of(token);
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] >= 0) {
      const Entry& entry = entries_[slots_[slot]];
      if (entry.hash == hash && entry.token == token) return slots_[slot];
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = static_cast<std::int32_t>(entries_.size());
    entries_.push_back(Entry{hash, token});
    return slots_[slot];
  }

  void list(std::string& tokens, std::vector<std::int64_t>& lengths) const {
    for (const Entry& entry : entries_) {
      tokens += entry.token;
      lengths.push_back(static_cast<std::int64_t>(entry.token.size()));
    }
  }

 private:
  struct Entry {
    std::uint64_t hash;
    std::string_view token;
  };

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

}  // namespace

InternedTokens intern(std::string_view text, const std::int64_t* line_offsets, std::int64_t lines, bool unicode,
                      bool list_vocabulary) {
  InternedTokens result;
  result.offsets.reserve(lines + 1);
  result.offsets.push_back(0);
  Vocabulary vocabulary;
  for (std::int64_t i = 0; i < lines; ++i) {
    const std::string_view line = text.substr(line_offsets[i], line_offsets[i + 1] - line_offsets[i]);
    split_line(line, unicode, [&](std::string_view token) { result.ids.push_back(vocabulary.number(token)); });
    result.offsets.push_back(static_cast<std::int64_t>(result.ids.size()));
  }
  if (list_vocabulary) vocabulary.list(result.vocabulary, result.lengths);
  return result;
}

}  // namespace gecbench
