// What the C functions promise besides results: status, sizes, pointers.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <set>

#include "check.h"
#include "target_test.h"

namespace actinide::test {
namespace {

TEST(Api, StatusStrings) {
  std::set<std::string> strings;
  for (int status = ACTINIDE_OK; status <= ACTINIDE_READ_ONLY; ++status) {
    const char* string = actinide_status_string(static_cast<actinide_status>(status));
    ASSERT_NE(string, nullptr);
    EXPECT_STRNE(string, "unknown status") << status;
    EXPECT_TRUE(strings.insert(string).second) << status << " shares its text";
  }
  // Whatever number a C or foreign caller passes.
  const auto by_number = reinterpret_cast<const char* (*)(int)>(reinterpret_cast<void*>(&actinide_status_string));
  for (const int nonsense : {-1, ACTINIDE_READ_ONLY + 1, 255, INT_MAX, INT_MIN})
    EXPECT_STREQ(by_number(nonsense), "unknown status") << nonsense;
}

TEST(Api, StatusNumbersAreTheAbi) {
  EXPECT_EQ(ACTINIDE_OK, 0);
  EXPECT_EQ(ACTINIDE_NULL_POINTER, 1);
  EXPECT_EQ(ACTINIDE_SIZE_MISMATCH, 2);
  EXPECT_EQ(ACTINIDE_OVERLAP, 3);
  EXPECT_EQ(ACTINIDE_ELEMENT_TYPE, 4);
  EXPECT_EQ(ACTINIDE_DEVICE, 5);
  EXPECT_EQ(ACTINIDE_LAYOUT, 6);
  EXPECT_EQ(ACTINIDE_UNSUPPORTED, 7);
  EXPECT_EQ(ACTINIDE_LAUNCH_FAILED, 8);
  EXPECT_EQ(ACTINIDE_EXECUTOR_FAILED, 9);
  EXPECT_EQ(ACTINIDE_READ_ONLY, 10);
}

TEST(Api, VersionIsTheProjects) { EXPECT_STREQ(actinide_version(), ACTINIDE_PROJECT_VERSION); }

class Contract : public testing::TestWithParam<const Operator*> {
 protected:
  const Operator& op() const { return *GetParam(); }
  actinide_status call(const void* x, void* y, std::size_t n) const {
    const std::vector<float> attributes(op().attributes.size(), 1.0f);
    return op().call(x, y, n, attributes.data());
  }

