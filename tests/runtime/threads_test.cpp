// Calls from many threads, clean under ThreadSanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "check.h"
#include "child.h"
#include "fp_control.h"
#include "target_test.h"

namespace actinide::test {
namespace {

TEST(Threads, FirstCallsAtOnce) {
  for (int i = 0; i < 20; ++i) {
    const ChildResult child = run_helper({"threads"});
    ASSERT_EQ(child.status, 0) << child.output;
  }
}

// A call uses the old target or the new one, whole.
TEST(Threads, ForceTargetDuringCalls) {
  constexpr std::size_t n = 777;
  const Operator& op = tools::operators().front();
  const std::vector<std::byte> x = some_inputs(op, n);
  const std::vector<float> attributes(op.attributes.size(), 0.75f);
  std::vector<std::string> targets;
  std::vector<std::vector<std::byte>> right;
  for (const std::string& target : built_targets()) {
    if (actinide_force_target(target.c_str()) != ACTINIDE_OK) continue;
    targets.push_back(target);
    right.emplace_back(x.size());
    ASSERT_EQ(op.call(x.data(), right.back().data(), n, attributes.data()), ACTINIDE_OK);
    ASSERT_TRUE(is_right(op, x, right.back(), 0.75f)) << target;
  }
  ASSERT_FALSE(targets.empty());

  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0, calls = 0;
  std::vector<std::thread> pool;
  for (int i = 0; i < 4; ++i) {
    pool.emplace_back([&] {
      std::vector<std::byte> y(x.size());
      while (!stop) {
        y.assign(y.size(), std::byte{0xa5});
        const actinide_status status = op.call(x.data(), y.data(), n, attributes.data());
        if (status != ACTINIDE_OK || std::find(right.begin(), right.end(), y) == right.end()) ++wrong;
        const char* active = actinide_active_target();
        if (std::find(targets.begin(), targets.end(), active) == targets.end() || actinide_active_target_reason() == nullptr) ++wrong;
        ++calls;
      }
    });
  }
  for (int i = 0; i < 1000 || calls < 1000; ++i) {
    const std::size_t next = static_cast<std::size_t>(i) % (targets.size() + 1);
    EXPECT_EQ(actinide_force_target(next < targets.size() ? targets[next].c_str() : nullptr), ACTINIDE_OK);
  }
  stop = true;
  for (std::thread& t : pool) t.join();
  EXPECT_EQ(wrong, 0);
  (void)actinide_force_target(nullptr);
}

TEST(Threads, ControlRegisterOfEachThreadIsItsOwn) {
  const fp::Word before = fp::control();
  std::atomic<int> changed = 0;
  std::vector<std::thread> pool;
  for (const fp::Word control : fp::controls) {
    pool.emplace_back([&changed, control] {
      fp::set_control(control);
      for (int repeat = 0; repeat < 50; ++repeat) {
        for (const Operator& op : tools::operators()) {
          const std::vector<std::byte> x = some_inputs(op, 100);
          std::vector<std::byte> y(x.size());
          const std::vector<float> attributes(op.attributes.size(), 1.7f);
          if (op.call(x.data(), y.data(), 100, attributes.data()) != ACTINIDE_OK) ++changed;
          if (fp::control() != control) ++changed;
        }
      }
    });
  }
  for (std::thread& t : pool) t.join();
  EXPECT_EQ(changed, 0);
  EXPECT_EQ(fp::control(), before);
}

}  // namespace
}  // namespace actinide::test
