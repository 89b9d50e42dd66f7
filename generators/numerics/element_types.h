// The element types of a tensor and how their values reach the type that the mathematics runs in.
//
//   type   stored as   computed in
//   f16    uint16      float32        IEEE 754 binary16
//   bf16   uint16      float32        the upper half of a float32
//   f32    float32     float32
//   f64    float64     float64
//
// The 16-bit types are stored as integers because Halide 21's own conversions lose NaNs, make everything around them strict (no FMA) and,
// for bfloat16, stop its CUDA back end.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "Halide.h"
#include "strict.h"

namespace actinide::halide {

enum class ElementType { f16, bf16, f32, f64 };

inline const std::map<std::string, ElementType>& element_type_names() {
  static const std::map<std::string, ElementType> names = {
      {"f16", ElementType::f16}, {"bf16", ElementType::bf16}, {"f32", ElementType::f32}, {"f64", ElementType::f64}};
  return names;
}

inline bool is_16_bit(ElementType type) { return type == ElementType::f16 || type == ElementType::bf16; }

inline Halide::Type storage_type(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::bf16: return Halide::UInt(16);
    case ElementType::f32: return Halide::Float(32);
    case ElementType::f64: return Halide::Float(64);
  }
  return {};
}

/// What the mathematics may know of the machine it is compiled for.
struct Traits {
  bool has_fma = false;             ///< a * b + c is rounded once
  bool fuses_strict = false;        ///< the compiler makes FMA of a strict product and a strict sum
  bool native_f16 = false;          ///< has instructions between f16 and float32
  bool native_f16_load = false;     ///< and they take f16 from memory
  bool native_f16_compare = false;  ///< compares f16 without conversion
  bool flushes_subnormals = false;  ///< float32 arithmetic and comparisons take subnormals for zero
  bool wide_lanes = false;          ///< every element has 32 bits to itself: an operation on 16 costs as much
  bool has_host = false;            ///< what depends on attributes alone is computed by another machine, of which nothing is known

  /// Those of the machine that computes what depends on attributes alone.
  Traits of_attributes() const {
    Traits traits = *this;
    if (has_host) traits.native_f16 = false;
    return traits;
  }
};

/// What is known of a value that is about to be stored.
enum class Range {
  any,
  number,  ///< not NaN
  inside,  ///< nor half-way between two numbers of a 16-bit type, unless what it stands for is nearer to zero
};

