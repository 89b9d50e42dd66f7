// Long tensors, which may be written by non-temporal stores: the same bits as in short calls, wherever x and y lie, and nothing beside
// them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "guarded_buffer.h"
#include "inputs.h"
#include "operators_on.h"
#include "stream.h"
#include "target_test.h"

namespace actinide::test {
namespace {

constexpr std::byte sentinel{0xa5};
constexpr std::size_t line = detail::stream_line;
// Tails of every length, and whole tiles before them.
constexpr std::size_t max_bytes = detail::min_streamed_bytes + 2 * detail::tile_bytes + line;

class Streamed : public TargetTest {
 protected:
  void SetUp() override {
    TargetTest::SetUp();
    detail::stream_threshold = detail::min_streamed_bytes;
  }
  void TearDown() override {
    detail::stream_threshold = 0;
    TargetTest::TearDown();
  }

  std::vector<float> attributes(float value) const { return std::vector<float>(op().attributes.size(), value); }
  std::size_t size() const { return op().element_size; }

  actinide_status call(const std::byte* x, std::byte* y, std::size_t n, float attribute) const {
    return op().call(x, y, n, attributes(attribute).data());
  }

  /// Results for all of inputs_ by calls that are too short to be streamed.
  std::vector<std::byte> expected(float attribute) const {
    std::vector<std::byte> y(max_bytes);
    constexpr std::size_t part = detail::min_streamed_bytes / 8;
    for (std::size_t at = 0; at < max_bytes; at += part) {
      EXPECT_EQ(call(inputs_.data() + at, y.data() + at, std::min(part, max_bytes - at) / size(), attribute), ACTINIDE_OK);
    }
    return y;
  }

