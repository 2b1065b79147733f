// Independent tasks on several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace gecbench {

// Runs task(0) … task(count - 1), in any order, on this thread and up to threads - 1 others.
template <typename Task>
void run_tasks(std::int64_t count, int threads, const Task& task) {
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t number = next++; number < count; number = next++) task(number);
  };
  std::vector<std::thread> workers;
  for (int worker = 1; worker < threads && worker < count; ++worker) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
}

}  // namespace gecbench