namespace detail {

inline Halide::Expr constant_of(const Halide::Type& unsigned_type, uint64_t value) {
  return Halide::Internal::UIntImm::make(unsigned_type, value);
}
inline Halide::Expr u32(uint32_t value) { return constant_of(Halide::UInt(32), value); }

inline Halide::Expr as_u32(const Halide::Expr& e) { return Halide::reinterpret(Halide::UInt(32), e); }
inline Halide::Expr as_f32(const Halide::Expr& e) { return Halide::reinterpret(Halide::Float(32), e); }

constexpr uint32_t f32_infinity = 0x7f800000;
constexpr uint32_t f32_magnitude = 0x7fffffff;

inline Halide::Expr bf16_to_f32(const Halide::Expr& bits) { return as_f32(Halide::cast(Halide::UInt(32), bits) << u32(16)); }

/// Rounded to nearest: in the upper half of the result. Half a unit of the last kept place is added, one less in the lowest place where the
/// kept one is even. A NaN keeps its sign and the upper part of its payload and becomes quiet.
inline Halide::Expr round_to_bf16(const Halide::Expr& value, Range range) {
  const Halide::Expr bits = as_u32(value);
  // Not 0x8000: Halide would take the sum and the shift for a rounding shift, and emulate that.
  if (range == Range::inside) return bits + u32(0x7fff);
  const Halide::Expr rounded = bits + u32(0x7fff) + ((bits >> u32(16)) & u32(1));
  if (range == Range::number) return rounded;
  const Halide::Expr is_nan = (bits & u32(f32_magnitude)) > u32(f32_infinity);
  return Halide::select(is_nan, bits | u32(0x00400000), rounded);
}

inline Halide::Expr upper_16(const Halide::Expr& bits) { return Halide::cast(Halide::UInt(16), bits >> u32(16)); }

/// Exact. Normal numbers, infinity and NaN need their exponent rebased (infinity and NaN twice); a subnormal m * 2^-24 is what remains
/// of 2^-14 + m * 2^-24 when 2^-14 is taken away.
inline Halide::Expr f16_to_f32(const Halide::Expr& bits) {
  const Halide::Expr wide = Halide::cast(Halide::UInt(32), bits);
  const Halide::Expr magnitude = wide & u32(0x7fff);
  const Halide::Expr shifted = magnitude << u32(13);
  const Halide::Expr rebase = u32(112u << 23);
  const Halide::Expr normal = shifted + rebase + Halide::select(magnitude >= u32(0x7c00), rebase, u32(0));
  const Halide::Expr subnormal = as_u32(strict::subtract(as_f32(shifted + u32(113u << 23)), Halide::Expr(0x1p-14f)));
  return as_f32(Halide::select(magnitude < u32(0x0400), subnormal, normal) | ((wide & u32(0x8000)) << u32(16)));
}

/// Round to nearest even. Below 2^-14 the sum with 0.5 does the rounding: its last place is 2^-24, that of an f16 subnormal. Values from
/// 65520 on become infinity. A NaN keeps its sign and the upper part of its payload and becomes quiet, as vcvtps2ph does it.
inline Halide::Expr f32_to_f16(const Halide::Expr& value) {
  const Halide::Expr bits = as_u32(value);
  const Halide::Expr magnitude = bits & u32(f32_magnitude);
  const Halide::Expr bounded = Halide::min(magnitude, u32(0x47800000));  // 65536
  const Halide::Expr normal = ((bounded + u32(0xfff) + ((bounded >> u32(13)) & u32(1))) >> u32(13)) - u32(112u << 10);
  const Halide::Expr subnormal = as_u32(strict::add(as_f32(bounded), Halide::Expr(0.5f))) - u32(0x3f000000);
  const Halide::Expr number = Halide::select(magnitude < u32(0x38800000), subnormal, normal);
  const Halide::Expr nan = u32(0x7e00) | ((magnitude >> u32(13)) & u32(0x3ff));
  const Halide::Expr result = Halide::select(magnitude > u32(f32_infinity), nan, number);
  return Halide::cast(Halide::UInt(16), result | ((bits >> u32(16)) & u32(0x8000)));
}

}  // namespace detail

/// The value of a stored element, in the type that the mathematics runs in. Exact.
inline Halide::Expr widen(ElementType type, const Traits& traits, const Halide::Expr& stored) {
  switch (type) {
    case ElementType::f16:
      return traits.native_f16 ? Halide::cast(Halide::Float(32), Halide::reinterpret(Halide::Float(16), stored))
                               : detail::f16_to_f32(stored);
    case ElementType::bf16: return detail::bf16_to_f32(stored);
    case ElementType::f32:
    case ElementType::f64: return stored;
  }
  return {};
}

/// The element that stores a value: rounded to nearest, ties to even. NaN stays NaN, with its sign.
inline Halide::Expr narrow(ElementType type, const Traits& traits, const Halide::Expr& value, Range range = Range::any) {
  switch (type) {
    case ElementType::f16:
      return traits.native_f16 ? Halide::reinterpret(Halide::UInt(16), Halide::cast(Halide::Float(16), value)) : detail::f32_to_f16(value);
    case ElementType::bf16: return detail::upper_16(detail::round_to_bf16(value, range));
    case ElementType::f32:
    case ElementType::f64: return value;
  }
  return {};
}

/// Patterns of float32 or float64 as unsigned integers. Written as integers because Halide takes -0.0 for 0.0 when it simplifies.
struct Patterns {
  Halide::Expr sign, one, infinity;
};

