// Every kernel on bytes that anyone may have chosen; what it returns must keep its promises.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gecbench::fuzz {

// Runs the kernel that the first byte chooses on up to `sentences` sentences made of the others, on `threads` threads,
// and returns a sum over what it gives, which must not depend on the threads.
std::uint64_t run_kernel(const std::uint8_t* data, std::size_t size, std::size_t sentences, int threads);

}  // namespace gecbench::fuzz
