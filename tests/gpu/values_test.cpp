// The device gives the CPU's bits, for every size, at every offset, of every pattern, and in tensors of more than 2^31 elements.
#include <random>

#include "device.h"
#include "../special/records.h"

namespace actinide::test {
namespace {

class Values : public PerFunction {
 protected:
  /// Compares two tensors as bits. A NaN that comes of an attribute may be any.
  void expect_same(const std::vector<std::byte>& x, const std::vector<std::byte>& got, const std::vector<std::byte>& expected,
                   float attribute) {
    if (got == expected) return;
    const Operator& op = *function().op;
    std::size_t differing = 0;
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < x.size() / op.element_size; ++i) {
      const std::uint64_t in = load_bits(op.type, x.data(), i), a = load_bits(op.type, got.data(), i),
                          b = load_bits(op.type, expected.data(), i);
      if (a == b || (is_nan_bits(op.type, a) && is_nan_bits(op.type, b) && !is_nan_bits(op.type, in))) continue;
      if (differing++ == 0) first = i;
    }
    EXPECT_EQ(differing, 0u) << "attribute " << attribute << ": first at x bits " << std::hex << load_bits(op.type, x.data(), first)
                             << ": got " << load_bits(op.type, got.data(), first) << ", the CPU "
                             << load_bits(op.type, expected.data(), first);
  }

  /// Calls of n elements with x at `x_at` bytes of one tensor, y in rooms of `room` bytes side by side, at `y_at` in each.
  struct Placed {
    std::size_t n, x_at, y_at;
  };

  void check_calls(const std::vector<Placed>& calls, std::size_t longest, std::size_t room, float attribute) {
    if (!has_the_cpus_bits(function(), attribute)) GTEST_SKIP() << "the CPU has no FMA: other bits";
    const Operator& op = *function().op;
    const std::vector<std::byte> inputs = mixed_inputs(op.type, longest, 5);
    const std::vector<std::byte> right = on_cpu(function(), inputs, attribute);
    // x at every offset that is asked for, each behind a room of its own.
    std::size_t largest_offset = 0;
    for (const Placed& call : calls) largest_offset = std::max(largest_offset, call.x_at);
    const std::size_t x_room = (inputs.size() + largest_offset + 255) / 256 * 256;
    std::vector<std::size_t> offsets;
    for (const Placed& call : calls) {
      if (std::find(offsets.begin(), offsets.end(), call.x_at) == offsets.end()) offsets.push_back(call.x_at);
    }
    std::vector<std::byte> rows(offsets.size() * x_room, sentinel);
    for (std::size_t i = 0; i < offsets.size(); ++i) std::copy(inputs.begin(), inputs.end(), rows.data() + i * x_room + offsets[i]);
    const DeviceMemory x = upload(rows);
    const DeviceMemory y(calls.size() * room);
    fill(y, stream());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto row = static_cast<std::size_t>(std::find(offsets.begin(), offsets.end(), calls[i].x_at) - offsets.begin());
      ASSERT_EQ(function()(x.at(row * x_room + calls[i].x_at), y.at(i * room + calls[i].y_at), calls[i].n, attribute, handle()),
                ACTINIDE_OK);
    }
    const PinnedMemory found(y.size());
    driver().cuMemcpyDtoHAsync(found.data(), y.address(), y.size(), stream());
    stream_->synchronize();
    ASSERT_EQ(download(x), rows) << "x has been written to";
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::byte* begin = found.data() + i * room;
      const std::byte* data = begin + calls[i].y_at;
      const std::size_t size = function().bytes(calls[i].n);
      SCOPED_TRACE("n " + std::to_string(calls[i].n) + ", x at byte " + std::to_string(calls[i].x_at) + ", y at " +
                   std::to_string(calls[i].y_at));
      ASSERT_EQ(std::memcmp(data, right.data(), size), 0) << "attribute " << attribute;
      ASSERT_TRUE(is_untouched(begin, data)) << "before the tensor";
      ASSERT_TRUE(is_untouched(data + size, begin + room)) << "behind the tensor";
    }
  }
};

TEST_P(Values, EverySizeUpTo4100) {
  constexpr std::size_t longest = 4100;
  const std::size_t size = function().op->element_size;
  for (const std::size_t offset : {std::size_t{0}, size}) {
    std::vector<Placed> calls;
    for (std::size_t n = 0; n <= longest; ++n) calls.push_back({n, offset, 64});
    for (const float attribute : {1.0f, 1.7f}) check_calls(calls, longest, (function().bytes(longest) + 128 + 63) / 64 * 64, attribute);
  }
}

TEST_P(Values, EveryPairOfOffsets) {
  const std::size_t size = function().op->element_size;
  for (const std::size_t n : {1, 17, 1000, 4099, 70001}) {
    std::vector<Placed> calls;
    for (std::size_t x = 0; x < 16; ++x) {
      for (std::size_t y = 0; y < 16; ++y) calls.push_back({n, x * size, 64 + y * size});
    }
    for (const float attribute : attribute_kinds) check_calls(calls, n, (function().bytes(n + 16) + 192) / 64 * 64, attribute);
  }
}

TEST_P(Values, InPlace) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{255}, std::size_t{4097}, (std::size_t{1} << 20) + 3}) {
    for (const float attribute : attribute_kinds) {
      if (!has_the_cpus_bits(function(), attribute)) continue;
      for (const std::size_t offset : {std::size_t{0}, function().op->element_size}) {
        const std::vector<std::byte> x = mixed_inputs(function().op->type, n, 6);
        const DeviceMemory xy(x.size() + offset);
        cuda::copy_to_device(xy.address() + offset, x.data(), x.size());
        ASSERT_EQ(function()(xy.at(offset), xy.at(offset), n, attribute, handle()), ACTINIDE_OK);
        stream_->synchronize();
        std::vector<std::byte> y(x.size());
        driver().cuMemcpyDtoH(y.data(), xy.address() + offset, y.size());
        expect_same(x, y, on_cpu(function(), x, attribute), attribute);
      }
    }
  }
}