inline Patterns patterns_of(const Halide::Type& type) {
  const auto pattern = [&](uint64_t f32, uint64_t f64) {
    return detail::constant_of(Halide::UInt(type.bits()), type.bits() == 32 ? f32 : f64);
  };
  return {.sign = pattern(0x80000000, 0x8000000000000000),
          .one = pattern(0x3f800000, 0x3ff0000000000000),
          .infinity = pattern(0x7f800000, 0x7ff0000000000000)};
}

/// One element of a tensor inside a formula.
struct Element {
  ElementType type;
  Traits traits;
  Halide::Expr stored;

  Halide::Expr value() const { return widen(type, traits, stored); }
  Halide::Expr store(const Halide::Expr& value, Range range = Range::any) const { return narrow(type, traits, value, range); }

  /// What is stored: the value where the condition holds, else the element as it is.
  Halide::Expr store_where(const Halide::Expr& condition, const Halide::Expr& value, Range range) const {
    if (type == ElementType::bf16 && traits.wide_lanes) {
      return detail::upper_16(Halide::select(condition, detail::round_to_bf16(value, range), detail::as_u32(this->value())));
    }
    return Halide::select(condition, store(value, range), stored);
  }

  /// The same for a value that depends on attributes alone.
  Halide::Expr store_attribute(const Halide::Expr& value) const { return narrow(type, traits.of_attributes(), value); }
};

/// The bit pattern of a stored element, an unsigned integer.
inline Halide::Expr pattern_of(const Halide::Expr& stored) { return Halide::reinterpret(Halide::UInt(stored.type().bits()), stored); }

/// Does the target compare elements of this type as they are stored, subnormals included? Otherwise their patterns have to be compared.
inline bool compares_exactly(ElementType type, const Traits& traits) {
  switch (type) {
    case ElementType::f16: return traits.native_f16_compare;
    case ElementType::bf16: return false;
    case ElementType::f32: return !traits.flushes_subnormals;
    case ElementType::f64: return true;
  }
  return false;
}

/// a < b for stored elements of a type that the target compares exactly.
inline Halide::Expr less_than(const Halide::Expr& a, const Halide::Expr& b) {
  const Halide::Type type = Halide::Float(a.type().bits());
  return strict::less(Halide::reinterpret(type, a), Halide::reinterpret(type, b));
}

/// The fraction's bits in a pattern.
inline uint64_t fraction_mask(ElementType type) {
  switch (type) {
    case ElementType::f16: return 0x3ff;
    case ElementType::bf16: return 0x7f;
    case ElementType::f32: return 0x7fffff;
    case ElementType::f64: break;
  }
  return 0xfffffffffffff;
}

/// A pattern as a signed integer in the order
///   NaN without sign < everything with sign < +0 < ... < +infinity (the largest integer),
/// so that one signed comparison finds what lies above a value that is not negative.
inline Halide::Expr rotate(ElementType type, const Halide::Expr& pattern) {
  return Halide::reinterpret(Halide::Int(pattern.type().bits()), pattern + detail::constant_of(pattern.type(), fraction_mask(type)));
}

/// x < -magnitude, for a magnitude given by its pattern: false for NaN.
inline Halide::Expr is_below_minus(const Element& x, uint64_t magnitude) {
  const Halide::Expr pattern = pattern_of(x.stored);
  const Halide::Expr sign = detail::constant_of(pattern.type(), uint64_t{1} << (pattern.type().bits() - 1));
  // With the sign flipped, below is above.
  return rotate(x.type, pattern ^ sign) > rotate(x.type, detail::constant_of(pattern.type(), magnitude));
}

/// x < 0: false for -0.0 and NaN.
inline Halide::Expr is_negative(const Element& x) {
  if (compares_exactly(x.type, x.traits)) return less_than(x.stored, Halide::Internal::make_zero(x.stored.type()));
  if (x.traits.wide_lanes) return strict::less(x.value(), 0.0f);
  return is_below_minus(x, 0);
}

}  // namespace actinide::halide
