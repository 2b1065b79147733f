// Numbers computed side by side, in plain loops of which compilers make vector instructions.
#pragma once

#include <array>
#include <cstddef>

#if defined(__GNUC__) && !defined(__clang__)
// Of a loop inside a loop, which GCC would unroll before it sees vectors in it.
#define GECBENCH_LANES _Pragma("GCC unroll 8")
#else
#define GECBENCH_LANES
#endif

// A function that is compiled twice, and chosen at the start of the program by what the processor has. Both give the
// same bits: each number of a vector is rounded as it is alone.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GECBENCH_SIDE_BY_SIDE __attribute__((target_clones("avx2", "default")))
#else
#define GECBENCH_SIDE_BY_SIDE
#endif

namespace gecbench {

template <typename Number, std::size_t count>
struct alignas(32) Side : std::array<Number, count> {};

}  // namespace gecbench
