// actinide_force_target and what it does to every function.
#include <gtest/gtest.h>

#include <cstdlib>

#include "check.h"
#include "target_test.h"
#include "wrong_names.h"

namespace actinide::test {
namespace {

class ForceTarget : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(actinide_force_target(nullptr), ACTINIDE_OK) << actinide_active_target_reason(); }
  void TearDown() override { (void)actinide_force_target(nullptr); }
};

TEST_F(ForceTarget, TableOfTargets) {
  const std::size_t count = actinide_target_count();
  ASSERT_GT(count, 0u);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_NE(actinide_target_name(i), nullptr);
    for (std::size_t j = 0; j < i; ++j) EXPECT_STRNE(actinide_target_name(i), actinide_target_name(j));
  }
  EXPECT_EQ(actinide_target_name(count), nullptr);
  EXPECT_EQ(actinide_target_name(SIZE_MAX), nullptr);
}

TEST_F(ForceTarget, EveryTarget) {
  const std::string first = actinide_active_target(), first_reason = actinide_active_target_reason();
  for (const std::string& target : built_targets()) {
    if (actinide_force_target(target.c_str()) == ACTINIDE_OK) {
      EXPECT_EQ(actinide_active_target(), target);
      EXPECT_STREQ(actinide_active_target_reason(), "actinide_force_target()");
      EXPECT_TRUE(all_work()) << target;
    } else {
      EXPECT_STREQ(actinide_active_target(), "none");
      EXPECT_STREQ(actinide_active_target_reason(), "actinide_force_target() was given a target that this machine does not support");
      EXPECT_TRUE(all_unsupported()) << target;
    }
    EXPECT_EQ(actinide_force_target(nullptr), ACTINIDE_OK);
    EXPECT_EQ(actinide_active_target(), first);
    EXPECT_EQ(actinide_active_target_reason(), first_reason);
  }
}

TEST_F(ForceTarget, UnknownNames) {
  std::vector<std::string> names = wrong_names();
  names.emplace_back();
  for (const std::string& name : names) {
    EXPECT_EQ(actinide_force_target(name.c_str()), ACTINIDE_UNSUPPORTED) << name;
    EXPECT_STREQ(actinide_active_target(), "none");
    EXPECT_STREQ(actinide_active_target_reason(), "actinide_force_target() was given a name that is not built in");
    EXPECT_TRUE(all_unsupported()) << name;
  }
  // Another success ends it, as a reset does.
  const std::string lowest = actinide_target_name(0);
  EXPECT_EQ(actinide_force_target(lowest.c_str()), ACTINIDE_OK);
  EXPECT_TRUE(all_work());
  EXPECT_EQ(actinide_force_target("nonsense"), ACTINIDE_UNSUPPORTED);
  EXPECT_EQ(actinide_force_target(nullptr), ACTINIDE_OK);
  EXPECT_TRUE(all_work());
}

TEST_F(ForceTarget, TheEnvironmentIsReadOnce) {
  const std::string first = actinide_active_target(), first_reason = actinide_active_target_reason();
  for (const char* variable : {"ACTINIDE_FORCE_TARGET", "ACTINIDE_MAX_TARGET"}) {
    for (const char* value : {actinide_target_name(0), "nonsense"}) {
      ASSERT_EQ(setenv(variable, value, 1), 0);
      EXPECT_EQ(actinide_force_target(actinide_target_name(0)), ACTINIDE_OK);
      EXPECT_EQ(actinide_force_target(nullptr), ACTINIDE_OK);
      EXPECT_EQ(actinide_active_target(), first);
      EXPECT_EQ(actinide_active_target_reason(), first_reason);
    }
    unsetenv(variable);
  }
}

TEST_F(ForceTarget, TheNameNeedNotStay) {
  std::string name = actinide_target_name(0);
  ASSERT_EQ(actinide_force_target(name.c_str()), ACTINIDE_OK);
  name.assign(name.size(), '?');
  EXPECT_STREQ(actinide_active_target(), actinide_target_name(0));
}

}  // namespace
}  // namespace actinide::test
