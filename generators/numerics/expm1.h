// expm1 by reduction to a power of two: x = k ln2 + r with |r| <= ln2 / 2, so
//
//   e^x - 1 = 2^k (e^r - 1) + (2^k - 1),     e^r - 1 = r + r^2 q(r)
//
// q is the minimax polynomial of (expm1(r) - r) / r^2, made by derive/expm1.py, weighted so that the error counts relative to expm1.
// k is found by adding 1.5 * 2^52 (1.5 * 2^23 in float32) plus the exponent bias: the sum's low bits then hold k + bias, which shifted
// into the exponent field are 2^k. No table, no libm, no branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "Halide.h"
#include "element_types.h"
#include "strict.h"

namespace actinide::halide {

/// How exact e^r - 1 has to be. The relative errors are those that derive/expm1.py prints.
enum class Expm1Accuracy {
  bf16,  ///< degree 2, 2^-15.57: enough to round 8 bits rightly
  f16,   ///< degree 3, 2^-21.07: enough to round 11 bits rightly
  f32,   ///< degree 4, 2^-25.82
  f64,   ///< degree 10, 2^-59.91
};

namespace detail {

inline const std::vector<double>& expm1_coefficients(Expm1Accuracy accuracy) {
  static const std::vector<double> bf16 = {0x1.00022a91d2120p-1, 0x1.57084a683a20fp-3, 0x1.54de85e0bbd9ap-5};
  static const std::vector<double> f16 = {0x1.fffe6f1c868f0p-2, 0x1.555631dceda9ep-3, 0x1.570522ef2bdcdp-5, 0x1.1138d15447133p-7};
  static const std::vector<double> f32 = {0x1.fffffec30ee2bp-2, 0x1.5554b0400f5f8p-3, 0x1.5556737963590p-5, 0x1.122767dff4301p-7,
                                          0x1.6bec0893d1f28p-10};
  static const std::vector<double> f64 = {0x1.0000000000000p-1,  0x1.5555555555559p-3,  0x1.555555555553fp-5,  0x1.111111110f6dfp-7,
                                          0x1.6c16c16c1f05bp-10, 0x1.a01a01afd17d1p-13, 0x1.a01a017bccbc3p-16, 0x1.71ddf885693d4p-19,
                                          0x1.27e53624ae55dp-22, 0x1.af5e684ea6878p-26, 0x1.1ee88a521f284p-29};
  switch (accuracy) {
    case Expm1Accuracy::bf16: return bf16;
    case Expm1Accuracy::f16: return f16;
    case Expm1Accuracy::f32: return f32;
    case Expm1Accuracy::f64: break;
  }
  return f64;
}

/// c0 + c1 r + ... The two lowest terms go by Horner, for what is rounded there reaches the result. The others, if they are many, are taken
/// in pairs and by Horner in r^2: as many operations, and half the latency.
///
/// Where strict operations are fused, too, the sums of pairs are strict: LLVM would reorder them, and fuse fewer.
inline Halide::Expr polynomial(const std::vector<double>& c, const Halide::Expr& r, const Halide::Expr& r2, const Traits& traits) {
  const auto add = [&](const Halide::Expr& a, const Halide::Expr& b) { return traits.fuses_strict ? strict::add(a, b) : a + b; };
  const auto term = [&](size_t i) { return Halide::Internal::make_const(r.type(), c[i]); };
  const size_t degree = c.size() - 1;
  const bool pairs = degree > 4;
  Halide::Expr q = pairs && degree % 2 != 0 ? term(degree) * r + term(degree - 1) : term(degree);
  for (size_t i = pairs ? degree - degree % 2 : degree; i > 0;) {
    if (pairs && i > 2) {
      i -= 2;
      q = add(q * r2, add(term(i + 1) * r, term(i)));
    } else {
      i -= 1;
      q = q * r + term(i);
    }
  }
  return q;
}

}  // namespace detail

/// Below this, e^x - 1 rounds to -1 in the type that it is computed in: about -25 ln2 and -54 ln2, as bit patterns of the stored type.
inline uint64_t expm1_saturation(ElementType type) {
  switch (type) {
    case ElementType::f16: return 0xcc55;      // -17.328125
    case ElementType::bf16: return 0xc18b;     // -17.375
    case ElementType::f32: return 0xc18aa123;  // -17.328680
    case ElementType::f64: break;
  }
  return 0xc042c00000000000;  // -37.5
}

/// x limited to [saturation, 0]; what is not below zero, NaN included, becomes the saturation or a zero. Nothing but numbers leaves.
///
/// As signed integers, negative numbers order downwards, and below those without sign: one integer minimum does it all. float64 has none
/// before AVX-512, so there it takes two of floating point; the minimum comes first, because it makes a number of NaN.
inline Halide::Expr clamp_to_negative(const Element& x) {
  if (x.traits.wide_lanes && is_16_bit(x.type)) return clamp_to_negative({ElementType::f32, x.traits, x.value()});
  const Halide::Type integer = Halide::Int(x.stored.type().bits());
  const Halide::Expr lowest =
      Halide::reinterpret(integer, Halide::Internal::UIntImm::make(integer.with_code(halide_type_uint), expm1_saturation(x.type)));
  if (x.type == ElementType::f64) {
    const Halide::Expr zero = Halide::Internal::make_zero(x.stored.type());
    return strict::maximum(strict::minimum(x.stored, zero), Halide::reinterpret(x.stored.type(), lowest));
  }
  const Halide::Expr limited = Halide::min(Halide::reinterpret(integer, x.stored), lowest);
  return widen(x.type, x.traits, Halide::reinterpret(x.stored.type(), limited));
}

namespace detail {

/// x = k ln2 + r, and what both forms below are made of.
struct Reduced {
  Halide::Expr power;  ///< 2^k
  Halide::Expr r, r2;  ///< r and its square
  Halide::Expr q;      ///< (expm1(r) - r) / r^2
};

/// Strict are: t - shift, which LLVM would fold away, and r * r, which it would distribute. The rest contracts to FMA where the target has
/// it.
inline Reduced reduce(const Halide::Expr& x, Expm1Accuracy accuracy, const Traits& traits) {
  const Halide::Type type = x.type();
  const Halide::Type bits = Halide::UInt(type.bits());
  const auto constant = [&](double value) { return Halide::Internal::make_const(type, value); };
  const bool is_f32 = type.bits() == 32;
  const int mantissa = is_f32 ? 23 : 52;
  const Halide::Expr shift = constant(is_f32 ? 0x1.8p23 + 127 : 0x1.8p52 + 1023);

  const Halide::Expr t = x * constant(0x1.71547652b82fep+0) + shift;  // 1 / ln2
  const Halide::Expr k = strict::subtract(t, shift);
  const Halide::Expr r = x - k * constant(0x1.62e42fefa39efp-1);  // ln2
  const Halide::Expr r2 = strict::multiply(r, r);
  return {.power = Halide::reinterpret(type, Halide::reinterpret(bits, t) << Halide::Internal::make_const(bits, mantissa)),
          .r = r,
          .r2 = r2,
          .q = polynomial(expm1_coefficients(accuracy), r, r2, traits)};
}

/// The upper half of a number's significant bits, or all of them where `all` is given and true.
inline Halide::Expr upper_half(const Halide::Expr& value, const Halide::Expr& all = {}) {
  const Halide::Type bits = Halide::UInt(value.type().bits());
  Halide::Expr mask = constant_of(bits, bits.bits() == 32 ? 0xfffff000 : 0xfffffffff8000000);
  if (all.defined()) mask = Halide::select(all, constant_of(bits, 0xffffffff), mask);
  return Halide::reinterpret(value.type(), Halide::reinterpret(bits, value) & mask);
}

}  // namespace detail

/// expm1(x), for x as clamp_to_negative leaves it: 2^k p + (2^k - 1) with p = r + r^2 q. The difference is exact.
inline Halide::Expr expm1(const Halide::Expr& x, Expm1Accuracy accuracy, const Traits& traits) {
  const detail::Reduced d = detail::reduce(x, accuracy, traits);
  const Halide::Expr p = d.r2 * d.q + d.r;
  return d.power * p + strict::subtract(d.power, Halide::Internal::make_one(x.type()));
}

/// How often alpha * expm1(x) is rounded on the way.
enum class Roundings {
  twice,  ///< p and alpha 2^k p: enough where the result is rounded once more to 16 bits
  once,   ///< alpha 2^k r enters unrounded
};

/// alpha * expm1(x), for x as clamp_to_negative leaves it and finite alpha other than 0. Has the sign of -alpha also where it underflows to
/// zero, if the target has FMA. Where subnormals are flushed, results below 2^-86 may be wrong.
inline Halide::Expr scaled_expm1(const Halide::Expr& x, const Halide::Expr& alpha, Expm1Accuracy accuracy, Roundings roundings,
                                 const Traits& traits) {
  const detail::Reduced d = detail::reduce(x, accuracy, traits);
  const Halide::Expr scale = d.power * alpha;
  if (roundings == Roundings::twice) return scale * (d.r2 * d.q + d.r) + strict::subtract(scale, alpha);

  // Strict, so that LLVM fuses no other product than alpha 2^k r; and it must not see a common factor, which it would take out.
  Halide::Expr sum;
  if (traits.has_fma) {
    sum = scale * d.r + strict::multiply(d.r2, scale * d.q);
  } else {
    // Dekker's product: halves of the factors multiply exactly. Where subnormals are flushed, an x (then r is x) whose lower half might be
    // one stays whole.
    Halide::Expr all;
    if (traits.flushes_subnormals && x.type().bits() == 32) all = strict::less(Halide::Expr(-0x1p-100f), x);
    const Halide::Expr scale_hi = detail::upper_half(scale);
    const Halide::Expr scale_lo = strict::subtract(scale, scale_hi);
    const Halide::Expr r_hi = detail::upper_half(d.r, all);
    const Halide::Expr p_lo = strict::add(strict::subtract(d.r, r_hi), d.r2 * d.q);
    const Halide::Expr rest = strict::add(strict::multiply(scale, p_lo), strict::multiply(scale_lo, r_hi));
    sum = strict::add(strict::multiply(scale_hi, r_hi), rest);
  }
  // Subtracted, a zero keeps the sign of the sum.
  return strict::subtract(sum, strict::subtract(alpha, scale));
}

}  // namespace actinide::halide