  static constexpr std::size_t n_ = 100;
  const std::size_t size_ = n_ * op().element_size;  ///< bytes of a tensor
  const std::vector<std::byte> x_ = some_inputs(op(), n_);
  const std::vector<std::byte> sentinel_ = std::vector<std::byte>(size_, std::byte{0xa5});
};

TEST_P(Contract, NoElementsIsSuccess) {
  std::vector<std::byte> x = x_, y = sentinel_;
  EXPECT_EQ(call(nullptr, nullptr, 0), ACTINIDE_OK);
  EXPECT_EQ(call(x.data(), nullptr, 0), ACTINIDE_OK);
  EXPECT_EQ(call(nullptr, y.data(), 0), ACTINIDE_OK);
  EXPECT_EQ(call(x.data(), y.data(), 0), ACTINIDE_OK);
  EXPECT_EQ(call(x.data(), x.data() + 1, 0), ACTINIDE_OK) << "nothing cannot overlap";
  EXPECT_EQ(y, sentinel_);
  EXPECT_EQ(x, x_);
}

TEST_P(Contract, NullPointers) {
  std::vector<std::byte> y = sentinel_;
  for (const std::size_t n : {std::size_t{1}, n_, SIZE_MAX}) {
    EXPECT_EQ(call(nullptr, y.data(), n), ACTINIDE_NULL_POINTER);
    EXPECT_EQ(call(x_.data(), nullptr, n), ACTINIDE_NULL_POINTER);
    EXPECT_EQ(call(nullptr, nullptr, n), ACTINIDE_NULL_POINTER);
  }
  EXPECT_EQ(y, sentinel_);
}

TEST_P(Contract, SizesBeyondTheAddressSpace) {
  std::vector<std::byte> x = x_, y = sentinel_;
  const std::size_t size = op().element_size;
  std::byte* const higher = std::max(x.data(), y.data());
  const std::size_t fits = (UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(higher)) / size;
  for (const std::size_t n : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / size, SIZE_MAX / size + 1, SIZE_MAX / size + 2, fits + 1}) {
    if (n <= fits) continue;
    EXPECT_EQ(call(x.data(), y.data(), n), ACTINIDE_SIZE_MISMATCH) << n;
    EXPECT_EQ(call(y.data(), x.data(), n), ACTINIDE_SIZE_MISMATCH) << n;
    EXPECT_EQ(call(higher, higher, n), ACTINIDE_SIZE_MISMATCH) << n << " in place";
  }
  EXPECT_EQ(call(x.data(), y.data(), fits), ACTINIDE_OVERLAP) << "the last size that fits";
  EXPECT_EQ(x, x_);
  EXPECT_EQ(y, sentinel_);
}

TEST_P(Contract, PartialOverlapIsRefused) {
  std::vector<std::byte> memory(3 * size_);
  std::byte* const middle = memory.data() + size_;
  const std::size_t size = op().element_size;
  for (const std::size_t distance : {std::size_t{1}, size, 2 * size, size_ / 2, size_ - size, size_ - 1}) {
    for (const bool y_is_higher : {true, false}) {
      std::memset(memory.data(), 0xa5, memory.size());
      const std::vector<std::byte> before = memory;
      std::byte* const y = y_is_higher ? middle + distance : middle - distance;
      EXPECT_EQ(call(middle, y, n_), ACTINIDE_OVERLAP) << distance << " bytes " << (y_is_higher ? "up" : "down");
      EXPECT_EQ(memory, before) << distance;
    }
  }
}

TEST_P(Contract, AdjacentAndInPlace) {
  std::vector<std::byte> right(size_);
  ASSERT_EQ(call(x_.data(), right.data(), n_), ACTINIDE_OK);
  ASSERT_TRUE(is_right(op(), x_, right, 1.0f));

  std::vector<std::byte> memory(3 * size_);
  std::byte* const middle = memory.data() + size_;
  for (std::byte* const y : {memory.data(), middle, memory.data() + 2 * size_}) {
    std::memset(memory.data(), 0xa5, memory.size());
    std::memcpy(middle, x_.data(), size_);
    ASSERT_EQ(call(middle, y, n_), ACTINIDE_OK);
    EXPECT_EQ(std::memcmp(y, right.data(), size_), 0);
    if (y != middle) {
      EXPECT_EQ(std::memcmp(middle, x_.data(), size_), 0);
    }
  }
}

// Long tensors are looked at elsewhere than short ones.
TEST_P(Contract, LongTensorsAsShortOnes) {
  const std::size_t n = (std::size_t{1} << 18) + 1, size = n * op().element_size;
  std::vector<std::byte> memory(3 * size);
  std::byte* const middle = memory.data() + size;
  for (std::byte* const y : {memory.data(), middle, middle + size}) EXPECT_EQ(call(middle, y, n), ACTINIDE_OK) << y - middle;
  for (const std::size_t distance : {std::size_t{1}, op().element_size, size - 1}) {
    EXPECT_EQ(call(middle, middle + distance, n), ACTINIDE_OVERLAP) << distance;
    EXPECT_EQ(call(middle, middle - distance, n), ACTINIDE_OVERLAP) << distance;
  }
}

std::vector<const Operator*> rows() {
  std::vector<const Operator*> all;
  for (const Operator& op : tools::operators()) all.push_back(&op);
  return all;
}

INSTANTIATE_TEST_SUITE_P(, Contract, testing::ValuesIn(rows()),
                         [](const auto& info) { return std::string(info.param->name) + "_" + std::string(info.param->type_name); });

}  // namespace
}  // namespace actinide::test
