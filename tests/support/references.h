// What each operator means, element by element. A new activation adds its function and a row.
#pragma once

#include <cmath>
#include <string_view>

#include "bits.h"

namespace actinide::test {

using tools::ElementType;

/// The right result: either exact bits, or a real number that has to be rounded.
struct Reference {
  bool is_exact;
  std::uint64_t bits;
  long double value;
};

inline Reference exactly(std::uint64_t bits) { return {true, bits, 0}; }
inline Reference about(long double value) { return {false, 0, value}; }

/// A finite attribute other than 0; tests/special has the others. float64 needs long double; for the others double is exact enough: its
/// error is 2^-28 ULP of a float32.
inline Reference elu_reference(ElementType type, std::uint64_t x_bits, double alpha) {
  const double x = value_of(type, x_bits);
  if (!(x < 0)) return exactly(x_bits);
  return about(type == ElementType::f64 ? alpha * std::expm1(static_cast<long double>(x)) : alpha * std::expm1(x));
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
