#include "tokens.hpp"

#include <algorithm>

#include "split.hpp"
#include "threads.hpp"

namespace gecbench {
namespace {

constexpr std::int64_t kLinesOfAPart = 4096;  // fewer need no second thread

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

  // The numbers of another vocabulary's tokens in this one.
  std::vector<std::int32_t> number_all(const Vocabulary& other) {
    std::vector<std::int32_t> numbers;
    for (const Entry& entry : other.entries_) numbers.push_back(number(entry.token));
    return numbers;
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

// Consecutive lines, their tokens numbered by themselves.
struct Part {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> ends;  // of each line in ids
  Vocabulary vocabulary;
};

}  // namespace

InternedTokens intern(std::string_view text, const std::int64_t* line_offsets, std::int64_t lines, bool unicode,
                      bool list_vocabulary, int threads) {
  const std::int64_t most = (lines + kLinesOfAPart - 1) / kLinesOfAPart;
  const std::int64_t count = std::max<std::int64_t>(1, std::min<std::int64_t>(threads, most));
  std::vector<Part> parts(static_cast<std::size_t>(count));
  const auto bound = [&](std::int64_t number) { return lines * number / count; };
  run_tasks(count, threads, [&](std::int64_t number) {
    Part& part = parts[static_cast<std::size_t>(number)];
    for (std::int64_t i = bound(number); i < bound(number + 1); ++i) {
      const std::string_view line = text.substr(line_offsets[i], line_offsets[i + 1] - line_offsets[i]);
      split_line(line, unicode, [&](std::string_view token) { part.ids.push_back(part.vocabulary.number(token)); });
      part.ends.push_back(static_cast<std::int64_t>(part.ids.size()));
    }
  });
  // The tokens of the first part keep their numbers; those of the others come after them, as they appear.
  Vocabulary& vocabulary = parts[0].vocabulary;
  InternedTokens result;
  result.ids = std::move(parts[0].ids);
  result.offsets.reserve(lines + 1);
  result.offsets.push_back(0);
  result.offsets.insert(result.offsets.end(), parts[0].ends.begin(), parts[0].ends.end());
  for (std::size_t number = 1; number < parts.size(); ++number) {
    const std::vector<std::int32_t> numbers = vocabulary.number_all(parts[number].vocabulary);
    const auto before = static_cast<std::int64_t>(result.ids.size());
    for (const std::int32_t id : parts[number].ids) result.ids.push_back(numbers[id]);
    for (const std::int64_t end : parts[number].ends) result.offsets.push_back(before + end);
  }
  if (list_vocabulary) vocabulary.list(result.vocabulary, result.lengths);
  return result;
}

}  // namespace gecbench
