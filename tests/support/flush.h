// Subnormals on 32-bit NEON, which takes every subnormal float32 for zero, as operand and as result.
#pragma once

#include <cmath>

#include "bits.h"
#include "target_test.h"

namespace actinide::test {

/// Where README.md allows that target a zero with the right sign instead of the right value: x < 0, and x or alpha or the result is below
/// the normal numbers of float32, in which f32 and bf16 are computed. Alpha is as the operator sees it; with 1, 0 or infinity nothing is
/// excused. The result that is flushed is not yet the exact one: within its limit it may lie 2 units lower.
inline bool is_flushed(const Operator& op, double x, double alpha, double exact) {
  if (op.name != "elu" || (op.type != ElementType::f32 && op.type != ElementType::bf16)) return false;
  if (!(x < 0) || alpha == 1 || alpha == 0 || !std::isfinite(alpha)) return false;
  const double smallest_normal = 0x1p-126;
  return -x < smallest_normal || std::fabs(alpha) < smallest_normal || std::fabs(exact) < smallest_normal + 0x1p-148;
}

/// Is a result that very zero?
inline bool is_allowed_zero(const Parameter& p, std::uint64_t result, double x, double alpha, double exact) {
  return is_32_bit_neon(p.target) && result == (std::signbit(exact) ? sign_bit(p.op->type) : 0) && is_flushed(*p.op, x, alpha, exact);
}

}  // namespace actinide::test
