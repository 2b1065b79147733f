#include "tokens.hpp"

#include <memory>

#include "split.hpp"
#include "threads.hpp"

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
      const bool same_size = entry.hash == hash && entry.token.size() == token.size();
      if (same_size && (token.size() <= kShortToken || entry.token == token)) return slots_[slot];
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

// Lines first … last - 1, numbered by themselves.
struct Part {
  Vocabulary vocabulary;
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> ends;  // of each line, in ids

  Part(std::string_view text, const std::int64_t* line_offsets, std::int64_t first, std::int64_t last, bool unicode) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::string_view line = text.substr(line_offsets[i], line_offsets[i + 1] - line_offsets[i]);
      split_line(line, unicode, [&](std::string_view token) { ids.push_back(vocabulary.number(token)); });
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
