// What every executor has to do: run each task once, and give the results of the calling thread alone.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "inputs.h"
#include "operators_on.h"

namespace actinide::test {

inline void expect_each_task_once(const actinide_executor& executor) {
  for (const std::size_t count : {1, 2, 3, 4, 5, 16, 100, 1000}) {
    struct Context {
      std::size_t count;
      std::unique_ptr<std::atomic<int>[]> runs;
    } context{count, std::make_unique<std::atomic<int>[]>(count + 1)};
    const actinide_task task = [](void* p, std::size_t index) {
      Context& c = *static_cast<Context*>(p);
      ++c.runs[index < c.count ? index : c.count];
    };
    ASSERT_EQ(executor.parallel_for(&executor, task, &context, count), 0);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(context.runs[i], 1) << "task " << i << " of " << count;
    ASSERT_EQ(context.runs[count], 0) << "an index beyond the last of " << count;
  }
}

/// So many tasks run at the same time: each waits for the others, up to a minute.
inline void expect_tasks_at_once(const actinide_executor& executor, std::size_t count) {
  struct Context {
    std::size_t count;
    std::atomic<std::size_t> begun = 0, complete = 0;
  } context{count};
  const actinide_task task = [](void* p, std::size_t) {
    Context& c = *static_cast<Context*>(p);
    ++c.begun;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (c.begun < c.count && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    if (c.begun == c.count) ++c.complete;
  };
  ASSERT_EQ(executor.parallel_for(&executor, task, &context, count), 0);
  EXPECT_EQ(context.complete, count);
}

/// Every function of the list, apart and in place, with all of max_tasks and of as many as the executor finds worth it.
inline void expect_results_of_one_thread(actinide_executor executor) {
  constexpr std::size_t n = 70'001;
  const std::size_t min_task_ns = executor.min_task_ns;
  for (const tools::Operator& op : tools::operators()) {
    const std::vector<float> attributes(op.attributes.size(), 1.7f);
    const std::vector<std::byte> x = mixed_inputs(op.type, n, 5);
    std::vector<std::byte> right(x.size()), y(x.size()), xy;
    ASSERT_EQ(op.call(x.data(), right.data(), n, attributes.data()), ACTINIDE_OK);
    for (const std::size_t ns : {std::size_t{1}, min_task_ns}) {
      executor.min_task_ns = ns;
      y.assign(y.size(), std::byte{0xa5});
      ASSERT_EQ(call_on(op)(&executor, x.data(), y.data(), n, attributes.data()), ACTINIDE_OK);
      ASSERT_EQ(std::memcmp(y.data(), right.data(), y.size()), 0) << op.name << " " << op.type_name;
      xy = x;
      ASSERT_EQ(call_on(op)(&executor, xy.data(), xy.data(), n, attributes.data()), ACTINIDE_OK);
      ASSERT_EQ(std::memcmp(xy.data(), right.data(), xy.size()), 0) << op.name << " " << op.type_name << " in place";
    }
  }
}

}  // namespace actinide::test
