// The choice as a pure function of a table of targets and the environment's two names.
#include <gtest/gtest.h>

#include <string>

#include "dispatch.h"

namespace actinide::detail {
namespace {

bool yes() noexcept { return true; }
bool no() noexcept { return false; }

constexpr Target all[] = {{"low", yes}, {"middle", yes}, {"high", yes}};
constexpr Target without_high[] = {{"low", yes}, {"middle", yes}, {"high", no}};
constexpr Target only_middle[] = {{"low", no}, {"middle", yes}, {"high", no}};
constexpr Target nothing[] = {{"low", no}, {"middle", no}, {"high", no}};

/// "name: reason"
std::string choice(const Target (&table)[3], const char* force, const char* max) {
  const Choice choice = choose_target(table, 3, force, max);
  EXPECT_TRUE(choice.target == no_target || (choice.target >= 0 && choice.target < 3));
  return std::string(choice.target < 0 ? "none" : table[choice.target].name) + ": " + to_string(choice.reason);
}

TEST(ChooseTarget, TheBestThatIsSupported) {
  EXPECT_EQ(choice(all, nullptr, nullptr), "high: the best that this machine supports");
  EXPECT_EQ(choice(without_high, nullptr, nullptr), "middle: the best that this machine supports");
  EXPECT_EQ(choice(only_middle, nullptr, nullptr), "middle: the best that this machine supports");
  EXPECT_EQ(choice(nothing, nullptr, nullptr), "none: this machine supports no target that is built in");
}

TEST(ChooseTarget, Forced) {
  for (const char* name : {"low", "middle", "high"}) EXPECT_EQ(choice(all, name, nullptr), std::string(name) + ": ACTINIDE_FORCE_TARGET");
  EXPECT_EQ(choice(without_high, "high", nullptr), "none: ACTINIDE_FORCE_TARGET names a target that this machine does not support");
  for (const char* name : {"lo", "lower", "LOW", " low", "low ", ""}) {
    EXPECT_EQ(choice(all, name, nullptr), "none: ACTINIDE_FORCE_TARGET names no target that is built in") << "'" << name << "'";
  }
  // Force is stronger than a maximum, even one that is wrong.
  EXPECT_EQ(choice(all, "high", "low"), "high: ACTINIDE_FORCE_TARGET");
  EXPECT_EQ(choice(all, "low", "nonsense"), "low: ACTINIDE_FORCE_TARGET");
}

TEST(ChooseTarget, Limited) {
  EXPECT_EQ(choice(all, nullptr, "low"), "low: ACTINIDE_MAX_TARGET");
  EXPECT_EQ(choice(all, nullptr, "middle"), "middle: ACTINIDE_MAX_TARGET");
  EXPECT_EQ(choice(without_high, nullptr, "high"), "middle: the best that this machine supports");
  EXPECT_EQ(choice(only_middle, nullptr, "low"), "none: this machine supports no target up to ACTINIDE_MAX_TARGET");
  EXPECT_EQ(choice(nothing, nullptr, "high"), "none: this machine supports no target up to ACTINIDE_MAX_TARGET");
  EXPECT_EQ(choice(all, nullptr, "nonsense"), "none: ACTINIDE_MAX_TARGET names no target that is built in");
}

TEST(ChooseTarget, EmptyTable) {
  const Choice choice = choose_target(all, 0, nullptr, nullptr);
  EXPECT_EQ(choice.target, no_target);
  EXPECT_STREQ(to_string(choice.reason), "this machine supports no target that is built in");
}

}  // namespace
}  // namespace actinide::detail
