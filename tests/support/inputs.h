// Inputs for tests that compare results with each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "bits.h"

namespace actinide::test {

using tools::ElementType;

/// Attribute values that lead to each of a formula's cases: Elu's 1, ordinary and limit, ThresholdedRelu's signs.
inline constexpr float attribute_kinds[] = {1.0f, 1.7f, 0.0f, -0.75f};

/// `n` patterns: half of them any pattern at all (NaN, infinities, subnormals), the others numbers between -8 and 8, where the work is.
inline std::vector<std::byte> mixed_inputs(ElementType type, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> moderate(-8, 8);
  std::vector<std::byte> data(n * static_cast<std::size_t>(format_of(type).bits) / 8);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t any = random() & (sign_bit(type) | (sign_bit(type) - 1));
    store_bits(type, data.data(), i, i % 2 == 0 ? any : nearest_bits(type, moderate(random)));
  }
  return data;
}

}  // namespace actinide::test
