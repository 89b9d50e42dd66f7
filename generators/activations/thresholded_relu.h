// ThresholdedRelu: ONNX operator, versions 10 and 22 (https://onnx.ai/onnx/operators/onnx__ThresholdedRelu.html)
//
//   y = x  for x > alpha
//   y = 0  otherwise
//
// Attribute: alpha, float32, default 1.0, any value; it is rounded to the element type first.
//
// How: a comparison and a mask. No arithmetic touches x, so every result is x's own bits or +0.0. The 16-bit types compare bit patterns
// (f16 with half-precision instructions does not): converting them would cost more than all the rest. So does float32 on 32-bit NEON, whose
// comparisons take subnormals for zero.
//
// Edges, all exact to the bit:
//   x NaN or alpha NaN: +0.0        x equal to alpha: +0.0
//   alpha +inf: +0.0 everywhere     alpha -inf: x, but +0.0 for -inf and NaN
//   alpha < 0 passes -0.0 as it is; alpha 0 or -0.0 does not
//
// LIMITS: none; every result is exact.
//
// Cost of a vector: 1 comparison, 1 and; by patterns 1 addition more, and for negative alpha 1 comparison and 1 or more.
#pragma once

#include "Halide.h"
#include "cases.h"
#include "../numerics/element_types.h"

namespace actinide::halide {

/// ThresholdedRelu of one element; alpha is in the type that the mathematics runs in, already rounded to the element type.
inline Cases thresholded_relu(const Element& x, const Halide::Expr& alpha) {
  using Halide::Expr;
  using Halide::select;

  const Expr stored_alpha = x.store_attribute(alpha);
  const Expr zero = Halide::Internal::make_zero(x.stored.type());
  if (x.traits.wide_lanes && is_16_bit(x.type)) return {{Expr(), select(strict::less(alpha, x.value()), x.stored, zero)}};
  if (compares_exactly(x.type, x.traits)) return {{Expr(), select(less_than(stored_alpha, x.stored), x.stored, zero)}};

  // As unsigned patterns with a sign, a smaller one is nearer to zero: above a negative alpha lie those with a smaller pattern, and every
  // number without a sign. -0.0 must compare as +0.0, and above NaN lies nothing.
  const Expr pattern = pattern_of(stored_alpha);
  const Halide::Type bits = pattern.type();
  const Halide::Type integer = Halide::Int(bits.bits());
  const Expr sign = detail::constant_of(bits, uint64_t{1} << (bits.bits() - 1));
  const Expr alpha_is_nan = rotate(x.type, pattern & ~sign) < Halide::Internal::make_zero(integer);
  const Expr no_number = Halide::Internal::make_const(integer, (uint64_t{1} << (bits.bits() - 1)) - 1);
  const Expr positive_alpha = select(pattern == sign, Halide::Internal::make_zero(bits), pattern);
  const Expr threshold = select(alpha_is_nan, no_number, rotate(x.type, positive_alpha));
  const Expr rotated = rotate(x.type, pattern_of(x.stored));
  const Expr positive_number = rotated > rotate(x.type, ~Halide::Internal::make_zero(bits));
  const Expr nearer_to_zero = Halide::reinterpret(integer, x.stored) < Halide::reinterpret(integer, pattern);
  return {
      {is_negative({x.type, x.traits, stored_alpha}), select(positive_number || nearer_to_zero, x.stored, zero)},
      {Expr(), select(rotated > threshold, x.stored, zero)},
  };
}

}  // namespace actinide::halide
