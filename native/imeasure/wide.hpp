#pragma once

#include <cstdint>

namespace gecbench::imeasure {

// A whole number of 128 bits in two's complement: Microsoft's compiler has none of its own.
struct Wide {
  std::int64_t high = 0;
  std::uint64_t low = 0;

  Wide operator+(Wide other) const {
    const std::uint64_t sum = low + other.low;
    return {wrapped(unsigned_high() + other.unsigned_high() + (sum < low)), sum};
  }
  Wide operator-(Wide other) const {
    return {wrapped(unsigned_high() - other.unsigned_high() - (low < other.low)), low - other.low};
  }
  bool operator==(Wide other) const { return high == other.high && low == other.low; }
  bool operator>(Wide other) const { return high != other.high ? high > other.high : low > other.low; }

 private:
  std::uint64_t unsigned_high() const { return static_cast<std::uint64_t>(high); }
  static std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

  friend Wide product(std::int64_t, std::int64_t);
};

// By halves of 32 bits as if unsigned; a negative factor then counts 2^64 times the other one too much.
inline Wide product(std::int64_t left, std::int64_t right) {
  const auto a = static_cast<std::uint64_t>(left), b = static_cast<std::uint64_t>(right);
  const std::uint64_t half = 0xffffffffu;
  const std::uint64_t lowest = (a & half) * (b & half);
  const std::uint64_t middle = (a >> 32) * (b & half) + (lowest >> 32);
  const std::uint64_t other = (a & half) * (b >> 32) + (middle & half);
  const std::uint64_t excess = (left < 0 ? b : 0) + (right < 0 ? a : 0);
  const std::uint64_t high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32) - excess;
  return {Wide::wrapped(high), (other << 32) | (lowest & half)};
}

}  // namespace gecbench::imeasure
