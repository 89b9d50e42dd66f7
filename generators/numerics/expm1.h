// expm1 by reduction to a power of two: x = k ln2 + r, so
//
//   e^x - 1 = 2^k (e^r - 1) + (2^k - 1),     e^r - 1 = r + r^2 q(r)
//
// q is the minimax polynomial of (expm1(r) - r) / r^2, made by derive/expm1.py, weighted so that the error counts relative to the result.
// k is found by adding 1.5 * 2^52 (1.5 * 2^23 in float32) plus the exponent bias: the sum's low bits then hold k + bias, which shifted
// into the exponent field are 2^k. No table, no libm, no branch.
//
// float32: k is the nearest integer, |r| <= ln2 / 2. float64: 2^k (e^r - 1) and 2^k - 1 cancel where r > 0, most for the first k below 0,
// and what r and e^r - 1 were rounded by is left. So k stays 0 down to -0.477, and r in [-0.477, 0.217]: the sum has eight bits of the
// fraction more, and those are cut off.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "Halide.h"
#include "element_types.h"
#include "strict.h"

namespace actinide::halide {

/// How exact e^x - 1 has to be. The relative errors are those that derive/expm1.py prints.
enum class Expm1Accuracy {
  bf16,  ///< degree 2, 2^-16.36: enough to round 8 bits rightly
  f16,   ///< degree 3, 2^-21.34: enough to round 11 bits rightly
  f32,   ///< degree 4, 2^-27.13
  f64,   ///< degree 9, 2^-56.52
};

namespace detail {

inline const std::vector<double>& expm1_coefficients(Expm1Accuracy accuracy) {
  static const std::vector<double> bf16 = {0x1.000d860000000p-1, 0x1.5721b40000000p-3, 0x1.4eacec0000000p-5};
  static const std::vector<double> f16 = {0x1.fffee60000000p-2, 0x1.555b3c0000000p-3, 0x1.56e5480000000p-5, 0x1.0e6ad20000000p-7};
  static const std::vector<double> f32 = {0x1.fffff40000000p-2, 0x1.55548c0000000p-3, 0x1.555dc60000000p-5, 0x1.123d140000000p-7,
                                          0x1.672fa40000000p-10};
  static const std::vector<double> f64 = {0x1.0000000000006p-1,  0x1.55555555556f0p-3,  0x1.5555555553f0ep-5,  0x1.111111106ca55p-7,
                                          0x1.6c16c163cd23ep-10, 0x1.a01a0614e195bp-13, 0x1.a01a8eee19377p-16, 0x1.71d9be29c1cdcp-19,
                                          0x1.263a614585b2ep-22, 0x1.79a45efbb4bbep-26};
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
/// Where strict operations are fused, too, and where none is, the sums of pairs are strict: LLVM would reorder them.
inline Halide::Expr polynomial(const std::vector<Halide::Expr>& c, const Halide::Expr& r, const Halide::Expr& r2, const Traits& traits) {
  const auto add = [&](const Halide::Expr& a, const Halide::Expr& b) {
    return traits.fuses_strict || !traits.has_fma ? strict::add(a, b) : a + b;
  };
  const size_t degree = c.size() - 1;
  const bool pairs = degree > 4;
  Halide::Expr q = pairs && degree % 2 != 0 ? c[degree] * r + c[degree - 1] : c[degree];
  for (size_t i = pairs ? degree - degree % 2 : degree; i > 0;) {
    if (pairs && i > 2) {
      i -= 2;
      q = add(q * r2, add(c[i + 1] * r, c[i]));
    } else {
      i -= 1;
      q = q * r + c[i];
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
  if ((x.traits.wide_lanes && is_16_bit(x.type)) || (x.traits.native_f16_load && x.type == ElementType::f16)) {
    return clamp_to_negative({ElementType::f32, x.traits, x.value()});
  }
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

/// x = k ln2 + r.
struct Reduced {
  Halide::Expr power;  ///< 2^k
  Halide::Expr r, r2;  ///< r and its square
};

/// Strict are: t - shift, which LLVM would fold away, and r * r, which it would distribute. The rest contracts to FMA where the target has
/// it.
inline Reduced reduce(const Halide::Expr& x) {
  const Halide::Type type = x.type();
  const Halide::Type bits = Halide::UInt(type.bits());
  const auto constant = [&](double value) { return Halide::Internal::make_const(type, value); };
  const bool is_f32 = type.bits() == 32;
  const int fraction = is_f32 ? 0 : 8;  // bits of t below those of k
  const int place = (is_f32 ? 23 : 52) - fraction;
  const double bias = is_f32 ? 127 : 1023;
  const double shift = std::ldexp(1.5, place) + bias;

  Halide::Expr t = x * constant(0x1.71547652b82fep+0) + constant(is_f32 ? shift : shift + 0.6875);  // 1 / ln2
  Halide::Expr t_bits = Halide::reinterpret(bits, t);
  if (fraction != 0) {
    t_bits = t_bits & constant_of(bits, ~((uint64_t{1} << fraction) - 1));
    t = Halide::reinterpret(type, t_bits);
  }
  const Halide::Expr k = strict::subtract(t, constant(shift));
  const Halide::Expr r = x - k * constant(0x1.62e42fefa39efp-1);  // ln2
  return {.power = Halide::reinterpret(type, t_bits << Halide::Internal::make_const(bits, place)), .r = r, .r2 = strict::multiply(r, r)};
}

/// e^r - 1.
inline Halide::Expr expm1_of_rest(const Reduced& d, Expm1Accuracy accuracy, const Traits& traits) {
  std::vector<Halide::Expr> c;
  for (const double term : expm1_coefficients(accuracy)) c.push_back(Halide::Internal::make_const(d.r.type(), term));
  return d.r2 * polynomial(c, d.r, d.r2, traits) + d.r;
}

}  // namespace detail

/// expm1(x), for x as clamp_to_negative leaves it: 2^k p + (2^k - 1) with p = r + r^2 q. The difference is exact.
inline Halide::Expr expm1(const Halide::Expr& x, Expm1Accuracy accuracy, const Traits& traits) {
  const detail::Reduced d = detail::reduce(x);
  return d.power * detail::expm1_of_rest(d, accuracy, traits) + strict::subtract(d.power, Halide::Internal::make_one(x.type()));
}

/// alpha * expm1(x), for x as clamp_to_negative leaves it and finite alpha other than 0: the same sum, its terms alpha times as large.
/// Where subnormals are flushed, results below 2^-86 may be wrong.
inline Halide::Expr scaled_expm1(const Halide::Expr& x, const Halide::Expr& alpha, Expm1Accuracy accuracy, const Traits& traits) {
  const detail::Reduced d = detail::reduce(x);
  const Halide::Expr scale = d.power * alpha;
  return scale * detail::expm1_of_rest(d, accuracy, traits) + strict::subtract(scale, alpha);
}

}  // namespace actinide::halide
