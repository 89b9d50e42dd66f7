// actinide::parallel: an executor over the standard library's threads.
#include <actinide/parallel.hpp>
// Alone above, to see that it needs no other header.
#include <actinide/actinide.hpp>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "check_executor.h"

namespace actinide::test {
namespace {

TEST(Parallel, EachTaskOnce) {
  for (const std::size_t threads : {1, 2, 5, 40}) expect_each_task_once(parallel(threads));
  expect_each_task_once(parallel{});
}

TEST(Parallel, AllThreadsAtOnce) {
  for (const std::size_t threads : {1, 2, 5}) expect_tasks_at_once(parallel(threads), threads);
}

TEST(Parallel, ResultsOfOneThread) {
  for (const std::size_t threads : {0, 2, 7}) expect_results_of_one_thread(parallel(threads));
  expect_results_of_one_thread(parallel{});
}

TEST(Parallel, EveryElementType) {
  constexpr std::size_t n = 1 << 20;
  const auto check = [](auto minus_one, auto elu_of_minus_one, auto zero) {
    using T = decltype(minus_one);
    const auto is = [](T value) { return [value](const T& y) { return std::memcmp(&y, &value, sizeof(T)) == 0; }; };
    const std::vector<T> x(n, minus_one);
    std::vector<T> y(n);
    EXPECT_EQ(elu(x, y, {}, parallel{4}), status::ok);
    EXPECT_TRUE(std::all_of(y.begin(), y.end(), is(elu_of_minus_one)));
    EXPECT_EQ(thresholded_relu(x, y, {.alpha = 2}, parallel{4}), status::ok);
    EXPECT_TRUE(std::all_of(y.begin(), y.end(), is(zero)));
  };
  // Nearest to e^-1 - 1.
  check(float16{0xbc00}, float16{0xb90f}, float16{0});
  check(bfloat16{0xbf80}, bfloat16{0xbf22}, bfloat16{0});
  check(-1.0f, -0x1.43a54ep-1f, 0.0f);
  check(-1.0, -0x1.43a54e4e98864p-1, 0.0);
}

TEST(Parallel, StatusOfTheCall) {
  std::vector<float> x(1 << 20, -1.0f), y(x.size() - 1);
  EXPECT_EQ(elu(x, y, {}, parallel{2}), status::size_mismatch);
  EXPECT_EQ(elu(std::span(x).first(x.size() - 1), std::span(x).last(x.size() - 1), {}, parallel{2}), status::overlap);
  EXPECT_EQ(elu(std::span<const float>(), std::span<float>(), {}, parallel{2}), status::ok);
  executor incomplete = parallel{2};
  incomplete.parallel_for = nullptr;
  EXPECT_EQ(elu(x, x, {}, incomplete), status::executor_failed);
  EXPECT_EQ(x, std::vector<float>(x.size(), -1.0f));
  static_assert(noexcept(elu(x, x, {}, parallel{2})));
}

// Threads with stacks that no address space holds.
TEST(Parallel, WithoutThreadsTheCallerDoesAll) {
  pthread_attr_t before, huge;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, SIZE_MAX / 4 * 3 & ~std::size_t{0xfffff}), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  expect_each_task_once(parallel{4});
  expect_results_of_one_thread(parallel{4});
  ASSERT_EQ(pthread_setattr_default_np(&before), 0);
  pthread_attr_destroy(&huge);
  pthread_attr_destroy(&before);
}

}  // namespace
}  // namespace actinide::test
