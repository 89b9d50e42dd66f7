// e^x for x up to zero, with the polynomials of numerics/expm1.h: x = k ln2 + r, e^x = 2^k (e^r - 1) + 2^k.
//
// Up to -708 in float64, k is large, so ln2 is taken in two parts: k times the upper one, which ends in zeros, is exact.
#pragma once

#include <cmath>
#include <vector>

#include "Halide.h"
#include "element_types.h"
#include "expm1.h"
#include "strict.h"

namespace actinide::halide {

/// e^x within 1.4 ULP for float32 in [-87, 0] or float64 in [-708, 0], where it is a normal number. 0 below that, and 1 above and for NaN.
inline Halide::Expr exp_of_negative(const Halide::Expr& x, const Traits& traits) {
  using Halide::Expr;
  const Halide::Type type = x.type();
  const Halide::Type bits = Halide::UInt(type.bits());
  const auto constant = [&](double value) { return Halide::Internal::make_const(type, value); };
  const bool is_f32 = type.bits() == 32;
  const int place = is_f32 ? 23 : 52;
  const double shift = std::ldexp(1.5, place) + (is_f32 ? 127 : 1023);

  // The minimum comes first, because it makes a number of NaN.
  const Expr lowest = constant(is_f32 ? -87 : -708);
  const Expr limited = strict::maximum(strict::minimum(x, constant(0)), lowest);
  // The low bits of t hold k + bias. The interval of float64's polynomial is not about zero: [-0.477, 0.217].
  const Expr quotient = limited * constant(0x1.71547652b82fep+0);  // 1 / ln2
  const Expr t = strict::add(is_f32 ? quotient : quotient + constant(0.1875), constant(shift));
  const Expr k = strict::subtract(t, constant(shift));
  const Expr upper = strict::subtract(limited, strict::multiply(k, constant(is_f32 ? 0x1.62e3p-1 : 0x1.62e42fefa3p-1)));
  const Expr r = strict::subtract(upper, strict::multiply(k, constant(is_f32 ? 0x1.2fefa4p-17 : 0x1.3de6af278ece6p-42)));
  const Expr r2 = strict::multiply(r, r);

  std::vector<Expr> c;
  for (const double term : detail::expm1_coefficients(is_f32 ? Expm1Accuracy::f32 : Expm1Accuracy::f64)) c.push_back(constant(term));
  const Expr p = r2 * detail::polynomial(c, r, r2, traits) + r;
  const Expr power = Halide::reinterpret(type, Halide::reinterpret(bits, t) << Halide::Internal::make_const(bits, place));
  return Halide::select(strict::less(x, lowest), constant(0), power * p + power);
}

}  // namespace actinide::halide
