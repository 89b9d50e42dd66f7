// No call reads or writes outside its n elements, wherever they lie, and in place means in place.
#include <algorithm>
#include <cstring>
#include <vector>

#include "guarded_buffer.h"
#include "inputs.h"
#include "target_test.h"

namespace actinide::test {
namespace {

// Four times the longest main loop (two AVX-512 vectors of 16-bit elements) and a tail.
constexpr std::size_t max_n = 4 * 64 + 9;
constexpr std::byte sentinel{0xa5};

bool is_untouched(const std::byte* first, const std::byte* last) {
  return std::all_of(first, last, [](std::byte b) { return b == sentinel; });
}

class Memory : public TargetTest {
 protected:
  std::vector<float> attributes(float value) const { return std::vector<float>(op().attributes.size(), value); }

  /// Results for the first max_n of `inputs_`, computed in one piece far from any edge.
  std::vector<std::byte> expected(float attribute) const {
    std::vector<std::byte> y(inputs_.size());
    EXPECT_EQ(op().call(inputs_.data(), y.data(), max_n, attributes(attribute).data()), ACTINIDE_OK);
    return y;
  }

  std::size_t bytes(std::size_t n) const { return n * op().element_size; }

  const std::vector<std::byte> inputs_ = mixed_inputs(op().type, max_n, 1);
};

TEST_P(Memory, StaysBetweenGuardPages) {
  using Edge = GuardedBuffer::Edge;
  for (const Edge edge : {Edge::begin, Edge::end}) {
    const GuardedBuffer x(bytes(max_n), edge), y(bytes(max_n), edge);
    for (const float attribute : attribute_kinds) {
      const std::vector<std::byte> right = expected(attribute);
      for (std::size_t n = 0; n <= max_n; ++n) {
        const std::size_t start = edge == Edge::end ? bytes(max_n - n) : 0;
        std::memset(y.data(), static_cast<int>(sentinel), bytes(max_n));
        std::memcpy(x.data() + start, inputs_.data(), bytes(n));
        ASSERT_EQ(op().call(x.data() + start, y.data() + start, n, attributes(attribute).data()), ACTINIDE_OK);
        ASSERT_EQ(std::memcmp(y.data() + start, right.data(), bytes(n)), 0) << "n = " << n << ", attribute " << attribute;
        ASSERT_TRUE(is_untouched(y.data(), y.data() + start)) << "n = " << n;
        ASSERT_TRUE(is_untouched(y.data() + start + bytes(n), y.data() + bytes(max_n))) << "n = " << n;
      }
    }
  }
}

TEST_P(Memory, AnyAlignmentOfTheElement) {
  constexpr std::size_t offsets = 64;
  std::vector<std::byte> x(bytes(max_n + offsets)), y(bytes(max_n + 2 * offsets));
  for (const float attribute : attribute_kinds) {
    const std::vector<std::byte> right = expected(attribute);
    for (std::size_t offset = 0; offset < offsets; ++offset) {
      for (const std::size_t y_offset : {offset, offsets - offset, offset * 7 % offsets}) {
        const std::size_t n = max_n - offset * 3;
        std::memcpy(x.data() + bytes(offset), inputs_.data(), bytes(n));
        std::fill(y.begin(), y.end(), sentinel);
        ASSERT_EQ(op().call(x.data() + bytes(offset), y.data() + bytes(y_offset), n, attributes(attribute).data()), ACTINIDE_OK);
        ASSERT_EQ(std::memcmp(y.data() + bytes(y_offset), right.data(), bytes(n)), 0) << "offsets " << offset << ", " << y_offset;
        ASSERT_TRUE(is_untouched(y.data(), y.data() + bytes(y_offset))) << "offset " << y_offset;
        ASSERT_TRUE(is_untouched(y.data() + bytes(y_offset + n), y.data() + y.size())) << "offset " << y_offset;
      }
    }
  }
}

TEST_P(Memory, InPlace) {
  for (const float attribute : attribute_kinds) {
    const std::vector<std::byte> right = expected(attribute);
    for (std::size_t n = 0; n <= max_n; ++n) {
      std::vector<std::byte> xy = inputs_;
      ASSERT_EQ(op().call(xy.data(), xy.data(), n, attributes(attribute).data()), ACTINIDE_OK);
      ASSERT_EQ(std::memcmp(xy.data(), right.data(), bytes(n)), 0) << "n = " << n;
      ASSERT_EQ(std::memcmp(xy.data() + bytes(n), inputs_.data() + bytes(n), bytes(max_n - n)), 0) << "n = " << n;
    }
  }
}

// Distances around the sizes of vectors and loops, in both directions.
TEST_P(Memory, PartialOverlapIsRefusedAndNothingWritten) {
  constexpr std::size_t n = 100;
  const std::size_t size = op().element_size;
  std::vector<std::byte> memory(3 * bytes(n));
  for (const std::size_t distance : {std::size_t{1}, size, 8 * size, 16 * size, 64 * size, bytes(n) - size, bytes(n) - 1}) {
    for (const bool y_first : {false, true}) {
      std::byte* middle = memory.data() + bytes(n);
      std::byte* other = y_first ? middle - distance : middle + distance;
      std::fill(memory.begin(), memory.end(), sentinel);
      EXPECT_EQ(op().call(middle, other, n, attributes(1.0f).data()), ACTINIDE_OVERLAP) << distance;
      EXPECT_TRUE(is_untouched(memory.data(), memory.data() + memory.size())) << distance;
    }
  }
  // Neighbours share nothing.
  EXPECT_EQ(op().call(memory.data(), memory.data() + bytes(n), n, attributes(1.0f).data()), ACTINIDE_OK);
  EXPECT_EQ(op().call(memory.data() + bytes(n), memory.data(), n, attributes(1.0f).data()), ACTINIDE_OK);
}

INSTANTIATE_TEST_SUITE_P(, Memory, testing::ValuesIn(all_parameters()), full_name);

}  // namespace
}  // namespace actinide::test
