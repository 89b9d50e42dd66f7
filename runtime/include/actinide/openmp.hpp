// Actinide, C++20 API: calls on the threads of OpenMP. Needs -fopenmp.
#pragma once

#ifndef _OPENMP
#error "<actinide/openmp.hpp> needs OpenMP: compile and link with -fopenmp"
#endif

#include <actinide/core.hpp>
#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace actinide {

/// An executor of OpenMP threads: elu(x, y, {.alpha = 2}, openmp{4}). Each call is a parallel region. Inside another one OpenMP gives it
/// the calling thread alone, unless nesting is on. Task i of equally long calls is the same thread's each time, and finds its data in
/// cache.
struct openmp : executor {
  explicit openmp(std::size_t threads) noexcept
      : executor{.struct_size = sizeof(executor), .max_tasks = threads, .min_task_ns = 2000, .user = nullptr, .parallel_for = &run} {}

  /// As many threads as OpenMP would use: OMP_NUM_THREADS or omp_set_num_threads(), as of now.
  openmp() noexcept : openmp(static_cast<std::size_t>(omp_get_max_threads())) {}

 private:
  static int run(const actinide_executor* self, actinide_task task, void* context, std::size_t count) noexcept {
    const int threads = static_cast<int>(std::max<std::size_t>(std::min(count, self->max_tasks), 1));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t i = 0; i < count; ++i) task(context, i);
    return 0;
  }
};

}  // namespace actinide
