// Entry point of libFuzzer: three sentences, one thread. GECBENCH_FUZZ_KERNEL is the number of
// the kernel. If it is not set, the first byte selects the kernel.
#include <cstdlib>
#include <vector>

#include "kernels.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const kernel = std::getenv("GECBENCH_FUZZ_KERNEL");
  std::vector<std::uint8_t> bytes(data, data + size);
  if (kernel != nullptr && size > 0) bytes[0] = static_cast<std::uint8_t>(std::atoi(kernel));
  gecbench::fuzz::run_kernel(bytes.data(), bytes.size(), 3, 1);
  return 0;
}
