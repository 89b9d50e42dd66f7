// ThresholdedRelu: ONNX operator, versions 10 and 22 (https://onnx.ai/onnx/operators/onnx__ThresholdedRelu.html)
//
//   y = x  for x > alpha
//   y = 0  otherwise
//
// Attribute: alpha, float32, default 1.0, any value; it is rounded to the element type first.
//
// How: a comparison and a mask. No arithmetic touches x, so every result is x's own bits or +0.0. The 16-bit types compare bit patterns:
// converting them would cost more than all the rest.
//
// Edges, all exact to the bit:
//   x NaN or alpha NaN: +0.0        x equal to alpha: +0.0
//   alpha +inf: +0.0 everywhere     alpha -inf: x, but +0.0 for -inf and NaN
//   alpha < 0 passes -0.0 as it is; alpha 0 or -0.0 does not
//
// LIMITS: none; every result is exact.
//
// Cost of a vector: 1 comparison, 1 and; for 16-bit types 1 addition more, and for negative alpha 1 comparison and 1 or more.
#pragma once

#include "Halide.h"
#include "cases.h"
#include "../numerics/element_types.h"

namespace actinide::halide {

/// ThresholdedRelu of one element; alpha is in the type that the mathematics runs in, already rounded to the element type.
inline Cases thresholded_relu(const Element& x, const Halide::Expr& alpha) {
  using Halide::Expr;
  using Halide::select;

  const Expr zero = Halide::Internal::make_zero(x.stored.type());
  if (!is_16_bit(x.type)) return {{Expr(), select(strict::less(alpha, x.stored), x.stored, zero)}};

  // As unsigned patterns with a sign, a smaller one is nearer to zero: above a negative alpha lie those with a smaller pattern, and every
  // number without a sign. -0.0 must compare as +0.0, and above NaN lies nothing.
  const Halide::Type i16 = Halide::Int(16);
  const Expr pattern = x.store(alpha);
  const Expr signed_pattern = Halide::reinterpret(i16, pattern);
  const Expr alpha_is_nan = (rotate_16(x.type, pattern & detail::u16(0x7fff)) < Halide::Internal::make_zero(i16));
  const Expr no_number = Halide::reinterpret(i16, detail::u16(0x7fff));
  const Expr threshold =
      select(alpha_is_nan, no_number, rotate_16(x.type, select(pattern == detail::u16(0x8000), detail::u16(0), pattern)));
  const Expr rotated = rotate_16(x.type, x.stored);
  const Expr positive_number = rotated > rotate_16(x.type, detail::u16(0xffff));
  return {
      {is_negative({x.type, x.traits, pattern}),
       select(positive_number || Halide::reinterpret(i16, x.stored) < signed_pattern, x.stored, zero)},
      {Expr(), select(rotated > threshold, x.stored, zero)},
  };
}

}  // namespace actinide::halide
