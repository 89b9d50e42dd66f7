// Elu: ONNX operator, versions 1, 6 and 22 (https://onnx.ai/onnx/operators/onnx__Elu.html)
//
//   y = alpha * (exp(x) - 1)  for x < 0
//   y = x                     for x >= 0
//
// Attribute: alpha, float32, default 1.0, any value; it is rounded to the element type first.
//
// How: alpha * expm1(x) from numerics/expm1.h; never exp(x) - 1, which loses everything near zero.
//   f16, bf16: computed in float32, rounded once, with no more terms than correct rounding needs at alpha 1
//   f32: in float32, degree 4          f64: in float64, degree 10
//
// Edges, all exact to the bit:
//   x >= 0, -0.0, NaN    x itself, payload and all
//   x = -inf, or far below zero: -alpha
//   the result for x < 0 has the sign of -alpha, also when it underflows to zero
//   alpha 0, infinite or NaN: -alpha for x < 0 (0 times a negative number is -0.0; there is no 0 * inf)
//
// LIMITS
//
// Cost of a vector, float32 at alpha 1 with FMA: 9 multiply-class operations, 2 additions, 1 shift, 2 minimum/maximum.
#pragma once

#include "Halide.h"
#include "cases.h"
#include "../numerics/element_types.h"
#include "../numerics/expm1.h"

namespace actinide::halide {

/// Elu of one element; alpha is in the type that the mathematics runs in, already rounded to the element type.
inline Cases elu(const Element& x, const Halide::Expr& alpha) {
  using Halide::Expr;
  using Halide::select;

  const Halide::Type type = alpha.type();
  const Halide::Type bits = Halide::UInt(type.bits());
  const Patterns pattern = patterns_of(type);
  const Expr alpha_bits = Halide::reinterpret(bits, alpha);
  const Expr alpha_magnitude = alpha_bits & ~pattern.sign;

  const Expr z = clamp_to_negative(x);
  const Expr negative = is_negative(x);

  // alpha 1. e^x - 1 is never below x, and the clamp makes it -1 or 0 where x is not below zero: the larger of the two is the answer,
  // in one instruction. x itself wins ties and NaN. On 16-bit types a choice by x's own bits is cheaper than one for each half.
  Expr unit;
  if (is_16_bit(x.type)) {
    const Expr v = scaled_expm1(z, Expr(), x.type == ElementType::f16 ? Expm1Accuracy::f16 : Expm1Accuracy::bf16);
    unit = select(negative, x.store(v, Range::number), x.stored);
  } else {
    const Expr v = scaled_expm1(z, Expr(), x.type == ElementType::f32 ? Expm1Accuracy::f32 : Expm1Accuracy::f64);
    unit = select(strict::less(x.stored, v), v, x.stored);
  }

  Expr v = scaled_expm1(z, alpha, x.type == ElementType::f64 ? Expm1Accuracy::f64 : Expm1Accuracy::f32);
  if (!x.traits.has_fma) {
    // An underflowing product is -0.0 but its sum with +0.0 is not: put the sign of -alpha back.
    v = Halide::reinterpret(type, Halide::reinterpret(bits, v) | (~alpha_bits & pattern.sign));
  }
  const Expr limit = Halide::reinterpret(type, alpha_bits ^ pattern.sign);

  return {
      {alpha_bits == pattern.one, unit},
      {alpha_magnitude > Halide::Internal::make_zero(bits) && alpha_magnitude < pattern.infinity,
       select(negative, x.store(v, Range::number), x.stored)},
      {Expr(), select(negative, x.store(limit), x.stored)},
  };
}

}  // namespace actinide::halide
