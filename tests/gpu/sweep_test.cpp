// Every float32 there is, on the device: bits against the CPU's, and against the exact values where they differ and for every 16th input.
#include <cinttypes>
#include <mutex>

#include "accuracy_limits.h"
#include "device.h"
#include "references.h"

namespace actinide::test {
namespace {

constexpr std::size_t part = std::size_t{1} << 24;  // of the inputs that are on their way at once

/// One input in 16, whatever its low bits.
bool is_sample(std::uint32_t x) { return x * 0x9e3779b1u >> 28 == 0; }

/// The results of one sweep.
struct Found {
  std::uint64_t differing = 0, first_differing = 0, wrong = 0, first_wrong = 0;
  double worst = 0, worst_subnormal = 0;
  std::uint64_t worst_x = 0;

  void add(const Found& other) {
    if (differing == 0) first_differing = other.first_differing;
    if (wrong == 0) first_wrong = other.first_wrong;
    differing += other.differing;
    wrong += other.wrong;
    if (other.worst > worst) worst = other.worst, worst_x = other.worst_x;
    worst_subnormal = std::max(worst_subnormal, other.worst_subnormal);
  }
};

/// One result against the exact one.
void judge(const ReferenceRow& reference, std::uint64_t x, std::uint64_t y, float attribute, Found& found) {
  const ElementType type = ElementType::f32;
  const Reference right = reference.function(type, x, attribute);
  const bool has_right_form =
      right.is_exact ? y == right.bits : !is_nan_bits(type, y) && ((y & sign_bit(type)) != 0) == std::signbit(right.value);
  if (!has_right_form) {
    if (found.wrong++ == 0) found.first_wrong = x;
    return;
  }
  if (right.is_exact) return;
  const double error = ulp_error(type, y, right);
  if (attribute != 1.0f && std::fabs(right.value) < 0x1p-126) {
    found.worst_subnormal = std::max(found.worst_subnormal, error);
  } else if (error > found.worst) {
    found.worst = error, found.worst_x = x;
  }
}

/// What is on its way through one stream.
struct Lane {
  OwnStream stream;
  PinnedMemory x{part * sizeof(float)}, y{part * sizeof(float)};
  DeviceMemory device_x{part * sizeof(float)}, device_y{part * sizeof(float)};
};

class Sweep : public PerFunction {
 protected:
  void sweep(float attribute) {
    const ReferenceRow* reference = find_reference(function().op->name);
    ASSERT_NE(reference, nullptr);
    Lane lanes[2];
    Found found;
    std::mutex mutex;
    // One part is computed by the device while the one before is compared.
    for (std::uint64_t first = 0; first <= std::uint64_t{1} << 32; first += part) {
      if (first < std::uint64_t{1} << 32) {
        const Lane& lane = lanes[first / part % 2];
        auto* x = reinterpret_cast<std::uint32_t*>(lane.x.data());
        in_parallel(part, 1 << 16, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) x[i] = static_cast<std::uint32_t>(first + i);
        });
        driver().cuMemcpyHtoDAsync(lane.device_x.address(), x, lane.x.size(), lane.stream);
        ASSERT_EQ(function()(lane.device_x.at(), lane.device_y.at(), part, attribute, static_cast<cuda::Stream*>(lane.stream)),
                  ACTINIDE_OK);
        driver().cuMemcpyDtoHAsync(lane.y.data(), lane.device_y.address(), lane.y.size(), lane.stream);
      }
      if (first == 0) continue;
      const Lane& lane = lanes[(first / part + 1) % 2];
      lane.stream.synchronize();
      const auto* x = reinterpret_cast<const std::uint32_t*>(lane.x.data());
      const auto* y = reinterpret_cast<const std::uint32_t*>(lane.y.data());
      in_parallel(part, 1 << 14, [&](std::size_t begin, std::size_t end) {
        std::uint32_t expected[1 << 14];
        Found here;
        const auto attributes = function().same(attribute);
        if (function().op->call(x + begin, expected, end - begin, attributes.data()) != ACTINIDE_OK) ++here.wrong;
        for (std::size_t i = begin; i < end; ++i) {
          const bool differs = y[i] != expected[i - begin];
          if (differs && here.differing++ == 0) here.first_differing = x[i];
          if (differs || is_sample(x[i])) judge(*reference, x[i], y[i], attribute, here);
        }
        const std::lock_guard lock(mutex);
        found.add(here);
      });
    }
    std::printf("attribute %.9g: %" PRIu64 " of 2^32 results differ from the CPU's (%s); worst %.6f ULP, at x = 0x%08" PRIx64 "\n",
                attribute, found.differing, actinide_active_target(), found.worst, found.worst_x);
    EXPECT_EQ(found.wrong, 0u) << "the first at x bits " << std::hex << found.first_wrong;
    if (has_the_cpus_bits(function(), attribute)) {
      EXPECT_EQ(found.differing, 0u) << "the first at x bits " << std::hex << found.first_differing;
    }
    const Limit* limit = find_limit({function().op, "cuda"}, attribute == 1.0f ? Attributes::one : Attributes::any);
    EXPECT_LE(found.worst, limit != nullptr ? limit->limit : 0);
    EXPECT_LE(found.worst_subnormal, 2.0);
  }
};

TEST_P(Sweep, Attribute1) { sweep(1.0f); }
TEST_P(Sweep, AnotherAttribute) { sweep(1.6732632f); }

std::vector<DeviceFunction> of_float32() {
  std::vector<DeviceFunction> functions = device_functions();
  std::erase_if(functions, [](const DeviceFunction& f) { return f.op->type != ElementType::f32; });
  return functions;
}

INSTANTIATE_TEST_SUITE_P(, Sweep, testing::ValuesIn(of_float32()), name_of);

}  // namespace
}  // namespace actinide::test