  const std::vector<std::byte> inputs_ = mixed_inputs(op().type, max_bytes / op().element_size, 5);
};

// All pairs of places in a line, with tails that are different each time.
TEST_P(Streamed, AnyAlignmentOfTheElement) {
  std::vector<std::byte> x_memory(max_bytes + 2 * line), y_memory(max_bytes + 4 * line);
  std::byte* const x_line = x_memory.data() + (0 - reinterpret_cast<std::uintptr_t>(x_memory.data())) % line;
  std::byte* const y_line = y_memory.data() + line + (0 - reinterpret_cast<std::uintptr_t>(y_memory.data())) % line;
  for (const float attribute : attribute_kinds) {
    const std::vector<std::byte> right = expected(attribute);
    std::size_t count = 0;
    for (std::size_t x_offset = 0; x_offset < line; x_offset += attribute == 1.0f ? size() : line / 4) {
      std::memcpy(x_line + x_offset, inputs_.data(), max_bytes);
      for (std::size_t y_offset = 0; y_offset < line; y_offset += size()) {
        const std::size_t bytes = max_bytes - count++ * 13 * size() % (max_bytes - detail::min_streamed_bytes);
        std::byte* const y = y_line + y_offset;
        std::memset(y_memory.data(), static_cast<int>(sentinel), y_memory.size());
        ASSERT_EQ(call(x_line + x_offset, y, bytes / size(), attribute), ACTINIDE_OK);
        ASSERT_EQ(std::memcmp(y, right.data(), bytes), 0) << "offsets " << x_offset << ", " << y_offset << ", " << bytes << " bytes";
        for (std::byte* p = y - line; p < y; ++p) ASSERT_EQ(*p, sentinel) << "offset " << y_offset;
        for (std::byte* p = y + bytes; p < y + bytes + line; ++p)
          ASSERT_EQ(*p, sentinel) << "offset " << y_offset << ", " << bytes << " bytes";
      }
    }
  }
}

TEST_P(Streamed, StaysBetweenGuardPages) {
  using Edge = GuardedBuffer::Edge;
  const std::vector<std::byte> right = expected(1.0f);
  for (const Edge x_edge : {Edge::begin, Edge::end}) {
    for (const Edge y_edge : {Edge::begin, Edge::end}) {
      const GuardedBuffer x(max_bytes, x_edge), y(max_bytes, y_edge);
      // Every size around the threshold, then further tails.
      std::size_t step = size();
      for (std::size_t bytes = detail::min_streamed_bytes - 2 * line; bytes <= max_bytes; bytes += step) {
        std::byte* const from = x.data() + (x_edge == Edge::end ? max_bytes - bytes : 0);
        std::byte* const to = y.data() + (y_edge == Edge::end ? max_bytes - bytes : 0);
        std::memcpy(from, inputs_.data(), bytes);
        std::memset(y.data(), static_cast<int>(sentinel), max_bytes);
        ASSERT_EQ(call(from, to, bytes / size(), 1.0f), ACTINIDE_OK);
        ASSERT_EQ(std::memcmp(to, right.data(), bytes), 0) << bytes << " bytes";
        ASSERT_TRUE(std::all_of(y.data(), to, [](std::byte b) { return b == sentinel; })) << bytes << " bytes";
        ASSERT_TRUE(std::all_of(to + bytes, y.data() + max_bytes, [](std::byte b) { return b == sentinel; })) << bytes << " bytes";
        if (bytes >= detail::min_streamed_bytes + 2 * line) step = 11 * 8;
      }
    }
  }
}

// Whether is decided by the whole call; its pieces are shorter than any that would be streamed alone.
TEST_P(Streamed, DividedOverThreads) {
  const actinide_executor executor = {sizeof(actinide_executor), 7, 1, nullptr,
                                      [](const actinide_executor*, actinide_task task, void* context, std::size_t count) noexcept {
                                        for (std::size_t i = count; i-- > 0;) task(context, i);
                                        return count == 7 ? 0 : 1;
                                      }};
  const std::vector<std::byte> right = expected(1.7f);
  std::vector<std::byte> y(max_bytes + 2 * line);
  for (const std::size_t offset : {std::size_t{0}, size(), line - size()}) {
    std::fill(y.begin(), y.end(), sentinel);
    ASSERT_EQ(call_on(op())(&executor, inputs_.data(), y.data() + offset, max_bytes / size(), attributes(1.7f).data()), ACTINIDE_OK);
    ASSERT_EQ(std::memcmp(y.data() + offset, right.data(), max_bytes), 0) << offset;
    ASSERT_TRUE(std::all_of(y.data(), y.data() + offset, [](std::byte b) { return b == sentinel; }));
    ASSERT_TRUE(std::all_of(y.data() + offset + max_bytes, y.data() + y.size(), [](std::byte b) { return b == sentinel; }));
  }
}

TEST_P(Streamed, InPlace) {
  for (const float attribute : attribute_kinds) {
    std::vector<std::byte> xy = inputs_;
    ASSERT_EQ(call(xy.data(), xy.data(), max_bytes / size(), attribute), ACTINIDE_OK);
    ASSERT_EQ(xy, expected(attribute));
  }
}

TEST_P(Streamed, PartialOverlapIsRefused) {
  std::vector<std::byte> memory(2 * max_bytes, sentinel);
  for (const std::size_t distance : {size(), line, std::size_t{4096}, max_bytes - size()}) {
    EXPECT_EQ(call(memory.data(), memory.data() + distance, max_bytes / size(), 1.0f), ACTINIDE_OVERLAP) << distance;
    EXPECT_EQ(call(memory.data() + distance, memory.data(), max_bytes / size(), 1.0f), ACTINIDE_OVERLAP) << distance;
  }
  EXPECT_TRUE(std::all_of(memory.begin(), memory.end(), [](std::byte b) { return b == sentinel; }));
}

// Such a y never comes to the beginning of a line.
TEST_P(Streamed, BetweenThePlacesOfElements) {
  const std::vector<std::byte> right = expected(1.0f);
  std::vector<std::byte> y(max_bytes + 1);
  ASSERT_EQ(call(inputs_.data(), y.data() + 1, max_bytes / size(), 1.0f), ACTINIDE_OK);
  EXPECT_EQ(std::memcmp(y.data() + 1, right.data(), max_bytes), 0);
}

// The threshold is undecided until somebody asks: so it is seen who does.
TEST_P(Streamed, LongCallsAskForTheThreshold) {
  std::vector<std::byte> y(max_bytes);
  detail::stream_threshold = 0;
  ASSERT_EQ(call(inputs_.data(), y.data(), detail::min_streamed_bytes / size() - 1, 1.0f), ACTINIDE_OK);
  EXPECT_EQ(detail::stream_threshold, 0u);
  ASSERT_EQ(call(inputs_.data(), y.data(), detail::min_streamed_bytes / size(), 1.0f), ACTINIDE_OK);
  // ThresholdedRelu waits for memory on every CPU. Kernels of sse41 are not streamed.
  if (op().name == "thresholded_relu" && GetParam().target != "sse41") {
    EXPECT_NE(detail::stream_threshold, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(, Streamed, testing::ValuesIn(all_parameters()), full_name);

}  // namespace
}  // namespace actinide::test
