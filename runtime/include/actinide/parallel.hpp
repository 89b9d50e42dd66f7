// Actinide, C++20 API: calls on several threads of the standard library, started and joined for each call.
#pragma once

#include <actinide/core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace actinide {

/// An executor of `threads` threads, the calling one and std::jthreads: elu(x, y, {.alpha = 2}, parallel{4}). If the system starts fewer,
/// those that are there do all the work. One object may serve many calls, at the same time, too.
struct parallel : executor {
  explicit parallel(std::size_t threads) noexcept
      : executor{.struct_size = sizeof(executor), .max_tasks = threads, .min_task_ns = 0, .user = nullptr, .parallel_for = &run} {}

  /// As many threads as the machine runs at once.
  parallel() noexcept : parallel(std::thread::hardware_concurrency()) {}

 private:
  static int run(const actinide_executor* self, actinide_task task, void* context, std::size_t count) noexcept {
    std::atomic<std::size_t> next = 0;
    const auto work = [&next, task, context, count] {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) task(context, i);
    };
    const std::size_t wanted = std::min(count, self->max_tasks);
    std::vector<std::jthread> threads;
    try {
      threads.reserve(wanted);
      while (threads.size() + 1 < wanted) threads.emplace_back(work);
    } catch (const std::exception&) {  // no memory or no thread: the others take the tasks
    }
    work();
    return 0;
  }
};

}  // namespace actinide
