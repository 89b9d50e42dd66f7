// The inputs of a sweep, in chunks: all of them, or one shard of so many.
//
//   f16, bf16   every pattern, whatever the shards
//   f32         every pattern, or one in `shards`: groups of 64 neighbours, so that monotonicity is seen, from an offset of the seed's
//   f64         2^30 / shards, in groups of 8 neighbours: dense in value and in bits, and around every change of k
//
// and of sweeps that are not complete the neighbourhoods of whatever is special: where an input or a result crosses a power of two, where k
// changes (x = k ln2 + r), and around the attributes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "bits.h"
#include "references.h"

namespace actinide::test {

/// Neighbouring inputs that are checked together.
constexpr std::size_t block_size = 512;

/// The unsigned integer of an element type's size.
template <ElementType type>
using Pattern = std::conditional_t<format_of(type).bits == 16, std::uint16_t,
                                   std::conditional_t<format_of(type).bits == 32, std::uint32_t, std::uint64_t>>;

template <ElementType type>
class SweepInputs {
 public:
  /// What is checked at once fits into a core's second cache.
  static constexpr std::size_t chunk_size = format_of(type).bits == 16 ? 0x10000 : 0x8000;

  SweepInputs(Form form, std::uint64_t shards, std::uint64_t seed, std::span<const float> attributes)
      : shards_(shards), seed_(seed), neighbours_(shards < 1024 ? 512 : 64), attribute_blocks_(form == Form::threshold ? 24 : 0) {
    for (const float attribute : attributes) attributes_.push_back(tools::rounded_attribute(type, attribute));
    if constexpr (type == ElementType::f32) {
      offset_ = std::mt19937_64(seed)() % shards;
      groups_ = ((std::uint64_t{1} << 32) / group - offset_ + shards - 1) / shards;
      regular_ = (groups_ * group + chunk_size - 1) / chunk_size;
    } else if constexpr (type == ElementType::f64) {
      regular_ = std::max<std::uint64_t>((std::uint64_t{1} << 30) / chunk_size / shards, 1);
    } else {
      regular_ = 1;
    }
    if (!is_complete()) add_neighbourhoods();
  }

  std::size_t chunks() const { return regular_ + (neighbourhoods_.size() * neighbours_ + chunk_size - 1) / chunk_size; }

  /// Writes the patterns of a chunk, and after them the successor of the last one. Returns how many, without that.
  std::size_t fill(std::size_t chunk, Pattern<type>* x) const {
    std::size_t n = 0;
    const auto add = [&](std::uint64_t start, std::size_t length) {
      for (std::size_t i = 0; i < length; ++i) x[n++] = static_cast<Pattern<type>>(start + i);
    };
    if (chunk >= regular_) {
      const std::size_t each = chunk_size / neighbours_;
      const std::size_t begin = (chunk - regular_) * each;
      for (std::size_t i = begin; i < std::min(begin + each, neighbourhoods_.size()); ++i) add(neighbourhoods_[i], neighbours_);
    } else if constexpr (type == ElementType::f32) {
      constexpr std::size_t each = chunk_size / group;
      for (std::uint64_t g = chunk * each; g < std::min<std::uint64_t>((chunk + 1) * each, groups_); ++g)
        add((g * shards_ + offset_) * group, group);
    } else if constexpr (type == ElementType::f64) {
      std::mt19937_64 random(seed_ ^ (chunk * 0x9e3779b97f4a7c15));
      while (n < chunk_size) {
        const std::size_t block = n / block_size;
        add(float64_pattern(static_cast<int>(block * 64 * block_size / chunk_size), block + chunk * 5, random), f64_group);
      }
    } else {
      add(0, chunk_size);
    }
    x[n] = static_cast<Pattern<type>>(x[n - 1] + 1);
    return n;
  }

 private:
  static constexpr std::size_t group = 64, f64_group = 8;

  bool is_complete() const { return format_of(type).bits == 16 || (type == ElementType::f32 && shards_ == 1); }

  /// Of 64 blocks of a chunk, each kind has some. Blocks of one sign are checked fastest.
  std::uint64_t float64_pattern(int block, std::size_t count, std::mt19937_64& random) const {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    const auto pattern = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    const auto between = [&](double low, double high) {
      return pattern(low) + static_cast<std::uint64_t>(u * static_cast<double>(pattern(high) - pattern(low)));
    };
    if (block < attribute_blocks_) {  // around an attribute, as near as may be
      const std::uint64_t attribute = pattern(attributes_[count % attributes_.size()]);
      return attribute + static_cast<std::uint64_t>(static_cast<std::int64_t>(random()) >> (4 + random() % 60));
    }
    constexpr double ln2 = 0x1.62e42fefa39efp-1;
    if (block < 32) return pattern(-u);                // the busiest octaves
    if (block < 44) return pattern(-40 * u);           // to beyond saturation
    if (block < 48) return pattern(-0.33 - 0.04 * u);  // the first change of k, where errors tend to peak
    if (block < 50) return pattern(-ln2 * (static_cast<double>(random() % 56) + 0.5) * (1 + (u - 0.5) * 1e-8));  // every change of k
    if (block < 62) return between(-0x1p-60, -0x1p6);                                         // octaves in which something happens
    if (block < 63) return pattern(-std::ldexp(1 + u, -static_cast<int>(count % 1074) - 1));  // every octave
    return random();                                                                          // anything
  }

  void add_neighbourhoods() {
    const auto format = format_of(type);
    const auto add = [&](double x) { neighbourhoods_.push_back(nearest_bits(type, x) - neighbours_ / 2); };
    for (int e = format.smallest_exponent; e < 8; ++e) add(-std::ldexp(1.0, e));
    for (int k = 0; k < 60; ++k) add(-0x1.62e42fefa39efp-1 * (k + 0.5));
    for (const double attribute : attributes_) {
      add(attribute);
      for (int octave = 0; std::isfinite(attribute) && attribute != 0 && octave < 8; ++octave) {
        const double x = std::log1p(-std::ldexp(1.0, std::ilogb(attribute) - octave) / std::fabs(attribute));
        if (std::isfinite(x) && x < 0) add(x);
      }
    }
  }

  std::uint64_t shards_, seed_;
  std::size_t neighbours_;  ///< in each neighbourhood
  int attribute_blocks_;
  std::vector<double> attributes_;
  std::uint64_t offset_ = 0, groups_ = 0;
  std::size_t regular_ = 0;
  std::vector<std::uint64_t> neighbourhoods_;  ///< where each begins
};

}  // namespace actinide::test
