// What is launched: which kernel, on which grid, with which parameters. The numbers follow from generators/schedules/cuda.cpp: blocks of
// 256 threads, the first ones with 16 bytes a thread, the others with an element a thread.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "driver_test.h"

namespace actinide::test {
namespace {

constexpr std::size_t threads = 256;
constexpr std::size_t largest_piece = std::size_t{1} << 30;

class Launches : public DriverTest, public testing::WithParamInterface<const Operator*> {
 protected:
  const Operator& op() const { return *GetParam(); }
  std::size_t chunk() const { return threads * 16 / op().element_size; }

  const Launch& launch(std::size_t n, float attribute, std::uint64_t x = x_) {
    record().launches.clear();
    EXPECT_EQ(call(op(), address(x), address(y_), n, attribute), ACTINIDE_OK);
    EXPECT_EQ(record().launches.size(), 1u);
    return record().launches.at(0);
  }

  /// The launch serves the elements [0, n) and no others.
  void expect_covers(const Launch& launch, std::size_t n) const {
    const std::size_t whole = n / chunk(), rest = n - whole * chunk();
    EXPECT_EQ(launch.grid[0], whole + (rest + threads - 1) / threads) << n;
    EXPECT_EQ(launch.grid[1], 1u);
    EXPECT_EQ(launch.grid[2], 1u);
    EXPECT_EQ(launch.block[0], threads);
    EXPECT_EQ(launch.block[1], 1u);
    EXPECT_EQ(launch.block[2], 1u);
    EXPECT_EQ(launch.shared_bytes, 0u);
    // The kernel's numbers: whole blocks, the place of the next one in blocks of an element a thread, and how many elements are left there.
    const std::size_t next = whole * chunk() / threads;
    std::vector<std::uint64_t> numbers = {whole, next, rest};
    std::ranges::sort(numbers);
    ASSERT_EQ(launch.numbers(), numbers) << n;
    std::size_t end = whole * chunk();
    for (std::size_t block = whole; block < launch.grid[0]; ++block) {
      const std::size_t first = block - whole;
      ASSERT_EQ((next + first) * threads, end) << "block " << block << " of " << n;
      const std::size_t count = std::min<std::size_t>(threads, rest - first * threads);
      ASSERT_GT(count, 0u) << "block " << block << " of " << n;
      end += count;
    }
    EXPECT_EQ(end, n);
  }

