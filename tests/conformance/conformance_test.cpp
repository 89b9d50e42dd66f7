// Published cases of ONNX, and ours where it has none, on every target: the folders that tests/support/write_cases.py wrote.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "case_folder.h"
#include "target_test.h"
#include "test_data.h"

namespace actinide::test {
namespace {

using tools::Case;
using tools::CaseResult;

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = tools::read_cases(test_data_folder() + "/cases");
  return cases;
}

/// What ONNX publishes for the operators of the list.
const std::set<std::string> expected_published = {
    "documents/test_cc_elu",
    "documents/test_cc_elu_bfloat16",
    "documents/test_cc_elu_default",
    "documents/test_cc_elu_example",
    "documents/test_cc_elu_float16",
    "documents/test_cc_thresholdedrelu",
    "documents/test_cc_thresholdedrelu_default",
    "documents/test_cc_thresholdedrelu_example",
    "node/test_elu",
    "node/test_elu_default",
    "node/test_elu_example",
    "node/test_thresholdedrelu",
    "node/test_thresholdedrelu_default",
    "node/test_thresholdedrelu_example",
    "pytorch-converted/test_ELU",
};

TEST(ConformanceCases, EveryPublishedOneIsThere) {
  std::set<std::string> found;
  for (const Case& c : all_cases()) {
    if (c.source == "published") found.insert(c.name);
  }
  for (const std::string& name : expected_published) EXPECT_TRUE(found.contains(name)) << name << " is missing";
}

TEST(ConformanceCases, OursAreCalledOurs) {
  for (const Case& c : all_cases()) EXPECT_EQ(c.source == "ours", c.name.starts_with("ours/")) << c.name << " is called " << c.source;
}

TEST(ConformanceCases, EveryOperatorAndTypeHasOne) {
  for (const Operator& op : tools::operators()) {
    const auto is_of_it = [&op](const Case& c) { return c.op == &op; };
    EXPECT_TRUE(std::any_of(all_cases().begin(), all_cases().end(), is_of_it)) << op.name << " " << op.type_name << " has no case";
  }
}

class Conformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!use_target(GetParam().c_str())) GTEST_SKIP() << "this machine does not support " << GetParam();
  }
  void TearDown() override { (void)use_target(nullptr); }
};

TEST_P(Conformance, EveryCase) {
  ASSERT_FALSE(all_cases().empty());
  for (const Case& c : all_cases()) {
    const CaseResult result = tools::run_case(c);
    EXPECT_EQ(result.target, GetParam());
    if (const auto& failure = result.first_failure) {
      ADD_FAILURE() << c.name << " (" << c.source << "): element " << failure->index << ": x = " << failure->x << ", y = " << failure->y
                    << ", expected " << failure->expected << "; largest difference " << result.max_absolute << ", " << result.max_ulp
                    << " ULP";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Onnx, Conformance, testing::ValuesIn(built_targets()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace actinide::test
