// Reference arithmetic with twice the precision of double, the same on every platform: long double has 64 bits on x86, 113 in software on
// 64-bit ARM, and no more than double on 32-bit ARM.
//
// A number is hi + lo, where hi is the double nearest to it. Dekker, "A floating-point technique for extending the available precision"
// (1971); Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic" (2017).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace actinide::test {

struct DoubleDouble {
  double hi = 0, lo = 0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double high, double low = 0) : hi(high), lo(low) {}  // NOLINT: a double is one
};

/// a + b, exactly.
inline DoubleDouble exact_sum(double a, double b) {
  const double sum = a + b;
  const double b_in_sum = sum - a;
  return {sum, (a - (sum - b_in_sum)) + (b - b_in_sum)};
}

/// a * b, exactly where nothing underflows.
inline DoubleDouble exact_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble sum = exact_sum(a.hi, b.hi);
  return exact_sum(sum.hi, sum.lo + (a.lo + b.lo));
}

inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + DoubleDouble(-b.hi, -b.lo); }

inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = exact_product(a.hi, b.hi);
  return exact_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator/(const DoubleDouble& a, double b) {
  const double quotient = a.hi / b;
  const DoubleDouble product = exact_product(quotient, b);
  return exact_sum(quotient, ((a.hi - product.hi) - product.lo + a.lo) / b);
}

inline DoubleDouble ldexp(const DoubleDouble& a, int exponent) { return {std::ldexp(a.hi, exponent), std::ldexp(a.lo, exponent)}; }

namespace detail {

inline const std::array<DoubleDouble, 24> inverse_factorials = [] {
  std::array<DoubleDouble, 24> factors = {1.0};
  for (std::size_t n = 1; n < factors.size(); ++n) factors[n] = factors[n - 1] / static_cast<double>(n);
  return factors;
}();

/// (sum r + 1/(end-1)!) r + ... + 1/begin!, unrolled: compilers make vector code of no nested loop.
template <int begin, int end>
[[gnu::always_inline]] inline double horner(double sum, double r) {
  if constexpr (begin == end) {
    return sum;
  } else {
    return horner<begin, end - 1>(inverse_factorials[end - 1].hi + sum * r, r);
  }
}
template <int begin, int end>
[[gnu::always_inline]] inline DoubleDouble horner(const DoubleDouble& sum, const DoubleDouble& r) {
  if constexpr (begin == end) {
    return sum;
  } else {
    return horner<begin, end - 1>(inverse_factorials[end - 1] + sum * r, r);
  }
}

}  // namespace detail

/// The whole number k nearest to x / ln2, and 2^k, for |x| < 700: where that sum is rounded, its low bits hold k.
struct PowerOfTwo {
  double exponent, value;
};
[[gnu::always_inline]] inline PowerOfTwo power_of_two_near(double x) {
  constexpr double shift = 0x1.8p52;
  const double shifted = x * 0x1.71547652b82fep+0 + shift;
  return {shifted - shift, std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52)};
}

/// e^x - 1 for -700 < x <= 0, to 2^-98 of it. No branches and no library function, so that compilers make vector code of it.
[[gnu::always_inline]] inline DoubleDouble branchless_expm1(double x) {
  constexpr DoubleDouble ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  const auto [k, power] = power_of_two_near(x);
  const DoubleDouble r = DoubleDouble(x) - ln2 * k;
  // e^r - 1 = r (1 + r (1/2! + r (1/3! + ...))), |r| < 0.35. The terms from r^13 / 14! on are below 2^-51, so double will do for their sum;
  // what is left out is below 2^-114.
  const auto& factor = detail::inverse_factorials;
  const DoubleDouble sum = detail::horner<1, 14>(detail::horner<14, 23>(factor[23].hi, r.hi), r);
  const DoubleDouble reduced = r * sum;
  return DoubleDouble(power * reduced.hi, power * reduced.lo) + exact_sum(power, -1);
}

/// e^x - 1 for x <= 0, to 2^-98 of it.
inline DoubleDouble precise_expm1(double x) {
  if (x < -40) return {-1, std::exp(x)};  // 2^-53 of 2^-57
  return branchless_expm1(x);
}

/// e^x - 1 for x <= 0, to 2^-51 of it where x is a float32, branchless as well.
///
/// r = x - k ln2 is rounded once, since x less k times 33 bits of ln2 is exact (x is then a multiple of 2^-25); the polynomial to 1.8 times
/// 2^-53 (what is left out is 2^-61); scaled by 2^k, and with 2^k - 1 added, that is less than 3 times 2^-53 of the result, which is
/// cancelled most for k = -1, to 0.29. Below -40 it is -1, for which 2^-57 lacks.
[[gnu::always_inline]] inline double quick_expm1(double x) {
  constexpr double ln2_hi = 0x1.62e42feep-1, ln2_lo = 0x1.a39ef35793c76p-33;
  x = std::bit_cast<double>(std::min(std::bit_cast<std::int64_t>(x), std::bit_cast<std::int64_t>(-40.0)));
  const auto [k, power] = power_of_two_near(x);
  const double r = (x - k * ln2_hi) - k * ln2_lo;
  const auto& factor = detail::inverse_factorials;
  const double q = detail::horner<2, 15>(factor[15].hi, r);
  return power * (r + r * r * q) + (power - 1);
}

/// A decimal number such as -1.25e-3, of up to 30 digits.
inline DoubleDouble decimal(const char* text) {
  const bool negative = *text == '-';
  if (negative) ++text;
  DoubleDouble value;
  int exponent = 0;
  for (bool fraction = false; (*text >= '0' && *text <= '9') || *text == '.'; ++text) {
    if (*text == '.') {
      fraction = true;
      continue;
    }
    value = value * 10.0 + DoubleDouble(*text - '0');
    if (fraction) --exponent;
  }
  if (*text == 'e') exponent += std::atoi(text + 1);
  for (; exponent > 0; --exponent) value = value * 10.0;
  for (; exponent < 0; ++exponent) value = value / 10.0;
  return negative ? DoubleDouble() - value : value;
}

}  // namespace actinide::test
