// Checks of whole blocks, as loops of which compilers make vector code.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "double_double.h"
#include "sweep_inputs.h"

namespace actinide::test {

namespace detail {

#if defined(__x86_64__)
/// What is inlined here is compiled for AVX2.
template <typename Body>
[[gnu::target("avx2,fma")]] inline void run_with_avx2(const Body& body) {
  body();
}
#endif

/// The body, a lambda that is always inlined, with the best instructions that pay.
template <typename Body>
inline void vectorised(const Body& body) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) return run_with_avx2(body);
#endif
  body();
}

constexpr std::uint64_t float64_exponent = 0x7ff0000000000000, float64_magnitude = 0x7fffffffffffffff;

/// By lanes, since compilers must not reorder comparisons of floating-point numbers.
template <typename Better>
[[gnu::always_inline]] inline double best_of(const double* values, std::size_t n, double start, const Better& better) {
  constexpr std::size_t lanes = 16;
  double best[lanes];
  for (std::size_t j = 0; j < lanes; ++j) best[j] = start;
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) best[j] = better(values[i + j], best[j]) ? values[i + j] : best[j];
  }
  for (; i < n; ++i) best[0] = better(values[i], best[0]) ? values[i] : best[0];
  for (std::size_t j = 1; j < lanes; ++j) best[0] = better(best[j], best[0]) ? best[j] : best[0];
  return best[0];
}

}  // namespace detail

/// Values of 16-bit patterns.
template <ElementType type>
inline const float* values_of_16_bits() {
  static const std::vector<float> values = [] {
    std::vector<float> all(0x10000);
    for (std::uint64_t bits = 0; bits < all.size(); ++bits) all[bits] = static_cast<float>(tools::value_of(type, bits));
    return all;
  }();
  return values.data();
}

/// What patterns are read as: float32 holds the 16-bit types' values, too.
template <ElementType type>
using BlockValue = std::conditional_t<type == ElementType::f64, double, float>;

template <ElementType type>
inline void read_block(const Pattern<type>* patterns, std::size_t n, BlockValue<type>* values) {
  if constexpr (format_of(type).bits == 16) {
    const float* all = values_of_16_bits<type>();
    for (std::size_t i = 0; i < n; ++i) values[i] = all[patterns[i]];
  } else {
    std::memcpy(values, patterns, n * sizeof(Pattern<type>));
  }
}

/// Is it a number below zero, or -infinity?
template <ElementType type>
inline bool is_below_zero(Pattern<type> x) {
  return static_cast<Pattern<type>>(x - static_cast<Pattern<type>>(sign_bit(type)) - 1) < static_cast<Pattern<type>>(infinity_bits(type));
}

template <ElementType type>
inline std::size_t count_negatives(const Pattern<type>* x, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += is_below_zero<type>(x[i]) ? 1 : 0;
  return count;
}

/// e^x - 1 of a block of negative numbers as hi + lo: without lo to 2^-51, if x is a float32, otherwise to 2^-90. Returns the magnitude of
/// the smallest.
template <ElementType type>
inline double expm1_of_block(const BlockValue<type>* x, std::size_t n, double* hi, [[maybe_unused]] double* lo) {
  double smallest = 0;
  detail::vectorised([ =, &smallest ]() __attribute__((always_inline)) {
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (type == ElementType::f64) {
        // Beyond -64 it is -1, for which 2^-92 lacks.
        constexpr auto least = std::bit_cast<std::int64_t>(-64.0);
        const DoubleDouble y = branchless_expm1(std::bit_cast<double>(std::min(std::bit_cast<std::int64_t>(x[i]), least)));
        hi[i] = y.hi;
        lo[i] = y.lo + 0x1p-900;  // where it underflows, it still is above zero
      } else {
        hi[i] = quick_expm1(x[i]);
      }
    }
    smallest = -detail::best_of(hi, n, -1, [](double a, double b) { return a > b; });
  });
  return smallest;
}

