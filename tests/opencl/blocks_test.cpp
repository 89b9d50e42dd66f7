// What begins where the tests of other kinds end: tensors of whole blocks of threads. A block of the schedule has 256 threads with 16 bytes
// each, 2048 elements of 16 bits; up to there only the loop over single elements runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <vector>

#include "guarded_buffer.h"
#include "inputs.h"
#include "records.h"
#include "target_test.h"

namespace actinide::test {
namespace {

using Edge = GuardedBuffer::Edge;

constexpr std::size_t bytes_of_block = 256 * 16;
constexpr std::byte sentinel{0xa5};

bool is_untouched(const std::byte* first, const std::byte* last) {
  return std::all_of(first, last, [](std::byte b) { return b == sentinel; });
}

class Blocks : public TargetTest {
 protected:
  std::size_t bytes(std::size_t n) const { return n * op().element_size; }
  std::size_t block() const { return bytes_of_block / op().element_size; }
  std::size_t aligned_elements() const { return 16 / op().element_size; }

  void call(const std::byte* x, std::byte* y, std::size_t n, float attribute) const {
    const std::vector<float> attributes(op().attributes.size(), attribute);
    ASSERT_EQ(op().call(x, y, n, attributes.data()), ACTINIDE_OK);
  }

  /// The results of `inputs` in pieces of less than a block, aligned: those that the other tests are about.
  std::vector<std::byte> in_pieces(const std::vector<std::byte>& inputs, float attribute) const {
    std::vector<std::byte> y(inputs.size());
    const std::size_t piece = bytes_of_block / 2;
    for (std::size_t at = 0; at < inputs.size(); at += piece) {
      call(inputs.data() + at, y.data() + at, std::min(piece, inputs.size() - at) / op().element_size, attribute);
    }
    return y;
  }

  /// From 0 to 4100, and around the ends of some blocks.
  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> all(4101);
    for (std::size_t n = 0; n < all.size(); ++n) all[n] = n;
    for (std::size_t blocks = 1; blocks <= largest_blocks; ++blocks) {
      for (const std::size_t n : {blocks * block() - 1, blocks * block(), blocks * block() + 1}) {
        if (n > 4100) all.push_back(n);
      }
    }
    return all;
  }

  static constexpr std::size_t largest_blocks = 5;
  std::size_t largest_size() const { return std::max<std::size_t>(4100, largest_blocks * block() + 1); }
};

TEST_P(Blocks, EverySizeStaysBetweenGuardPages) {
  const std::size_t largest = bytes(largest_size());
  const std::vector<std::byte> inputs = mixed_inputs(op().type, largest_size(), 5);
  for (const Edge edge : {Edge::begin, Edge::end}) {
    const GuardedBuffer x(largest, edge), y(largest, edge);
    for (const float attribute : attribute_kinds) {
      const std::vector<std::byte> right = in_pieces(inputs, attribute);
      for (const std::size_t n : sizes()) {
        const std::size_t start = edge == Edge::end ? largest - bytes(n) : 0;
        // Of what is not to be touched, the elements next to it; the guard page is on the other side.
        const std::size_t before = std::min<std::size_t>(start, 64), after = std::min<std::size_t>(largest - start - bytes(n), 64);
        std::memset(y.data() + start - before, static_cast<int>(sentinel), before + bytes(n) + after);
        std::memcpy(x.data() + start, inputs.data(), bytes(n));
        ASSERT_NO_FATAL_FAILURE(call(x.data() + start, y.data() + start, n, attribute));
        ASSERT_EQ(std::memcmp(y.data() + start, right.data(), bytes(n)), 0) << "n = " << n << ", attribute " << attribute;
        ASSERT_TRUE(is_untouched(y.data() + start - before, y.data() + start)) << "n = " << n;
        ASSERT_TRUE(is_untouched(y.data() + start + bytes(n), y.data() + start + bytes(n) + after)) << "n = " << n;

        ASSERT_NO_FATAL_FAILURE(call(x.data() + start, x.data() + start, n, attribute));
        ASSERT_EQ(std::memcmp(x.data() + start, right.data(), bytes(n)), 0) << "in place, n = " << n << ", attribute " << attribute;
      }
    }
  }
}

TEST_P(Blocks, AnyAlignmentOfTheElement) {
  constexpr std::size_t offsets = 16;
  const std::vector<std::byte> inputs = mixed_inputs(op().type, largest_size(), 6);
  std::vector<std::byte> x(bytes(largest_size() + offsets)), y(bytes(largest_size() + 2 * offsets));
  for (const float attribute : attribute_kinds) {
    const std::vector<std::byte> right = in_pieces(inputs, attribute);
    for (std::size_t x_offset = 0; x_offset < offsets; ++x_offset) {
      for (std::size_t y_offset = 0; y_offset < offsets; ++y_offset) {
        for (const std::size_t n : {block() - 1, block(), block() + 1, 2 * block() + 77 - 3 * x_offset}) {
          std::memcpy(x.data() + bytes(x_offset), inputs.data(), bytes(n));
          std::fill(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(bytes(y_offset + n + offsets)), sentinel);
          ASSERT_NO_FATAL_FAILURE(call(x.data() + bytes(x_offset), y.data() + bytes(y_offset), n, attribute));
          ASSERT_EQ(std::memcmp(y.data() + bytes(y_offset), right.data(), bytes(n)), 0) << "offsets " << x_offset << ", " << y_offset;
          ASSERT_TRUE(is_untouched(y.data(), y.data() + bytes(y_offset))) << "offset " << y_offset;
          ASSERT_TRUE(is_untouched(y.data() + bytes(y_offset + n), y.data() + bytes(y_offset + n + offsets))) << "offset " << y_offset;
        }
      }
      const std::size_t n = 2 * block() + 77;
      std::memcpy(x.data() + bytes(x_offset), inputs.data(), bytes(n));
      ASSERT_NO_FATAL_FAILURE(call(x.data() + bytes(x_offset), x.data() + bytes(x_offset), n, attribute));
      ASSERT_EQ(std::memcmp(x.data() + bytes(x_offset), right.data(), bytes(n)), 0) << "in place, offset " << x_offset;
    }
  }
}

// Special values at every place within the 16 bytes of a thread: each gives what it gives alone.
TEST_P(Blocks, SpecialValues) {
  const std::vector<Group> groups = read_records(op());
  ASSERT_FALSE(groups.empty()) << "no records: support/write_special.py did not run";
  for (const Group& group : groups) {
    const std::size_t count = group.records.size();
    std::vector<std::byte> inputs(bytes(count)), results(bytes(count));
    for (std::size_t i = 0; i < count; ++i) {
      store_bits(op().type, inputs.data(), i, group.records[i].x);
      ASSERT_NO_FATAL_FAILURE(call(inputs.data() + bytes(i), results.data() + bytes(i), 1, group.alpha));
    }
    const std::size_t n = 2 * block() + count;
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
      std::vector<std::byte> x(bytes(n + offset)), y(bytes(n + offset));
      for (std::size_t first = 0; first < aligned_elements(); ++first) {
        const auto record = [&](std::size_t i) { return (first + i) % count; };
        for (std::size_t i = 0; i < n; ++i) store_bits(op().type, x.data(), offset + i, load_bits(op().type, inputs.data(), record(i)));
        ASSERT_NO_FATAL_FAILURE(call(x.data() + bytes(offset), y.data() + bytes(offset), n, group.alpha));
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(load_bits(op().type, y.data(), offset + i), load_bits(op().type, results.data(), record(i)))
              << "x 0x" << std::hex << load_bits(op().type, inputs.data(), record(i)) << std::dec << " at position " << i << " of " << n
              << ", offset " << offset << ", alpha " << group.alpha;
        }
      }
    }
  }
}

