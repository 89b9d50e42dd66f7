// Elu: ONNX operator, versions 1, 6 and 22 (https://onnx.ai/onnx/operators/onnx__Elu.html)
//
//   y = alpha * (exp(x) - 1)  for x < 0
//   y = x                     for x >= 0
//
// Attribute: alpha, float32, default 1.0, any value; it is rounded to the element type first.
//
// How: alpha * expm1(x) from numerics/expm1.h; never exp(x) - 1, which loses everything near zero.
//   f16, bf16: computed in float32, rounded once; degree 3 and 2 at alpha 1, as much as correct rounding needs; degree 4 and 3 at others
//   f32: in float32, degree 4          f64: in float64, degree 9
//
// Edges, all exact to the bit:
//   x >= 0, -0.0, NaN    x itself, payload and all
//   x = -inf, or far below zero: -alpha
//   the result for x < 0 has the sign of -alpha, also when it underflows to zero
//   alpha 0, infinite or NaN: -alpha for x < 0 (0 times a negative number is -0.0; there is no 0 * inf)
//
// LIMITS in ULP, where a result is rounded, and the worst that is known: at x, returned for exact. Alpha is 1 or any finite one but 0.
// From tests/accuracy/limits.def, which names the alpha too. Targets with FMA, and those without: sse41 and 32-bit ARM's neon.
//   f16  no_fma one  0.5   0.499934 at -0x1.74cp0, -0x1.888p-1 for -0.766845670777
//   f16  no_fma any  0.51  0.500155 at -0x1.114p-5, -0x1.d8p-14 for -0.000112503757799
//   f16  fma    one  0.5   0.499934 at -0x1.74cp0, -0x1.888p-1 for -0.766845670777
//   f16  fma    any  0.51  0.500155 at -0x1.114p-5, -0x1.d8p-14 for -0.000112503757799
//   bf16 no_fma one  0.5   0.499753 at -0x1.3cp0, -0x1.6ap-1 for -0.708983409090
//   bf16 no_fma any  0.51  0.500049 at -0x1.d2p-2, -0x1.84p-126 for -1.78620085270e-38
//   bf16 fma    one  0.5   0.499753 at -0x1.3cp0, -0x1.6ap-1 for -0.708983409090
//   bf16 fma    any  0.51  0.500049 at -0x1.d2p-2, -0x1.84p-126 for -1.78620085270e-38
//   f32  no_fma one  1.0   0.910119 at -0x1.892d66p-2, -0x1.467ebcp-2 for -0.318842855397
//   f32  no_fma any  2.4   2.351014 at -0x1.2a8acep-2, -0x1.000002p-1 for -0.499999989539
//   f32  fma    one  1.0   0.945902 at -0x1.8759a8p-2, -0x1.453fd8p-2 for -0.317626385269
//   f32  fma    any  2.3   2.237307 at -0x1.2eef88p-2, -0x1.000002p-1 for -0.499999992928
//   f64  no_fma one  1.0   0.984896 at -0x1.e93b03347d7fap-2, -0x1.84f29135a052cp-2 for -0.37983157052811361649
//   f64  no_fma any  2.5   2.358771 at -0x1.2c39a15007d36p-2, -0x1.0000000000001p-1 for -0.49999999999999998008
//   f64  fma    one  1.0   0.960610 at -0x1.e96d7923876f7p-2, -0x1.8511dbbbaffb8p-2 for -0.37995093663266338521
//   f64  fma    any  2.4   2.224473 at -0x1.28333e8e263a7p-2, -0x1.0000000000001p-1 for -0.49999999999999998754
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

  // No result is half-way between two numbers: e^x - 1 never is. Where alpha (e^x - 1) is computed as half-way to a bfloat16, for tiny x,
  // alpha x was, and e^x - 1 is nearer to zero than x.
  const Range range = x.type == ElementType::bf16 ? Range::inside : Range::number;

  // alpha 1. e^x - 1 is never below x, and the clamp makes it -1 or 0 where x is not below zero: the larger of the two is the answer,
  // in one instruction. x itself wins ties and NaN. On 16-bit types a choice by x's own bits is cheaper than one for each half.
  Expr unit;
  if (is_16_bit(x.type)) {
    const Expr v = expm1(z, x.type == ElementType::f16 ? Expm1Accuracy::f16 : Expm1Accuracy::bf16, x.traits);
    // A bfloat16 can be subnormal as a float32. Where those are flushed, x itself is the nearest there.
    const bool flushed = x.type == ElementType::bf16 && x.traits.flushes_subnormals;
    unit = x.store_where(flushed ? is_below_minus(x, 0x7f) : negative, v, range);
  } else {
    const Expr v = expm1(z, x.type == ElementType::f32 ? Expm1Accuracy::f32 : Expm1Accuracy::f64, x.traits);
    unit = select(strict::less(x.stored, v), v, x.stored);
  }

  // Any other alpha.
  const Expm1Accuracy accuracy = x.type == ElementType::bf16  ? Expm1Accuracy::f16
                                 : x.type == ElementType::f64 ? Expm1Accuracy::f64
                                                              : Expm1Accuracy::f32;
  const auto times_expm1 = [&](const Expr& factor) { return scaled_expm1(z, factor, accuracy, x.traits); };
  Expr v;
  if (x.traits.flushes_subnormals && (x.type == ElementType::f32 || x.type == ElementType::bf16)) {
    // Parts of a small result would be flushed, and missed: it is made 2^40 times as large where there is room, and small by the last
    // operation. That also gives the sign of -alpha, to what has none before.
    const Expr has_room = alpha_magnitude < detail::u32(0x67800000);  // 2^80
    const Expr down = Halide::reinterpret(bits, select(has_room, 0x1p-40f, 1.0f)) | (~alpha_bits & pattern.sign);
    const Expr minus_magnitude = Halide::reinterpret(type, alpha_bits | pattern.sign);
    v = times_expm1(strict::multiply(minus_magnitude, select(has_room, 0x1p40f, 1.0f)));
    v = strict::multiply(v, Halide::reinterpret(type, down));
  } else {
    v = times_expm1(alpha);
    // Without FMA an underflowing product is -0.0 but its sum with +0.0 is not; and where 2^k alpha - alpha is fused, it is zero for the
    // smallest float32. Put the sign of -alpha back.
    if (!x.traits.has_fma || (x.traits.fuses_strict && x.type == ElementType::f32)) {
      v = Halide::reinterpret(type, Halide::reinterpret(bits, v) | (~alpha_bits & pattern.sign));
    }
  }
  const Expr limit = Halide::reinterpret(type, alpha_bits ^ pattern.sign);

  return {
      {alpha_bits == pattern.one, unit},
      {alpha_magnitude > Halide::Internal::make_zero(bits) && alpha_magnitude < pattern.infinity, x.store_where(negative, v, range)},
      {Expr(), select(negative, x.store_attribute(limit), x.stored)},
  };
}

}  // namespace actinide::halide
