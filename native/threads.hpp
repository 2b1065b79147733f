// Running independent tasks on several threads. Used by most kernels.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace gecbench {

// Throws if the user wants to stop. The bindings set it to a function that checks for signals, such as Ctrl-C.
inline void (*check_signals)() = nullptr;

constexpr std::chrono::milliseconds kBetweenLooks{50};

struct Stopped : std::exception {};

// When a thread that runs tasks must stop. Only the thread that called the kernel checks for signals.
struct Watch {
  std::atomic<bool>* stopped = nullptr;
  bool is_caller = false;
  std::chrono::steady_clock::time_point due{};
};

inline thread_local Watch watch;

// Ends a long task early if the user wants to stop. Call it every few milliseconds.
inline void look_for_stop() {
  if (watch.stopped == nullptr) return;
  if (watch.stopped->load(std::memory_order_relaxed)) throw Stopped();
  if (!watch.is_caller || check_signals == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < watch.due) return;
  watch.due = now + kBetweenLooks;
  check_signals();
}

// Runs task(0) … task(count - 1), in any order, on this thread and up to threads - 1 others. If the system cannot
// start a thread, the others do its work. An exception in a task is rethrown here, after all threads have ended.
template <typename Task>
void run_tasks(std::int64_t count, int threads, const Task& task) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  std::atomic<bool> stopped{false};
  std::condition_variable ended;
  std::size_t running = 0;
  const auto fail = [&]() noexcept {
    next = count;  // the other threads stop at their next task or look_for_stop()
    stopped = true;
    const std::lock_guard<std::mutex> lock(failing);
    if (!failure) failure = std::current_exception();
  };
  const auto work = [&](bool is_caller) noexcept {
    const Watch before = watch;
    watch = {&stopped, is_caller, std::chrono::steady_clock::now() + kBetweenLooks};
    try {
      for (std::int64_t number = next++; number < count; number = next++) {
        look_for_stop();
        task(number);
      }
      for (std::unique_lock<std::mutex> lock(failing); is_caller && running > 0;) {
        if (ended.wait_for(lock, kBetweenLooks) != std::cv_status::timeout) continue;
        lock.unlock();
        look_for_stop();
        lock.lock();
      }
    } catch (...) {
      fail();
    }
    watch = before;
  };
  std::vector<std::thread> workers;
  workers.reserve(static_cast<std::size_t>(std::max<std::int64_t>(0, std::min<std::int64_t>(threads - 1, count))));
  try {
    for (int worker = 1; worker < threads && worker < count; ++worker) {
      {
        const std::lock_guard<std::mutex> lock(failing);
        ++running;
      }
      workers.emplace_back([&]() noexcept {
        work(false);
        const std::lock_guard<std::mutex> lock(failing);
        --running;
        ended.notify_all();
      });
    }
  } catch (const std::system_error&) {  // the system starts no more threads
    const std::lock_guard<std::mutex> lock(failing);
    --running;
  }
  work(true);
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
}

// Runs work on this thread alone, such that look_for_stop() can end it.
template <typename Work>
void run_watched(const Work& work) {
  run_tasks(1, 1, [&work](std::int64_t) { work(); });
}

// Sentences per task: few enough to keep all threads busy, and enough to be worth a second thread.
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
