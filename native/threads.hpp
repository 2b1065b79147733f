// Running independent tasks on several threads. Used by most kernels.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace gecbench {

// Runs task(0) … task(count - 1), in any order, on this thread and up to threads - 1 others. If the system cannot
// start a thread, the others do its work. An exception of a task is rethrown here, after all threads have ended.
template <typename Task>
void run_tasks(std::int64_t count, int threads, const Task& task) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&]() noexcept {
    try {
      for (std::int64_t number = next++; number < count; number = next++) task(number);
    } catch (...) {
      next = count;  // the others stop at their next task
      const std::lock_guard<std::mutex> lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> workers;
  workers.reserve(static_cast<std::size_t>(std::max<std::int64_t>(0, std::min<std::int64_t>(threads - 1, count))));
  try {
    for (int worker = 1; worker < threads && worker < count; ++worker) workers.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads
  }
  work();
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
}

// Sentences per task: few enough to balance the threads, and enough to be worth a second thread.
constexpr std::int64_t kBlockOfSentences = 256;

// Runs work(begin, end) for blocks of the sentences 0 … count - 1. Each call may write to its own sentences only, so
// that the results do not depend on the number of threads.
template <typename Work>
void share_sentences(std::int64_t count, int threads, const Work& work) {
  const std::int64_t blocks = (count + kBlockOfSentences - 1) / kBlockOfSentences;
  run_tasks(blocks, threads, [&](std::int64_t block) {
    const std::int64_t begin = block * kBlockOfSentences;
    work(begin, std::min(begin + kBlockOfSentences, count));
  });
}

}  // namespace gecbench
