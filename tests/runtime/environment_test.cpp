// ACTINIDE_FORCE_TARGET and ACTINIDE_MAX_TARGET, each time in a new process.
#include <gtest/gtest.h>

#include <optional>

#include "child.h"
#include "target_test.h"
#include "wrong_names.h"

namespace actinide::test {
namespace {

void expect(const std::string& target, const std::string& reason, std::vector<std::string> variables) {
  std::string described;
  for (const std::string& variable : variables) described += variable + " ";
  const ChildResult child = run_helper({"expect", target}, std::move(variables));
  EXPECT_EQ(child.status, 0) << described;
  EXPECT_EQ(child.output, target + ": " + reason + "\n") << described;
}

bool is_supported(const std::string& target) {
  const bool supported = actinide_force_target(target.c_str()) == ACTINIDE_OK;
  (void)actinide_force_target(nullptr);
  return supported;
}

std::string best() {
  std::string best = "none";
  for (const std::string& target : built_targets()) {
    if (is_supported(target)) best = target;
  }
  return best;
}

constexpr char best_reason[] = "the best that this machine supports";

TEST(Environment, Unset) { expect(best(), best_reason, {}); }

TEST(Environment, EmptyCountsAsUnset) {
  expect(best(), best_reason, {"ACTINIDE_FORCE_TARGET="});
  expect(best(), best_reason, {"ACTINIDE_MAX_TARGET="});
  expect(best(), best_reason, {"ACTINIDE_FORCE_TARGET=", "ACTINIDE_MAX_TARGET="});
}

TEST(Environment, Force) {
  for (const std::string& target : built_targets()) {
    if (is_supported(target)) {
      expect(target, "ACTINIDE_FORCE_TARGET", {"ACTINIDE_FORCE_TARGET=" + target});
    } else {
      expect("none", "ACTINIDE_FORCE_TARGET names a target that this machine does not support", {"ACTINIDE_FORCE_TARGET=" + target});
    }
  }
  for (const std::string& name : wrong_names()) {
    expect("none", "ACTINIDE_FORCE_TARGET names no target that is built in", {"ACTINIDE_FORCE_TARGET=" + name});
  }
}

TEST(Environment, Max) {
  std::optional<std::string> best_so_far;
  for (const std::string& target : built_targets()) {
    if (is_supported(target)) best_so_far = target;
    const std::string variable = "ACTINIDE_MAX_TARGET=" + target;
    if (!best_so_far) {
      expect("none", "this machine supports no target up to ACTINIDE_MAX_TARGET", {variable});
    } else {
      expect(*best_so_far, *best_so_far == target ? "ACTINIDE_MAX_TARGET" : best_reason, {variable});
    }
  }
  expect("none", "ACTINIDE_MAX_TARGET names no target that is built in", {"ACTINIDE_MAX_TARGET=nonsense"});
}

TEST(Environment, ForceIsStrongerThanMax) {
  const std::string lowest = built_targets().front(), best_target = best();
  expect(best_target, "ACTINIDE_FORCE_TARGET", {"ACTINIDE_FORCE_TARGET=" + best_target, "ACTINIDE_MAX_TARGET=" + lowest});
}

TEST(Environment, ReadOnce) {
  const ChildResult child = run_helper({"keep"});
  EXPECT_EQ(child.status, 0) << child.output;
}

}  // namespace
}  // namespace actinide::test