TEST_P(Values, SpecialValues) {
  const Operator& op = *function().op;
  const std::vector<Group> groups = read_records(op);
  ASSERT_FALSE(groups.empty()) << "no records";
  for (const Group& group : groups) {
    std::vector<std::byte> x(group.records.size() * op.element_size);
    for (std::size_t i = 0; i < group.records.size(); ++i) store_bits(op.type, x.data(), i, group.records[i].x);
    const DeviceMemory device_x = upload(x), device_y(x.size());
    ASSERT_EQ(function()(device_x.at(), device_y.at(), group.records.size(), group.alpha, handle()), ACTINIDE_OK);
    stream_->synchronize();
    const std::vector<std::byte> got = download(device_y);
    if (has_the_cpus_bits(function(), group.alpha)) expect_same(x, got, on_cpu(function(), x, group.alpha), group.alpha);
    for (std::size_t i = 0; i < group.records.size(); ++i) {
      if (group.records[i].kind == '=') {
        ASSERT_EQ(load_bits(op.type, got.data(), i), group.records[i].y)
            << "alpha " << group.alpha << ", x bits " << std::hex << group.records[i].x;
      }
    }
  }
}

TEST_P(Values, EveryPatternOf16BitsWithManyAttributes) {
  const Operator& op = *function().op;
  if (op.element_size != 2) GTEST_SKIP() << "a 16-bit type's test";
  std::vector<std::byte> x(0x10000 * op.element_size);
  for (std::size_t i = 0; i < 0x10000; ++i) store_bits(op.type, x.data(), i, i);
  std::vector<float> attributes = {1.0f, -1.0f,      0.0f, -0.0f, INFINITY, -INFINITY, NAN,  2.0f,
                                   0.5f, 1.6732632f, 0.1f, 3e38f, 1e-40f,   65520.0f,  6e-8f};
  std::mt19937 random(7);
  std::uniform_real_distribution<float> exponent(-40, 40), near_one(-2, 2);
  for (int i = 0; i < 100; ++i) attributes.push_back(near_one(random));
  for (int i = 0; i < 100; ++i) attributes.push_back((i % 2 == 0 ? 1.0f : -1.0f) * std::exp2(exponent(random)));
  const DeviceMemory device_x = upload(x), device_y(x.size());
  std::size_t compared = 0;
  for (const float attribute : attributes) {
    const bool is_special = attribute == 0 || !std::isfinite(attribute);
    if (!is_special && !has_the_cpus_bits(function(), attribute)) continue;
    ++compared;
    ASSERT_EQ(function()(device_x.at(), device_y.at(), 0x10000, attribute, handle()), ACTINIDE_OK);
    stream_->synchronize();
    expect_same(x, download(device_y), on_cpu(function(), x, attribute), attribute);
  }
  std::printf("%zu attributes compared\n", compared);
}

TEST_P(Values, MoreThan2To31Elements) {
  const Operator& op = *function().op;
  if (op.type != ElementType::f16 && op.type != ElementType::f32) GTEST_SKIP() << "f16 and f32 stand for all";
  if (!has_the_cpus_bits(function(), 1.7f)) GTEST_SKIP() << "the CPU has no FMA: other bits";
  constexpr std::size_t n = (std::size_t{1} << 31) + 65536, margin = 65536;
  constexpr std::size_t tile = 16777213;  // a prime: no two parts of a power of two begin alike
  std::size_t free = 0, total = 0;
  driver().cuMemGetInfo(&free, &total);
  const std::size_t needed = 2 * function().bytes(n) + (std::size_t{1} << 30);
  if (free < needed) GTEST_SKIP() << "the device has " << (free >> 20) << " MiB free, not " << (needed >> 20);

  const std::vector<std::byte> x = mixed_inputs(op.type, tile, 8);
  const std::vector<std::byte> right = on_cpu(function(), x, 1.7f);
  const DeviceMemory device_x(function().bytes(n)), device_y(function().bytes(n) + margin);
  cuda::copy_to_device(device_x.address(), x.data(), x.size());
  for (std::size_t at = tile; at < n; at += tile) {
    driver().cuMemcpyDtoDAsync(device_x.address() + function().bytes(at), device_x.address(), function().bytes(std::min(tile, n - at)),
                               stream());
  }
  fill(device_y, stream());
  ASSERT_EQ(function()(device_x.at(), device_y.at(), n, 1.7f, handle()), ACTINIDE_OK);
  stream_->synchronize();
  const PinnedMemory part(x.size());
  for (std::size_t at = 0; at < n; at += tile) {
    const std::size_t size = function().bytes(std::min(tile, n - at));
    driver().cuMemcpyDtoH(part.data(), device_y.address() + function().bytes(at), size);
    std::atomic<bool> is_same{true};
    in_parallel(size, std::size_t{1} << 20, [&](std::size_t begin, std::size_t end) {
      if (std::memcmp(part.data() + begin, right.data() + begin, end - begin) != 0) is_same = false;
    });
    ASSERT_TRUE(is_same) << "between elements " << at << " and " << at + tile;
  }
  std::vector<std::byte> behind(margin);
  driver().cuMemcpyDtoH(behind.data(), device_y.address() + function().bytes(n), margin);
  EXPECT_TRUE(is_untouched(behind.data(), behind.data() + margin));
}

INSTANTIATE_TEST_SUITE_P(, Values, testing::ValuesIn(device_functions()), name_of);

}  // namespace
}  // namespace actinide::test
