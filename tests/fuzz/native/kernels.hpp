// Runs a kernel on arbitrary bytes and aborts if its result is inconsistent.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gecbench::fuzz {

constexpr std::size_t kKernelCount = 13;

// Runs the kernel that the first byte selects on up to `sentences` sentences made of the other bytes, on `threads`
// threads. Returns a checksum of the result, which must not depend on the threads.
std::uint64_t run_kernel(const std::uint8_t* data, std::size_t size, std::size_t sentences, int threads);

}  // namespace gecbench::fuzz
