#include "draws.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gecbench {
namespace {

// Mersenne Twister (Matsumoto & Nishimura 1998), seeded by a one-word key as CPython seeds it.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed) {
    state_[0] = 19650218U;
    for (int i = 1; i < kSize; ++i)
      state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
    int i = 1;
    for (int k = 0; k < kSize; ++k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525U)) + seed;
      i = advance(i);
    }
    for (int k = 0; k < kSize - 1; ++k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941U)) -
                  static_cast<std::uint32_t>(i);
      i = advance(i);
    }
    state_[0] = 0x80000000U;
  }

  std::uint32_t next() {
    if (position_ == kSize) refill();
    std::uint32_t y = state_[position_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
  }

  double uniform() {
    const std::uint32_t high = next() >> 5, low = next() >> 6;
    return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
  }

 private:
  static constexpr int kSize = 624, kShift = 397;

  int advance(int i) {
    if (++i < kSize) return i;
    state_[0] = state_[kSize - 1];
    return 1;
  }

  static std::uint32_t twist(std::uint32_t high, std::uint32_t low) {
    const std::uint32_t y = (high & 0x80000000U) | (low & 0x7fffffffU);
    return (y >> 1) ^ ((0U - (y & 1U)) & 0x9908b0dfU);
  }

  void refill() {
    for (int i = 0; i < kSize - kShift; ++i) state_[i] = state_[i + kShift] ^ twist(state_[i], state_[i + 1]);
    for (int i = kSize - kShift; i < kSize - 1; ++i)
      state_[i] = state_[i + kShift - kSize] ^ twist(state_[i], state_[i + 1]);
    state_[kSize - 1] = state_[kShift - 1] ^ twist(state_[kSize - 1], state_[0]);
    position_ = 0;
  }

  std::array<std::uint32_t, kSize> state_{};
  int position_ = kSize;
};

int bit_length(std::uint64_t value) {
  int bits = 0;
  for (; value != 0; value >>= 1) ++bits;
  return bits;
}

std::int64_t draw_below(MersenneTwister& twister, std::int64_t choices, Generator generator) {
  if (generator == Generator::python2) return static_cast<std::int64_t>(twister.uniform() * choices);
  const int bits = bit_length(static_cast<std::uint64_t>(choices));
  std::int64_t drawn;
  do {
    drawn = twister.next() >> (32 - bits);
  } while (drawn >= choices);
  return drawn;
}

MersenneTwister seeded(std::int64_t iteration) { return MersenneTwister(static_cast<std::uint32_t>(iteration * 101)); }

// Sentences whose counts stay in the cache while every draw passes over them.
constexpr std::int64_t kBlock = 2048;

}  // namespace

void draw_rows(const std::int64_t* row_offsets, std::int64_t sentences, std::int64_t first_iteration,
               std::int64_t iterations, Generator generator, std::int64_t* rows) {
  for (std::int64_t d = 0; d < iterations; ++d) {
    MersenneTwister twister = seeded(first_iteration + d);
    for (std::int64_t i = 0; i < sentences; ++i)
      rows[d * sentences + i] =
          row_offsets[i] + draw_below(twister, row_offsets[i + 1] - row_offsets[i], generator);
  }
}

void sampled_totals(const std::int64_t* counts, std::int64_t width, const std::int64_t* row_offsets,
                    std::int64_t sentences, std::int64_t iterations, Generator generator, std::int64_t* totals) {
  std::fill(totals, totals + iterations * width, 0);
  std::vector<MersenneTwister> twisters;
  twisters.reserve(iterations);
  for (std::int64_t d = 0; d < iterations; ++d) twisters.push_back(seeded(d));
  for (std::int64_t begin = 0; begin < sentences; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, sentences);
    for (std::int64_t d = 0; d < iterations; ++d) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row =
            row_offsets[i] + draw_below(twisters[d], row_offsets[i + 1] - row_offsets[i], generator);
        for (std::int64_t c = 0; c < width; ++c) totals[d * width + c] += counts[row * width + c];
      }
    }
  }
}

}  // namespace gecbench
