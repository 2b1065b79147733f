// Entry point of libFuzzer: all kernels, three sentences, one thread.
#include "kernels.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gecbench::fuzz::run_kernel(data, size, 3, 1);
  return 0;
}
