// The C++ API over the C one.
#include <actinide/actinide.hpp>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

namespace actinide {

// In this namespace, so that gtest finds it.
inline void PrintTo(status s, std::ostream* out) { *out << to_string(s); }

namespace {

static_assert(std::is_trivial_v<float16> && std::is_trivial_v<bfloat16> && alignof(float16) == 2 && alignof(bfloat16) == 2);
static_assert(!std::is_convertible_v<status, int>, "a status is not a number or a truth value");
static_assert(noexcept(elu(std::span<const float>(), std::span<float>())));
static_assert(noexcept(thresholded_relu(std::span<const double>(), std::span<double>())));
static_assert(elu_attributes{}.alpha == 1.0f && thresholded_relu_attributes{}.alpha == 1.0f);

TEST(CppApi, DefaultAttributesAreOnnxs) {
  const std::vector<float> x = {-1.0f, 0.5f, 2.0f};
  std::vector<float> y(3), with_one(3);
  ASSERT_EQ(elu(x, y), status::ok);
  ASSERT_EQ(elu(x, with_one, {.alpha = 1.0f}), status::ok);
  EXPECT_EQ(y, with_one);
  EXPECT_NEAR(y[0], -0.632120559, 1e-7);
  ASSERT_EQ(thresholded_relu(x, y), status::ok);
  EXPECT_EQ(y, (std::vector<float>{0.0f, 0.0f, 2.0f}));
}

TEST(CppApi, Attributes) {
  const std::vector<float> x = {-1.0f, 0.5f, 3.0f};
  std::vector<float> y(3);
  ASSERT_EQ(elu(x, y, {.alpha = 2.0f}), status::ok);
  EXPECT_NEAR(y[0], -1.264241118, 2e-7);
  ASSERT_EQ(thresholded_relu(x, y, {.alpha = 2.0f}), status::ok);
  EXPECT_EQ(y, (std::vector<float>{0.0f, 0.0f, 3.0f}));
  // 0 is a value, not "none given".
  ASSERT_EQ(elu(x, y, {.alpha = 0.0f}), status::ok);
  EXPECT_EQ(y[0], 0.0f);
  EXPECT_TRUE(std::signbit(y[0]));
  ASSERT_EQ(thresholded_relu(x, y, {.alpha = 0.0f}), status::ok);
  EXPECT_EQ(y, (std::vector<float>{0.0f, 0.5f, 3.0f}));
}

TEST(CppApi, EveryElementType) {
  const std::vector<double> x64 = {-1.0, 2.0};
  std::vector<double> y64(2);
  ASSERT_EQ(elu(x64, y64), status::ok);
  EXPECT_NEAR(y64[0], -0.63212055882855767, 1e-15);
  EXPECT_EQ(y64[1], 2.0);
  ASSERT_EQ(thresholded_relu(x64, y64), status::ok);
  EXPECT_EQ(y64, (std::vector<double>{0.0, 2.0}));

  const std::vector<float16> x16 = {{0xbc00}, {0x4000}};  // -1, 2
  std::vector<float16> y16(2);
  ASSERT_EQ(elu(x16, y16), status::ok);
  EXPECT_EQ(y16[0].bits, 0xb90f);
  EXPECT_EQ(y16[1].bits, 0x4000);
  ASSERT_EQ(thresholded_relu(x16, y16), status::ok);
  EXPECT_EQ(y16[0].bits, 0);
  EXPECT_EQ(y16[1].bits, 0x4000);

  const std::vector<bfloat16> xb16 = {{0xbf80}, {0x4000}};
  std::vector<bfloat16> yb16(2);
  ASSERT_EQ(elu(xb16, yb16), status::ok);
  EXPECT_EQ(yb16[0].bits, 0xbf22);
  EXPECT_EQ(yb16[1].bits, 0x4000);
  ASSERT_EQ(thresholded_relu(xb16, yb16), status::ok);
  EXPECT_EQ(yb16[0].bits, 0);
  EXPECT_EQ(yb16[1].bits, 0x4000);
}

TEST(CppApi, WhateverConvertsToASpan) {
  const float right = std::bit_cast<float>(0xbf21d2a7);  // nearest to e^-1 - 1
  const std::array<float, 2> constant = {-1.0f, 4.0f};
  std::array<float, 2> array{};
  EXPECT_EQ(elu(constant, array), status::ok);
  EXPECT_NEAR(array[0], right, 1e-7);
  float raw[2] = {-1.0f, 4.0f};
  EXPECT_EQ(elu(raw, raw), status::ok);
  EXPECT_NEAR(raw[0], right, 1e-7);
  std::vector<float> vector = {-1.0f, 4.0f};
  EXPECT_EQ(elu(vector, vector), status::ok);
  EXPECT_NEAR(vector[0], right, 1e-7);
  EXPECT_EQ(elu(std::span(vector).first(1), std::span(array).last(1)), status::ok);
  EXPECT_EQ(vector[1], 4.0f);
}

TEST(CppApi, SizesThatDiffer) {
  const std::vector<float> x = {-1.0f, 2.0f, 3.0f};
  std::vector<float> y = {7.0f, 7.0f, 7.0f, 7.0f};
  const std::vector<float> before = y;
  EXPECT_EQ(elu(x, y), status::size_mismatch);
  EXPECT_EQ(elu(x, std::span(y).first(2)), status::size_mismatch);
  EXPECT_EQ(elu(x, {}), status::size_mismatch);
  EXPECT_EQ(elu(std::span<const float>(), y), status::size_mismatch);
  EXPECT_EQ(thresholded_relu(x, y), status::size_mismatch);
  EXPECT_EQ(y, before);
}

TEST(CppApi, StatusOfTheCApi) {
  std::vector<float> x(8, -1.0f);
  EXPECT_EQ(elu(std::span<const float>(), std::span<float>()), status::ok);
  EXPECT_EQ(elu(std::span(x).first(5), std::span(x).last(5)), status::overlap);
  EXPECT_EQ(elu(std::span<const float>(static_cast<const float*>(nullptr), 5), std::span(x).first(5)), status::null_pointer);
  EXPECT_EQ(force_target("nonsense"), status::unsupported);
  EXPECT_STREQ(active_target(), "none");
  EXPECT_EQ(elu(x, x), status::unsupported);
  EXPECT_EQ(force_target(nullptr), status::ok);
  EXPECT_STRNE(active_target(), "none");
  for (int s = ACTINIDE_OK; s <= ACTINIDE_READ_ONLY; ++s) {
    EXPECT_STREQ(to_string(static_cast<status>(s)), actinide_status_string(static_cast<actinide_status>(s)));
  }
}

TEST(CppApi, VersionAndTargetsOfTheCApi) {
  static_assert(noexcept(version())&& noexcept(target_count())&& noexcept(target_name(0))&& noexcept(active_target_reason()));
  EXPECT_STREQ(version(), ACTINIDE_PROJECT_VERSION);
  ASSERT_EQ(target_count(), actinide_target_count());
  for (std::size_t i = 0; i < target_count(); ++i) EXPECT_STREQ(target_name(i), actinide_target_name(i));
  EXPECT_EQ(target_name(target_count()), nullptr);
  EXPECT_EQ(force_target("nonsense"), status::unsupported);
  EXPECT_STREQ(active_target_reason(), actinide_active_target_reason());
  EXPECT_EQ(force_target(nullptr), status::ok);
  EXPECT_STREQ(active_target_reason(), actinide_active_target_reason());
}

}  // namespace
}  // namespace actinide
