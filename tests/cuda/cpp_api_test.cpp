// The C++ overloads with a stream, over the C functions.
#include <actinide/cuda.hpp>

#include <type_traits>

#include "driver_test.h"

namespace actinide {

// In this namespace, so that gtest finds it.
inline void PrintTo(status s, std::ostream* out) { *out << to_string(s); }

namespace test {
namespace {

static_assert(noexcept(elu(std::span<const float>(), std::span<float>(), {}, cuda_stream(nullptr))));
static_assert(!std::is_convertible_v<void*, cuda_stream> && std::is_nothrow_constructible_v<cuda_stream, void*>);
static_assert(std::is_trivially_copyable_v<cuda_stream> && sizeof(cuda_stream) == sizeof(void*));

class CppApiOnCuda : public DriverTest {
 protected:
  template <typename T, typename Function, typename Attributes>
  void check(Function function, Attributes attributes, float alpha, const std::string& kernel, const std::string& overload) {
    SCOPED_TRACE(overload);
    const std::span<const T> x(address<const T>(0x10000), 1000);
    const std::span<T> y(address<T>(0x20000), 1000);
    record() = {};
    record().current = {&context_};
    cuda::Stream stream{&context_};
    ASSERT_EQ(function(x, y, attributes, cuda_stream(&stream)), status::ok);
    ASSERT_EQ(record().launches.size(), 1u);
    const Launch& launch = record().launches.front();
    EXPECT_EQ(launch.code->kernel, kernel);
    EXPECT_EQ(launch.stream, &stream);
    EXPECT_EQ(launch.addresses(), (std::vector<std::uint64_t>{0x10000, 0x20000}));
    EXPECT_TRUE(launch.passes(alpha));
    EXPECT_EQ(std::ranges::count(launch.numbers(), 1000 % (256 * 16 / sizeof(T))), 1);

    EXPECT_EQ(function(x, y.first(999), attributes, cuda_stream(&stream)), status::size_mismatch);
    EXPECT_EQ(function(x.first(0), y, attributes, cuda_stream(nullptr)), status::size_mismatch);
    EXPECT_EQ(function(x.first(0), y.first(0), attributes, cuda_stream(nullptr)), status::ok);
    EXPECT_EQ(function(std::span<const T>(y.data() + 1, 9), y.first(9), attributes, cuda_stream(nullptr)), status::overlap);
    EXPECT_EQ(record().launches.size(), 1u);
  }
};

#define CHECK_OVERLOAD(operator_, type_, element)                                                                        \
  check<element>([](auto... arguments) { return operator_(arguments...); }, operator_##_attributes{.alpha = 0.5f}, 0.5f, \
                 "actinide_k_" #operator_ "_" #type_ "_cuda", #operator_ " " #type_)
#define CHECK_OVERLOADS(operator_)           \
  CHECK_OVERLOAD(operator_, f16, float16);   \
  CHECK_OVERLOAD(operator_, bf16, bfloat16); \
  CHECK_OVERLOAD(operator_, f32, float);     \
  CHECK_OVERLOAD(operator_, f64, double)

TEST_F(CppApiOnCuda, EveryOverload) {
  CHECK_OVERLOADS(elu);
  CHECK_OVERLOADS(thresholded_relu);
}

// Without attributes alpha is 1, as on the CPU.
TEST_F(CppApiOnCuda, DefaultAttributes) {
  const std::span<const float> x(address<const float>(0x10000), 10);
  const std::span<float> y(address<float>(0x20000), 10);
  ASSERT_EQ(thresholded_relu(x, y, {}, cuda_stream(nullptr)), status::ok);
  EXPECT_EQ(record().launches.back().of_attributes(), std::vector<std::uint64_t>{0x3f800000});
  EXPECT_EQ(record().launches.back().stream, nullptr);
  ASSERT_EQ(elu(x, y, {}, cuda_stream(nullptr)), status::ok);
  EXPECT_TRUE(record().launches.back().of_attributes().empty());
}

TEST_F(CppApiOnCuda, Statuses) {
  const std::span<const float> x(address<const float>(0x10000), 10);
  const std::span<float> y(address<float>(0x20000), 10);
  const auto run = [&] { return elu(x, y, {}, cuda_stream(nullptr)); };
  ASSERT_EQ(run(), status::ok);
  driver().results = {{"cuLaunchKernel", 700}};
  EXPECT_EQ(run(), status::launch_failed);
  EXPECT_STREQ(to_string(run()), actinide_status_string(ACTINIDE_LAUNCH_FAILED));
  driver().results = {{"cuPointerGetAttribute", 1}};
  EXPECT_EQ(run(), status::device);
  EXPECT_EQ(elu({address<const float>(0x10001), 10}, y, {}, cuda_stream(nullptr)), status::layout);
}

}  // namespace
}  // namespace test
}  // namespace actinide
