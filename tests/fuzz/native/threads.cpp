// Runs every kernel on random bytes, on one thread and on four: `threads SEED ROUNDS`. Reports the round that differs.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "kernels.hpp"

int main(int count, char** words) {
  if (count != 3) return 2;
  const unsigned long seed = std::strtoul(words[1], nullptr, 10), rounds = std::strtoul(words[2], nullptr, 10);
  for (unsigned long round = 0; round < rounds; ++round) {
    const unsigned long kernel = round % gecbench::fuzz::kKernelCount;
    std::mt19937_64 random(1000003 * seed + round);
    std::vector<std::uint8_t> bytes(kernel == 1 ? 300000 : 60000);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    bytes[0] = static_cast<std::uint8_t>(kernel);
    const std::size_t sentences = kernel == 1 ? 10000 : 700;  // several tasks for each thread
    const auto one = gecbench::fuzz::run_kernel(bytes.data(), bytes.size(), sentences, 1);
    const auto four = gecbench::fuzz::run_kernel(bytes.data(), bytes.size(), sentences, 4);
    if (one != four) {
      std::fprintf(stderr, "seed %lu, round %lu, kernel %lu: another result on four threads\n", seed, round, kernel);
      return 1;
    }
  }
  return 0;
}