// Thousands of blocks, whose last byte lies at a guard page. The inputs repeat after a number of elements that divides no block.
TEST_P(Blocks, LargeGrid) {
  constexpr std::size_t period = 4099, n = 1000 * period;
  const std::vector<std::byte> inputs = mixed_inputs(op().type, period, 7);
  const std::vector<std::byte> right = in_pieces(inputs, 1.7f);
  for (const std::size_t rest : {std::size_t{0}, std::size_t{3}}) {
    const GuardedBuffer xy(bytes(n - rest), Edge::end);
    for (std::size_t at = 0; at < bytes(n - rest); at += bytes(period)) {
      std::memcpy(xy.data() + at, inputs.data(), std::min(bytes(period), bytes(n - rest) - at));
    }
    ASSERT_NO_FATAL_FAILURE(call(xy.data(), xy.data(), n - rest, 1.7f));
    for (std::size_t at = 0; at < bytes(n - rest); at += bytes(period)) {
      ASSERT_EQ(std::memcmp(xy.data() + at, right.data(), std::min(bytes(period), bytes(n - rest) - at)), 0) << "from byte " << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Blocks, testing::ValuesIn(all_parameters()), full_name);

// What the guard pages are worth: a kernel that is told of one element more than the buffers have ends on them, whether it reads or writes.
TEST(OpenclMemory, KernelsMeetTheGuardPages) {
  if (!use_target("opencl")) GTEST_SKIP() << "this machine does not support opencl";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  constexpr std::size_t n = 100;
  const GuardedBuffer guarded(n * sizeof(float), Edge::end);
  std::vector<float> larger(n + 1);
  float* const at_guard = reinterpret_cast<float*>(guarded.data());
  const auto run = [](const float* x, float* y, std::size_t elements) {
    OpenclTensors tensors(x, y, n, sizeof(float));
    tensors.arguments.dimension.extent = static_cast<std::int32_t>(elements);
    ACTINIDE_FUNCTION_OF(elu, f32).any(nullptr, &tensors.arguments.x, 1.0f, &tensors.arguments.y);
    return tensors.finish();
  };
  EXPECT_TRUE(run(at_guard, larger.data(), n));
  EXPECT_TRUE(run(larger.data(), at_guard, n));
  EXPECT_EXIT(run(at_guard, larger.data(), n + 1), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(run(larger.data(), at_guard, n + 1), testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace actinide::test
