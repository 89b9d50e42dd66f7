// What each operator means, element by element. A new activation adds its function and a row.
#pragma once

#include <cmath>
#include <string_view>

#include "bits.h"
#include "double_double.h"

namespace actinide::test {

using tools::ElementType;

/// The right result: either exact bits, or a real number that has to be rounded.
struct Reference {
  bool is_exact;
  std::uint64_t bits;
  double value;  ///< to double's precision
  double rest;   ///< what the number lies above `value`, in units in the last place of `value`
};

inline Reference exactly(std::uint64_t bits) { return {true, bits, 0, 0}; }
inline Reference about(double value, double rest = 0) { return {false, 0, value, rest}; }

/// value * 2^exponent
inline Reference about(const DoubleDouble& value, int exponent = 0) {
  const double nearest = std::ldexp(value.hi, exponent);
  const double rest = (value.hi - std::ldexp(nearest, -exponent)) + value.lo;
  return about(nearest, std::ldexp(rest, exponent - unit_exponent(ElementType::f64, nearest)));
}

inline double ulp_error(ElementType type, std::uint64_t bits, const Reference& right) {
  return ulp_error(type, bits, right.value, right.rest);
}

/// Any attribute but NaN; tests/special has that.
inline Reference precise_elu(ElementType type, std::uint64_t x_bits, double alpha) {
  const double x = value_of(type, x_bits);
  if (!(x < 0)) return exactly(x_bits);
  if (alpha == 0 || std::isinf(alpha)) return exactly(nearest_bits(type, -alpha));
  const DoubleDouble y = precise_expm1(x);
  const int exponent = std::ilogb(y.hi);  // apart from it, no low part underflows
  DoubleDouble scaled = ldexp(y, -exponent);
  if (scaled.lo == 0) scaled.lo = 0x1p-500;  // less than x^2 / 2, which did; but it decides on which side of a power of two the value is
  return about(scaled * alpha, exponent);
}

/// For float32 double is exact enough, and quicker: its error is 2^-26 ULP.
inline Reference elu_reference(ElementType type, std::uint64_t x_bits, double alpha) {
  const double x = value_of(type, x_bits);
  if (type != ElementType::f32 || !(x < 0) || alpha == 0 || std::isinf(alpha)) return precise_elu(type, x_bits, alpha);
  return about(alpha * quick_expm1(x));
}

inline Reference thresholded_relu_reference(ElementType type, std::uint64_t x_bits, double alpha) {
  return exactly(value_of(type, x_bits) > alpha ? x_bits : 0);
}

/// Forms of which whole blocks are checked at once, which takes a hundredth of the time.
enum class Form {
  scaled_expm1,  ///< attribute * (e^x - 1) for x < 0, otherwise x itself
  threshold,     ///< x itself where it is above the attribute, otherwise 0
  other,
};

struct ReferenceRow {
  std::string_view op;
  Reference (*function)(ElementType, std::uint64_t x_bits, double attribute);
  Form form = Form::other;
  Reference (*precise)(ElementType, std::uint64_t x_bits, double attribute) = function;  ///< the same to 2^-90 of the result
};

inline constexpr ReferenceRow references[] = {
    {"elu", elu_reference, Form::scaled_expm1, precise_elu},
    {"thresholded_relu", thresholded_relu_reference, Form::threshold},
};

/// Null if the operator has no row.
inline const ReferenceRow* find_reference(std::string_view op) {
  for (const ReferenceRow& row : references) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

}  // namespace actinide::test