/// error[i] = |y[i] - attribute * hi[i]| in ULP of `type` at the latter. Just above a power of two it counts in the units below, for the
/// true value may be there. Returns the largest error.
template <ElementType type>
inline double errors_of_block(const double* hi, double attribute, const float* y, std::size_t n, double* error) {
  static_assert(type != ElementType::f64);
  double largest = 0;
  detail::vectorised([ =, &largest ]() __attribute__((always_inline)) {
    constexpr auto format = format_of(type);
    constexpr std::int64_t lowest = static_cast<std::int64_t>(format.smallest_exponent + format.fraction + 1023) << 52;
    constexpr std::int64_t reciprocal = static_cast<std::int64_t>(2046 + format.fraction) << 52;
    constexpr std::int64_t uncertain = 8;  // units of double
    for (std::size_t i = 0; i < n; ++i) {
      const double exact = hi[i] * attribute;
      const auto bits = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(exact) & detail::float64_magnitude);
      const std::int64_t octave = (bits - uncertain) & static_cast<std::int64_t>(detail::float64_exponent);
      const double per_unit = std::bit_cast<double>(reciprocal - std::max(octave, lowest));
      error[i] = std::fabs(static_cast<double>(y[i]) - exact) * per_unit;
    }
    largest = detail::best_of(error, n, 0, [](double a, double b) { return a > b; });
  });
  return largest;
}

/// The same for float64: |y[i] - attribute * (hi[i] + lo[i])|, to 2^-50 ULP. What underflows must be far below a unit: with no |hi[i]|
/// below float64_block_minimum it is, for any float32 as the attribute.
constexpr double float64_block_minimum = 0x1p-800;
inline double errors_of_block(const double* hi, const double* lo, double attribute, const double* y, std::size_t n, double* error) {
  double largest = 0;
  detail::vectorised([ =, &largest ]() __attribute__((always_inline)) {
    for (std::size_t i = 0; i < n; ++i) {
      const double product = hi[i] * attribute;
      const double rest = std::fma(hi[i], attribute, -product) + lo[i] * attribute;
      const auto bits = std::bit_cast<std::uint64_t>(product);
      const std::uint64_t is_inside = (bits ^ std::bit_cast<std::uint64_t>(rest)) >> 63;  // maybe of the octave below
      const std::uint64_t octave = ((bits & detail::float64_magnitude) - is_inside) & detail::float64_exponent;
      const double per_unit = std::bit_cast<double>((std::uint64_t{2046 + 52} << 52) - octave);
      error[i] = std::fabs((y[i] - product) - rest) * per_unit;
    }
    largest = detail::best_of(error, n, 0, [](double a, double b) { return a > b; });
  });
  return largest;
}

/// What bit patterns of results for negative x show, without arithmetic.
struct BlockOrder {
  std::uint64_t breaks;   ///< neighbours of which the farther from zero has the result nearer to zero
  std::uint64_t largest;  ///< magnitude of a result; beyond infinity's if there is NaN
  bool wrong_sign;
};

/// Looks one element beyond the block.
template <ElementType type>
inline BlockOrder order_of_block(const Pattern<type>* x, const Pattern<type>* y, std::size_t n, bool negative_results) {
  using Bits = Pattern<type>;
  Bits breaks = 0, largest = 0, signs = 0;
  detail::vectorised([ =, &breaks, &largest, &signs ]() __attribute__((always_inline)) {
    constexpr Bits sign = static_cast<Bits>(sign_bit(type));
    constexpr Bits magnitude = static_cast<Bits>(sign - 1);
    const Bits right = negative_results ? sign : 0;
    Bits b = 0, l = 0, s = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Bits here = y[i] & magnitude, next = y[i + 1] & magnitude;
      b = static_cast<Bits>(b + ((x[i + 1] == static_cast<Bits>(x[i] + 1)) & (next < here)));
      l = std::max(l, here);
      s |= y[i] ^ right;
    }
    breaks = b, largest = l, signs = s & sign;
  });
  return {breaks, largest, signs != 0};
}

/// Is every result of the block x's bits where x is above the threshold and otherwise 0?
template <ElementType type>
inline bool is_thresholded(const Pattern<type>* x, const BlockValue<type>* values, double threshold, const Pattern<type>* y,
                           std::size_t n) {
  using Bits = Pattern<type>;
  Bits wrong = 0;
  detail::vectorised([ =, &wrong ]() __attribute__((always_inline)) {
    const auto limit = static_cast<BlockValue<type>>(threshold);
    Bits w = 0;
    for (std::size_t i = 0; i < n; ++i) w |= y[i] ^ (values[i] > limit ? x[i] : Bits{0});
    wrong = w;
  });
  return wrong == 0;
}

}  // namespace actinide::test
