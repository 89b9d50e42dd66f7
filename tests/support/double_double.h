// Reference arithmetic with twice the precision of double, the same on every platform: long double has 64 bits on x86, 113 in software on
// 64-bit ARM, and no more than double on 32-bit ARM.
//
// A number is hi + lo, where hi is the double nearest to it. Dekker, "A floating-point technique for extending the available precision"
// (1971); Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic" (2017).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
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

}  // namespace detail

/// e^x - 1 for x <= 0, to 2^-98 of it.
inline DoubleDouble precise_expm1(double x) {
  if (x < -40) return {-1, std::exp(x)};  // 2^-53 of 2^-57
  constexpr DoubleDouble ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  const double k = std::nearbyint(x / ln2.hi);
  const DoubleDouble r = DoubleDouble(x) - ln2 * k;
  // e^r - 1 = r (1 + r (1/2! + r (1/3! + ...))), |r| < 0.35. The terms from r^13 / 14! on are below 2^-51, so double will do for their sum;
  // what is left out is below 2^-114.
  const auto& factor = detail::inverse_factorials;
  double last = factor[23].hi;
  for (std::size_t n = 22; n > 13; --n) last = factor[n].hi + last * r.hi;
  DoubleDouble sum = last;
  for (std::size_t n = 13; n > 0; --n) sum = factor[n] + sum * r;
  const DoubleDouble reduced = r * sum;
  if (k == 0) return reduced;
  const double power = std::ldexp(1.0, static_cast<int>(k));
  return ldexp(reduced, static_cast<int>(k)) + exact_sum(power, -1);
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
