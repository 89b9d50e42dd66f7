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

/// A finite attribute other than 0; tests/special has the others. For all types but float64 double is exact enough: its error is 2^-28 ULP
/// of a float32.
inline Reference elu_reference(ElementType type, std::uint64_t x_bits, double alpha) {
  const double x = value_of(type, x_bits);
  if (!(x < 0)) return exactly(x_bits);
  if (type != ElementType::f64) return about(alpha * std::expm1(x));
  const DoubleDouble y = precise_expm1(x);
  const int exponent = std::ilogb(y.hi);  // apart from it, no low part underflows
  return about(ldexp(y, -exponent) * alpha, exponent);
}

inline Reference thresholded_relu_reference(ElementType type, std::uint64_t x_bits, double alpha) {
  return exactly(value_of(type, x_bits) > alpha ? x_bits : 0);
}

struct ReferenceRow {
  std::string_view op;
  Reference (*function)(ElementType, std::uint64_t x_bits, double attribute);
};

inline constexpr ReferenceRow references[] = {
    {"elu", elu_reference},
    {"thresholded_relu", thresholded_relu_reference},
};

/// Null if the operator has no row.
inline const ReferenceRow* find_reference(std::string_view op) {
  for (const ReferenceRow& row : references) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

}  // namespace actinide::test
