// What an element is, by its pattern: the compiler takes values for numbers that are not NaN.
#pragma once

#include <limits>

#include "Halide.h"
#include "element_types.h"
#include "strict.h"

namespace actinide::halide {

namespace detail {

inline Halide::Expr infinity_of(const Element& x) {
  const Halide::Type bits = Halide::UInt(x.stored.type().bits());
  return constant_of(bits, ((uint64_t{1} << (bits.bits() - 1)) - 1) & ~fraction_mask(x.type));
}

inline Halide::Expr magnitude_of(const Element& x) {
  const Halide::Expr pattern = pattern_of(x.stored);
  return pattern & constant_of(pattern.type(), (uint64_t{1} << (pattern.type().bits() - 1)) - 1);
}

}  // namespace detail

inline Halide::Expr is_nan(const Element& x) { return detail::magnitude_of(x) > detail::infinity_of(x); }

/// Neither infinite nor NaN.
inline Halide::Expr is_finite(const Element& x) { return detail::magnitude_of(x) < detail::infinity_of(x); }

/// The value, or the largest one of the type that is computed in where it is infinite or NaN: what ordinary operations may see.
inline Halide::Expr finite_value(const Element& x) {
  const Halide::Expr value = x.value();
  const bool is_f64 = x.type == ElementType::f64;
  const double most = is_f64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  const auto constant = [&](double c) { return Halide::Internal::make_const(value.type(), c); };
  return strict::maximum(strict::minimum(value, constant(most)), constant(-most));
}

}  // namespace actinide::halide
