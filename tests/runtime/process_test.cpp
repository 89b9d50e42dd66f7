// Calls before and after main, and around fork().
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "check.h"
#include "child.h"
#include "target_test.h"

namespace actinide::test {
namespace {

TEST(Process, CallFromStaticDestructor) {
  const ChildResult first = run_helper({"destructor"});
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.output, "destructor called\n") << "as the first call";
  const ChildResult later = run_helper({"destructor"}, {"EARLY_CALL=1"});
  EXPECT_EQ(later.status, 0);
  EXPECT_EQ(later.output, "destructor called\n") << "after a call from a static constructor";
}

int status_of_child(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

TEST(Process, ForkBeforeTheFirstCall) {
  const ChildResult child = run_helper({"fork"});
  EXPECT_EQ(child.status, 0) << child.output;
}

TEST(Process, ForkAfterTheFirstCall) {
  ASSERT_TRUE(all_work());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(all_work() ? 0 : 1);
  EXPECT_EQ(status_of_child(child), 0);
  EXPECT_TRUE(all_work());
}

TEST(Process, ForkWhileAnotherThreadCalls) {
  std::atomic<bool> stop = false, right = true, started = false;
  std::thread caller([&] {
    while (!stop) {
      right = right && works(tools::operators().front());
      started = true;
    }
  });
  while (!started) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      // No allocation here: another thread may have held its lock.
      const float x[3] = {-1.0f, 0.5f, 2.0f};
      float y[3] = {};
      _exit(actinide_elu_f32(x, y, 3, 1.0f) == ACTINIDE_OK && std::fabs(y[0] + 0.632120559f) < 1e-6f && y[1] == 0.5f && y[2] == 2.0f ? 0
                                                                                                                                     : 1);
    }
    EXPECT_EQ(status_of_child(child), 0);
  }
  stop = true;
  caller.join();
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace actinide::test
