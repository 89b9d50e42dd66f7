// The reference itself: against multiple precision, against long double where that is more than double, and at the ends of float64.
#include "double_double.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <random>

#include "references.h"

namespace actinide::test {
namespace {

/// Distance of two sums, in units of the second.
double relative_difference(const DoubleDouble& a, const DoubleDouble& b) { return std::fabs(((a.hi - b.hi) + (a.lo - b.lo)) / b.hi); }

struct Value {
  double x;
  DoubleDouble y;
};

const Value expm1_values[] = {
#define EXPM1(x, first, second) {x, {first, second}},
#include "expm1_values.def"
#undef EXPM1
};

TEST(DoubleDouble, Expm1AgreesWithMultiplePrecision) {
  for (const Value& v : expm1_values) {
    const DoubleDouble y = precise_expm1(v.x);
    EXPECT_EQ(y.hi, v.y.hi) << std::hexfloat << v.x;
    EXPECT_LE(relative_difference(y, v.y), 0x1p-100) << std::hexfloat << v.x;
  }
}

TEST(DoubleDouble, Expm1AgreesWithLongDouble) {
  if (LDBL_MANT_DIG == DBL_MANT_DIG) GTEST_SKIP() << "long double is double here";
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(1, 2);
  for (int i = 0; i < 20000; ++i) {
    const double x = -std::ldexp(unit(random), static_cast<int>(random() % 60) - 50);
    const DoubleDouble y = precise_expm1(x);
    const long double right = std::expm1(static_cast<long double>(x));
    EXPECT_LE(std::fabs(((y.hi - right) + y.lo) / right), 0x1p-61L) << std::hexfloat << x;
  }
}

TEST(DoubleDouble, QuickExpm1KeepsItsBound) {
  std::mt19937_64 random(6);
  double worst = 0;
  const auto check = [&](float x) {
    const DoubleDouble y = precise_expm1(x);
    worst = std::max(worst, std::fabs(((quick_expm1(x) - y.hi) - y.lo) / y.hi));
  };
  for (int i = 0; i < 100'000; ++i) {
    check(-std::ldexp(1 + static_cast<float>(random() % 0x800000) * 0x1p-23f, static_cast<int>(random() % 40) - 34));
    check(-0x1.62e42fefa39efp-1f * (static_cast<float>(random() % 64) + 0.5f) * (1 + static_cast<float>(random() % 64) * 0x1p-23f));
  }
  for (const float x : {-0x1p-149f, -0x1p-126f, -40.0f, -1e38f, -INFINITY}) check(x);
  EXPECT_LE(worst, 0x1p-51);
  EXPECT_GE(worst, 0x1p-54);
}

// What is computed by blocks, which have a smaller range.
TEST(DoubleDouble, BranchlessExpm1ReachesAsFarAsItSays) {
  for (const Value& v : expm1_values) {
    if (v.x < -700) continue;
    EXPECT_LE(relative_difference(branchless_expm1(v.x), v.y), 0x1p-98) << std::hexfloat << v.x;
  }
}

TEST(DoubleDouble, Decimal) {
  const auto expect = [](const char* text, const DoubleDouble& right) {
    const DoubleDouble value = decimal(text);
    EXPECT_EQ(value.hi, right.hi) << text;
    EXPECT_LE(relative_difference(value, right), 0x1p-98) << text;
  };
  expect("-3", -3.0);
  expect("0.1", {0x1.999999999999ap-4, -0x1.999999999999ap-58});
  expect("123456789012345678901", {123456789012345683968.0, -5067});
  expect("-1234.56789012345678901e17", {-123456789012345683968.0, 5067});
  expect("-2.5e-39", {-0x1.b38fb9daa78e4p-129, -0x1.2acb73de9ac65p-183});
}

// Where float64 ends, and with it the pairs.
TEST(Reference, EluFloat64NearTheEnds) {
  const auto elu = [](double x, double alpha) { return elu_reference(ElementType::f64, std::bit_cast<std::uint64_t>(x), alpha); };
  const Reference subnormal = elu(-0x3p-1060, 0x1p-15);  // -1.5 units
  EXPECT_EQ(subnormal.value, -0x2p-1074);
  EXPECT_EQ(subnormal.rest, 0.5);
  const Reference nothing = elu(-0x1p-1074, 0x1p-100);
  EXPECT_EQ(nothing.value, 0);
  EXPECT_TRUE(std::signbit(nothing.value));
  EXPECT_EQ(nothing.rest, -0x1p-100);
  const Reference small = elu(-0x1.0000000000001p-1000, 0x1.000002p0);  // 1 + 2^-23 + 2^-52 + 2^-75
  EXPECT_EQ(small.value, -0x1.0000020000001p-1000);
  EXPECT_EQ(small.rest, -0x1p-23);
}

TEST(Reference, UlpOfTheTrueValue) {
  const std::uint64_t minus_one = std::bit_cast<std::uint64_t>(-1.0);
  EXPECT_EQ(ulp_error(ElementType::f64, minus_one, -1, -0.25), 0.25);
  EXPECT_EQ(ulp_error(ElementType::f64, minus_one, -1, 0.25), 0.5);  // in the octave below, where a unit is half as large
  EXPECT_EQ(ulp_error(ElementType::f64, minus_one + 1, -1, -0.25), 0.75);
  EXPECT_EQ(ulp_error(ElementType::f32, 0xbf800000, -1, 0.25), 0x1p-30);
  EXPECT_EQ(ulp_error(ElementType::f64, 3, 0x2p-1074, 0.5), 0.5);
  EXPECT_EQ(ulp_error(ElementType::f16, 0x8000, -0x1p-25), 0.5);
}

}  // namespace
}  // namespace actinide::test
