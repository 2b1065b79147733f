// Turns arbitrary bytes into valid input of the kernels: arrays that the bindings would accept. Few tokens are
// distinct, so that many alignments are equally good.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokens.hpp"

namespace gecbench::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Offsets must start at 0, never decrease, and end at the number of items.
inline void require_offsets(const std::vector<std::int64_t>& offsets, std::size_t items) {
  require(!offsets.empty() && offsets[0] == 0 && offsets.back() == static_cast<std::int64_t>(items));
  for (std::size_t i = 1; i < offsets.size(); ++i) require(offsets[i - 1] <= offsets[i]);
}

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  // A number below a limit; 0 when the bytes are used up.
  int below(int limit) { return size_ == 0 ? 0 : take() % limit; }
  int between(int least, int most) { return least + below(most - least + 1); }
  bool yes() { return below(2) == 1; }
  std::string text(std::size_t most) {
    std::string found;
    while (size_ != 0 && found.size() < most) found += static_cast<char>(take());
    return found;
  }
  std::string rest() { return text(size_); }

 private:
  std::uint8_t take() {
    --size_;
    return *data_++;
  }

  const std::uint8_t* data_;
  std::size_t size_;
};

// Token sequences that own their memory.
struct Texts {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets{0};

  void add(Bytes& bytes, int longest) {
    for (int left = bytes.below(longest + 1); left > 0; --left) ids.push_back(bytes.below(5));
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  std::size_t size() const { return offsets.size() - 1; }
  TokenArray array() const { return {ids.data(), offsets.data(), static_cast<std::int64_t>(size())}; }
};

inline Texts texts(Bytes& bytes, std::size_t count, int longest = 9) {
  Texts made;
  for (std::size_t i = 0; i < count; ++i) made.add(bytes, longest);
  return made;
}

// Random numbers of parts for each of `owners`, as offsets.
inline std::vector<std::int64_t> divide(Bytes& bytes, std::size_t owners, int least, int most) {
  std::vector<std::int64_t> offsets{0};
  for (std::size_t i = 0; i < owners; ++i) offsets.push_back(offsets.back() + bytes.between(least, most));
  return offsets;
}

// Offsets that cut a text into lines of random lengths.
inline std::vector<std::int64_t> cut(Bytes& bytes, std::size_t size, std::size_t count) {
  std::vector<std::int64_t> offsets{0};
  const auto all = static_cast<std::int64_t>(size);
  for (std::size_t i = 1; i < count; ++i) offsets.push_back(std::min(all, offsets.back() + bytes.below(20)));
  offsets.push_back(all);
  return offsets;
}

}  // namespace gecbench::fuzz