  static constexpr std::uint64_t x_ = 0x10000000000, y_ = 0x20000000000;
};

TEST_P(Launches, CoverEveryElement) {
  std::set<std::size_t> sizes = {largest_piece - 1, largest_piece, 4096, 4100};
  for (const std::size_t middle : {threads, chunk(), 2 * chunk(), chunk() + threads, 7 * chunk()}) {
    for (const std::size_t n : {middle - 1, middle, middle + 1}) sizes.insert(n);
  }
  for (std::size_t n = 1; n < 20; ++n) sizes.insert(n);
  for (const std::size_t n : sizes) {
    for (const float attribute : {1.0f, 0.75f, 0.0f}) {
      for (const std::uint64_t x : {x_, x_ + op().element_size}) {
        const Launch& launched = launch(n, attribute, x);
        expect_covers(launched, n);
        EXPECT_EQ(launched.addresses(), (std::vector<std::uint64_t>{x, y_}));
      }
    }
  }
}

// More than a piece: one launch after the other, none of which changes the alignment.
TEST_P(Launches, PiecesOfLongTensors) {
  const std::size_t n = (std::size_t{1} << 31) + 65536;
  for (const std::uint64_t x : {x_, x_ + op().element_size}) {
    record().launches.clear();
    ASSERT_EQ(call(op(), address(x), address(y_), n), ACTINIDE_OK);
    std::size_t from = 0;
    for (const Launch& launch : record().launches) {
      const std::size_t piece = std::min(n - from, largest_piece);
      expect_covers(launch, piece);
      const std::uint64_t bytes = from * op().element_size;
      EXPECT_EQ(launch.addresses(), (std::vector<std::uint64_t>{x + bytes, y_ + bytes}));
      EXPECT_EQ(launch.code, record().launches.front().code);
      from += piece;
    }
    EXPECT_EQ(from, n);
  }
  record().launches.clear();
  driver().results = {{"cuLaunchKernel", 700}};
  const int before = driver().launches;
  EXPECT_EQ(call(op(), address(x_), address(y_), n), ACTINIDE_LAUNCH_FAILED);
  EXPECT_EQ(driver().launches, before + 1) << "after a failure no more is queued";
}

INSTANTIATE_TEST_SUITE_P(, Launches, testing::ValuesIn(rows()), row_name);

std::vector<const Operator*> rows_of(std::string_view name) {
  std::vector<const Operator*> chosen = rows();
  std::erase_if(chosen, [=](const Operator* op) { return op->name != name; });
  return chosen;
}

const std::vector<float> attributes = {1.0f,     1.00000012f, 0.5f,   2.0f,     1.6732632f, -1.0f, -0.75f,   1e-3f,     3e38f,
                                       70000.0f, 1e-9f,       1e-39f, 1.4e-45f, 0.0f,       -0.0f, INFINITY, -INFINITY, NAN};

std::uint64_t as_parameter(float attribute) { return std::bit_cast<std::uint32_t>(attribute); }

class EluCases : public Launches {};

// One kernel for alpha 1, which has no parameter for it; one for any other number; one without arithmetic for zero, infinity and NaN. The
// element type's rounding of alpha decides.
TEST_P(EluCases, EachHasItsKernel) {
  for (const std::uint64_t x : {x_, x_ + op().element_size}) {
    std::set<const Entry*> one, number, limit;
    for (const float attribute : attributes) {
      const double alpha = rounded_attribute(op().type, attribute);
      const Launch& launched = launch(1000, attribute, x);
      const std::vector<std::uint64_t> passed = launched.of_attributes();
      if (alpha == 1) {
        one.insert(launched.entry);
        EXPECT_TRUE(passed.empty());
      } else if (alpha != 0 && std::isfinite(alpha)) {
        number.insert(launched.entry);
        EXPECT_TRUE(launched.passes(attribute)) << attribute;
      } else {
        limit.insert(launched.entry);
        EXPECT_FALSE(passed.empty());
      }
    }
    ASSERT_EQ(one.size(), 1u);
    ASSERT_EQ(number.size(), 1u);
    ASSERT_EQ(limit.size(), 1u);
    EXPECT_EQ((std::set{*one.begin(), *number.begin(), *limit.begin()}).size(), 3u);
    EXPECT_TRUE((*one.begin())->multiplies);
    EXPECT_TRUE((*number.begin())->multiplies);
    EXPECT_FALSE((*limit.begin())->multiplies);
  }
}

INSTANTIATE_TEST_SUITE_P(, EluCases, testing::ValuesIn(rows_of("elu")), row_name);

class ThresholdedReluCases : public Launches {};

TEST_P(ThresholdedReluCases, HaveOneKernel) {
  for (const float attribute : attributes) {
    const Launch& launched = launch(1000, attribute);
    EXPECT_EQ(launched.entry, &launched.code->entries.at(0));
    EXPECT_EQ(launched.of_attributes(), std::vector{as_parameter(attribute)});
  }
}

INSTANTIATE_TEST_SUITE_P(, ThresholdedReluCases, testing::ValuesIn(rows_of("thresholded_relu")), row_name);

TEST(Images, AreWhatTheLibraryWasBuiltWith) {
  for (const DeviceCode& code : all_device_code()) {
    SCOPED_TRACE(code.kernel);
    ASSERT_GT(code.image.size(), 64u);
    std::uint32_t magic;
    std::memcpy(&magic, code.image.data(), sizeof(magic));
    ASSERT_EQ(magic == fat_binary_magic, static_cast<bool>(ACTINIDE_CUDA_HAS_BINARIES));
    if (magic != fat_binary_magic) {
      EXPECT_EQ(code.image, code.ptx + '\0');
      continue;
    }
    // Each image in a fat binary: its kind (1 PTX, 2 machine code), the sizes of its header and of itself, and the device.
    std::multiset<std::string> found, wanted = {"1 75"};
    for (std::size_t at = 16; at + 32 <= code.image.size();) {
      std::uint16_t kind;
      std::uint32_t header, device;
      std::uint64_t size;
      std::memcpy(&kind, &code.image[at], sizeof(kind));
      std::memcpy(&header, &code.image[at + 4], sizeof(header));
      std::memcpy(&size, &code.image[at + 8], sizeof(size));
      std::memcpy(&device, &code.image[at + 28], sizeof(device));
      found.insert(std::to_string(kind) + " " + std::to_string(device));
      at += header + size;
    }
    std::istringstream devices(ACTINIDE_CUDA_DEVICES);
    for (std::string device; devices >> device;) wanted.insert("2 " + device);
    EXPECT_EQ(found, wanted);
  }
}

}  // namespace
}  // namespace actinide::test
