// CPython's random numbers: Mersenne Twister (Matsumoto & Nishimura 1998), seeded by a one-word key. Used by GLEU.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gecbench {

class MersenneTwister {
 public:
  // Generators of several seeds, which are seeded together: each step of seeding depends on the step before, but not on
  // other seeds, so the processor can overlap them.
  static std::vector<MersenneTwister> seeded(const std::vector<std::uint32_t>& seeds) {
    static const State kStart = start();
    std::vector<MersenneTwister> twisters(seeds.size());
    for (std::size_t first = 0; first < seeds.size(); first += kLanes) {
      std::array<State, kLanes> states;
      std::array<std::uint32_t, kLanes> keys{};
      states.fill(kStart);
      for (std::size_t lane = 0; lane < kLanes && first + lane < seeds.size(); ++lane) keys[lane] = seeds[first + lane];
      seed(states, keys);
      for (std::size_t lane = 0; lane < kLanes && first + lane < seeds.size(); ++lane)
        twisters[first + lane].state_ = states[lane];
    }
    return twisters;
  }

  // The words of a state as CPython's getstate() gives them: 624, then the position of the next one.
  static constexpr std::size_t kStateWords = 625;

  static MersenneTwister restored(const std::uint32_t* words) {
    MersenneTwister twister;
    std::copy(words, words + kSize, twister.state_.begin());
    for (std::size_t i = 0; i < kSize; ++i) twister.drawn_[i] = temper(twister.state_[i]);
    twister.position_ = words[kSize];
    return twister;
  }

  void save(std::uint32_t* words) const {
    std::copy(state_.begin(), state_.end(), words);
    words[kSize] = static_cast<std::uint32_t>(position_);
  }

  std::uint32_t next() {
    if (position_ == kSize) refill();
    return drawn_[position_++];
  }

  // random.random()
  double uniform() {
    const std::uint32_t high = next() >> 5, low = next() >> 6;
    return uniform(high, low);
  }

  // random.random() from 27 bits of one word and 26 of the next.
  static double uniform(std::uint32_t high, std::uint32_t low) {
    return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
  }

 private:
  static constexpr std::size_t kSize = 624, kShift = 397, kLanes = 4;
  using State = std::array<std::uint32_t, kSize>;

  static State start() {
    State state{19650218U};
    for (std::uint32_t i = 1; i < kSize; ++i) state[i] = 1812433253U * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
    return state;
  }

  static void seed(std::array<State, kLanes>& states, const std::array<std::uint32_t, kLanes>& keys) {
    std::uint32_t i = 1;
    const auto mix = [&](std::uint32_t factor, std::uint32_t step, bool with_key) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        State& state = states[lane];
        const std::uint32_t more = with_key ? keys[lane] : 0U;
        state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * factor)) + more - step;
      }
      if (++i < kSize) return;
      for (State& state : states) state[0] = state[kSize - 1];
      i = 1;
    };
    for (std::size_t k = 0; k < kSize; ++k) mix(1664525U, 0U, true);
    for (std::size_t k = 0; k + 1 < kSize; ++k) mix(1566083941U, i, false);
    for (State& state : states) state[0] = 0x80000000U;
  }

  static std::uint32_t twist(std::uint32_t high, std::uint32_t low) {
    const std::uint32_t y = (high & 0x80000000U) | (low & 0x7fffffffU);
    return (y >> 1) ^ ((0U - (y & 1U)) & 0x9908b0dfU);
  }

  static std::uint32_t temper(std::uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
  }

  void refill() {
    State& state = state_;
    for (std::size_t i = 0; i < kSize - kShift; ++i) state[i] = state[i + kShift] ^ twist(state[i], state[i + 1]);
    for (std::size_t i = kSize - kShift; i < kSize - 1; ++i)
      state[i] = state[i + kShift - kSize] ^ twist(state[i], state[i + 1]);
    state[kSize - 1] = state[kShift - 1] ^ twist(state[kSize - 1], state[0]);
    for (std::size_t i = 0; i < kSize; ++i) drawn_[i] = temper(state[i]);
    position_ = 0;
  }

  State state_{}, drawn_{};
  std::size_t position_ = kSize;
};

}  // namespace gecbench
