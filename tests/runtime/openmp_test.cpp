// actinide::openmp, on the compiler's OpenMP.
#include <actinide/openmp.hpp>
// Alone above, to see that it needs no other header.
#include <actinide/actinide.hpp>
#include <gtest/gtest.h>

#include "check_executor.h"

namespace actinide::test {
namespace {

TEST(OpenMp, EachTaskOnce) {
  for (const std::size_t threads : {1, 2, 5, 40}) expect_each_task_once(openmp(threads));
  expect_each_task_once(openmp{});
}

TEST(OpenMp, ResultsOfOneThread) {
  for (const std::size_t threads : {0, 1, 2, 7}) expect_results_of_one_thread(openmp(threads));
}

TEST(OpenMp, AsManyThreadsAsOpenMpWouldUse) {
  const int before = omp_get_max_threads();
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(openmp{}.max_tasks, static_cast<std::size_t>(threads));
  }
  omp_set_num_threads(before);
}

TEST(OpenMp, AllThreadsAtOnce) {
  for (const std::size_t threads : {1, 2, 5}) expect_tasks_at_once(openmp(threads), threads);
}

TEST(OpenMp, InsideARegion) {
  constexpr std::size_t n = 100'000;
  std::vector<float> x(n, -1.0f), right(n);
  ASSERT_EQ(elu(x, right), status::ok);
  std::atomic<int> wrong = 0;
#pragma omp parallel num_threads(3)
  {
    openmp executor(4);
    executor.min_task_ns = 1;
    std::vector<float> y(n);
    if (elu(x, y, {}, executor) != status::ok || y != right) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace actinide::test
