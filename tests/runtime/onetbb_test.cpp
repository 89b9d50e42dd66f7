// actinide::onetbb, on oneTBB.
#include <actinide/onetbb.hpp>
// Alone above, to see that it needs no other header.
#include <actinide/actinide.hpp>
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <chrono>
#include <thread>

#include "check_executor.h"

namespace tbb = oneapi::tbb;

namespace actinide::test {
namespace {

/// More threads than the machine may have.
class OneTbb : public testing::Test {
  tbb::global_control threads_{tbb::global_control::max_allowed_parallelism, 4};
};

TEST_F(OneTbb, EachTaskOnce) {
  expect_each_task_once(onetbb{});
  for (const int threads : {1, 2, 5}) {
    tbb::task_arena arena(threads);
    expect_each_task_once(onetbb(arena));
  }
}

TEST_F(OneTbb, ResultsOfOneThread) {
  expect_results_of_one_thread(onetbb{});
  for (const int threads : {1, 2, 7}) {
    tbb::task_arena arena(threads);
    const onetbb executor(arena);
    EXPECT_EQ(executor.max_tasks, static_cast<std::size_t>(threads));
    expect_results_of_one_thread(executor);
  }
}

// Tasks run in the arena that was given, not in the caller's.
TEST_F(OneTbb, InItsArena) {
  tbb::task_arena arena(3);
  const onetbb executor(arena);
  std::atomic<int> elsewhere = 0;
  const actinide_task task = [](void* context, std::size_t) {
    if (tbb::this_task_arena::max_concurrency() != 3) ++*static_cast<std::atomic<int>*>(context);
  };
  tbb::task_arena(2).execute([&] { ASSERT_EQ(executor.parallel_for(&executor, task, &elsewhere, 50), 0); });
  EXPECT_EQ(elsewhere, 0);
}

// A cancelled task of the caller's calls: TBB would skip tasks that belong to it.
TEST_F(OneTbb, CancellationAroundItDoesNotReachIt) {
  constexpr std::size_t n = 100'000;
  const std::vector<float> x(n, -1.0f);
  std::vector<float> y(n), right(n);
  ASSERT_EQ(elu(x, right), status::ok);
  status result = status::executor_failed;
  tbb::task_group_context context;
  tbb::parallel_for(
      0, 1,
      [&](int) {
        context.cancel_group_execution();
        onetbb executor;
        executor.max_tasks = 8;
        executor.min_task_ns = 1;
        result = elu(x, y, {}, executor);
      },
      context);
  EXPECT_EQ(result, status::ok);
  EXPECT_EQ(y, right);
}

// A thread that waits for a call's tasks takes no other work of its arena: a caller that holds a lock would meet it.
TEST_F(OneTbb, WaitingThreadsTakeNoOtherWork) {
  std::atomic<int> wrong = 0;
  tbb::parallel_for(0, 100, [&](int) {
    static thread_local bool is_in_a_call = false;
    if (is_in_a_call) ++wrong;
    is_in_a_call = true;
    const onetbb executor;
    const actinide_task task = [](void*, std::size_t) { std::this_thread::sleep_for(std::chrono::microseconds(100)); };
    if (executor.parallel_for(&executor, task, nullptr, 8) != 0) ++wrong;
    is_in_a_call = false;
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace actinide::test
