// Each thread numbers the tokens of its own lines. Then the vocabularies are merged in the order of the lines. So the
// ids are those of one pass over all lines: 0, 1, ... in order of appearance.
#include "tokens.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "threads.hpp"

namespace gecbench {
namespace {

constexpr std::int64_t kLinesPerPart = 4096;  // fewer lines are not worth a second thread
constexpr std::int64_t kBytesPerToken = 4;    // an estimate on the low side, to reserve memory

// Tokens and their ids: a hash table with open addressing.
class Vocabulary {
 public:
  Vocabulary() : slots_(1 << 12, -1) {}

  std::int32_t number(std::string_view token, std::uint64_t hash) {
    if (2 * entries_.size() >= slots_.size()) grow();
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] >= 0) {
      const Entry& entry = entries_[slots_[slot]];
      if (entry.hash == hash && same_token(entry.token, token)) return slots_[slot];
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = static_cast<std::int32_t>(entries_.size());
    entries_.push_back(Entry{hash, token});
    return slots_[slot];
  }

  // Adds another vocabulary's tokens and returns their ids in this one.
  std::vector<std::int32_t> number_all(const Vocabulary& other) {
    std::vector<std::int32_t> numbers;
    numbers.reserve(other.entries_.size());
    for (const Entry& entry : other.entries_) numbers.push_back(number(entry.token, entry.hash));
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
    if (entries_.size() > std::numeric_limits<std::int32_t>::max() / 4)
      throw std::length_error("the text has too many distinct tokens");
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

// Consecutive lines with their own ids. Parts are aligned such that two never share a cache line, since threads would
// slow each other down.
struct alignas(64) Part {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> ends;  // of each line in ids
  Vocabulary vocabulary;
};

// First lines of `count` parts with about the same number of bytes, and the end of the last one.
std::vector<std::int64_t> bounds_of_parts(const std::int64_t* line_offsets, std::int64_t lines, std::int64_t count) {
  std::vector<std::int64_t> bounds;
  for (std::int64_t number = 0; number < count; ++number) {
    const std::int64_t bytes = line_offsets[lines] / count * number;
    bounds.push_back(std::lower_bound(line_offsets, line_offsets + lines, bytes) - line_offsets);
  }
  bounds.push_back(lines);
  return bounds;
}

}  // namespace

InternedTokens intern(std::string_view text, const std::int64_t* line_offsets, std::int64_t lines, bool unicode,
                      bool list_vocabulary, int threads) {
  const std::int64_t most = (lines + kLinesPerPart - 1) / kLinesPerPart;
  const std::int64_t count = std::max<std::int64_t>(1, std::min<std::int64_t>(threads, most));
  std::vector<Part> parts(static_cast<std::size_t>(count));
  const std::vector<std::int64_t> bounds = bounds_of_parts(line_offsets, lines, count);
  run_tasks(count, threads, [&](std::int64_t number) {
    Part& part = parts[static_cast<std::size_t>(number)];
    part.ends.reserve(static_cast<std::size_t>(bounds[number + 1] - bounds[number]));
    const std::int64_t bytes = line_offsets[number == 0 ? lines : bounds[number + 1]] - line_offsets[bounds[number]];
    part.ids.reserve(static_cast<std::size_t>(bytes / kBytesPerToken));
    for (std::int64_t i = bounds[number]; i < bounds[number + 1]; ++i) {
      if (i % 256 == 0) look_for_stop();
      const std::string_view line = text.substr(line_offsets[i], line_offsets[i + 1] - line_offsets[i]);
      split_line(line, unicode, [&](std::string_view token) {
        part.ids.push_back(part.vocabulary.number(token, hash_of(token, text.data() + text.size())));
      });
      part.ends.push_back(static_cast<std::int64_t>(part.ids.size()));
    }
  });
  // The first part keeps its ids; new tokens of the others follow in order of appearance.
  Vocabulary& vocabulary = parts[0].vocabulary;
  InternedTokens result;
  result.ids = std::move(parts[0].ids);
  result.offsets.resize(lines + 1, 0);
  std::vector<std::int64_t> begins{0};  // of each part in the ids of all
  std::vector<std::vector<std::int32_t>> numbers(1);
  for (std::size_t number = 1; number < parts.size(); ++number) {
    numbers.push_back(vocabulary.number_all(parts[number].vocabulary));
    begins.push_back(static_cast<std::int64_t>(result.ids.size()));
    result.ids.resize(result.ids.size() + parts[number].ids.size());
  }
  run_tasks(count, threads, [&](std::int64_t number) {
    const Part& part = parts[static_cast<std::size_t>(number)];
    std::int32_t* ids = result.ids.data() + begins[number];
    for (std::size_t n = 0; number > 0 && n < part.ids.size(); ++n) ids[n] = numbers[number][part.ids[n]];
    std::int64_t* ends = result.offsets.data() + bounds[number] + 1;
    for (std::size_t n = 0; n < part.ends.size(); ++n) ends[n] = begins[number] + part.ends[n];
  });
  if (list_vocabulary) vocabulary.list(result.vocabulary, result.lengths);
  return result;
}

}  // namespace gecbench
