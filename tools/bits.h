// Elements by their bit patterns, whatever their type, and errors in ULP.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "operator_table.h"

namespace actinide::tools {

/// A binary floating-point format.
struct Format {
  int bits;               ///< all of them
  int fraction;           ///< bits of the stored fraction
  int smallest_exponent;  ///< exponent of the smallest subnormal, 2^smallest_exponent
};

constexpr Format format_of(ElementType type) {
  switch (type) {
    case ElementType::f16: return {16, 10, -24};
    case ElementType::bf16: return {16, 7, -133};
    case ElementType::f32: return {32, 23, -149};
    case ElementType::f64: break;
  }
  return {64, 52, -1074};
}

constexpr std::uint64_t sign_bit(ElementType type) { return std::uint64_t{1} << (format_of(type).bits - 1); }

constexpr std::uint64_t infinity_bits(ElementType type) {
  const int fraction = format_of(type).fraction;
  return (sign_bit(type) - 1) >> fraction << fraction;
}

constexpr bool is_nan_bits(ElementType type, std::uint64_t bits) { return (bits & (sign_bit(type) - 1)) > infinity_bits(type); }

/// The pattern of element `i` of a tensor.
inline std::uint64_t load_bits(ElementType type, const void* tensor, std::size_t i) {
  const auto size = static_cast<std::size_t>(format_of(type).bits) / 8;
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const std::byte*>(tensor) + i * size, size);  // little-endian
  return bits;
}

inline void store_bits(ElementType type, void* tensor, std::size_t i, std::uint64_t bits) {
  const auto size = static_cast<std::size_t>(format_of(type).bits) / 8;
  std::memcpy(static_cast<std::byte*>(tensor) + i * size, &bits, size);
}

/// The value of a pattern, exactly.
inline double value_of(ElementType type, std::uint64_t bits) {
  if (type == ElementType::f64) return std::bit_cast<double>(bits);
  if (type == ElementType::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const Format format = format_of(type);
  const std::uint64_t magnitude = bits & (sign_bit(type) - 1);
  double value;
  if (magnitude >= infinity_bits(type)) {
    value = magnitude > infinity_bits(type) ? NAN : INFINITY;
  } else {
    const std::uint64_t octave = std::max<std::uint64_t>(magnitude >> format.fraction, 1) - 1;  // subnormals share the first one's units
    value = std::ldexp(static_cast<double>(magnitude - (octave << format.fraction)), static_cast<int>(octave) + format.smallest_exponent);
  }
  return bits & sign_bit(type) ? -value : value;
}

/// Exponent of one unit in the last place at a finite value.
inline int unit_exponent(ElementType type, double value) {
  const Format format = format_of(type);
  return value == 0 ? format.smallest_exponent : std::max(std::ilogb(value) - format.fraction, format.smallest_exponent);
}

/// The pattern nearest to a value, ties to even.
inline std::uint64_t nearest_bits(ElementType type, double value) {
  const std::uint64_t sign = std::signbit(value) ? sign_bit(type) : 0;
  if (std::isnan(value)) return sign | infinity_bits(type) | std::uint64_t{1} << (format_of(type).fraction - 1);
  if (std::isinf(value)) return sign | infinity_bits(type);
  const int unit = unit_exponent(type, value);
  const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(std::fabs(value), -unit)));
  // A carry out of the fraction moves on to the next octave's pattern.
  const std::uint64_t magnitude =
      units + (static_cast<std::uint64_t>(unit - format_of(type).smallest_exponent) << format_of(type).fraction);
  return sign | std::min(magnitude, infinity_bits(type));
}

/// The attribute as the operator sees it.
inline double rounded_attribute(ElementType type, float attribute) { return value_of(type, nearest_bits(type, attribute)); }

/// Distance of a finite result from the true value, in units in the last place at the true value. Where a double is too coarse for that
/// value, `rest` is what it lies above `exact`, in units in the last place of a double there.
inline double ulp_error(ElementType type, std::uint64_t bits, double exact, double rest = 0) {
  const bool is_inside = rest != 0 && std::signbit(rest) != std::signbit(exact);  // maybe of the octave below
  const int unit = unit_exponent(type, is_inside ? std::nextafter(exact, 0) : exact);
  const double whole = std::ldexp(value_of(type, bits) - exact, -unit);
  return std::fabs(rest == 0 ? whole : whole - std::ldexp(rest, unit_exponent(ElementType::f64, exact) - unit));
}

}  // namespace actinide::tools
