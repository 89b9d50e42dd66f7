// Actinide, C++20 API: calls on the threads of oneTBB. Needs oneTBB, to be linked as TBB::tbb.
#pragma once

#include <actinide/core.hpp>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <cstddef>
#include <exception>

namespace actinide {

/// An executor of oneTBB's threads: elu(x, y, {.alpha = 2}, onetbb{}). While a call waits for its tasks, its thread takes no other work;
/// the cancellation of a task group around it does not reach it. One object may serve many calls, at the same time, too.
struct onetbb : executor {
  /// In the arena that the calling thread is in, as wide as the one of the thread that constructs this.
  onetbb() noexcept : onetbb(nullptr, oneapi::tbb::this_task_arena::max_concurrency()) {}

  /// In an arena, which must live as long as calls use it.
  explicit onetbb(oneapi::tbb::task_arena& arena) : onetbb(&arena, arena.max_concurrency()) {}

 private:
  onetbb(oneapi::tbb::task_arena* arena, int threads) noexcept
      : executor{.struct_size = sizeof(executor),
                 .max_tasks = static_cast<std::size_t>(threads),
                 .min_task_ns = 2000,
                 .user = arena,
                 .parallel_for = &run} {}

  static int run(const actinide_executor* self, actinide_task task, void* context, std::size_t count) noexcept {
    namespace tbb = oneapi::tbb;
    const auto run_all = [task, context, count] {
      tbb::this_task_arena::isolate([&] {
        tbb::task_group_context own(tbb::task_group_context::isolated);
        const auto body = [task, context](std::size_t i) { task(context, i); };
        tbb::parallel_for(std::size_t{0}, count, body, tbb::static_partitioner(), own);
      });
    };
    try {
      if (self->user != nullptr) {
        static_cast<tbb::task_arena*>(self->user)->execute(run_all);
      } else {
        run_all();
      }
    } catch (const std::exception&) {  // no memory for TBB's tasks: what is left is done here, for what is done is not done again
      for (std::size_t i = 0; i < count; ++i) task(context, i);
    }
    return 0;
  }
};

}  // namespace actinide
