// Single floating-point operations that LLVM may neither reorder, fuse nor fold.
//
// Halide's strict_float(e) makes the whole tree below e strict, and strict code is never contracted to FMA. These make one operation
// strict and leave its operands alone. Comparisons must always be strict here: the non-strict ones assume that no NaN exists.
#pragma once

#include <utility>

#include "Halide.h"

namespace actinide::halide::strict {

/// A constant takes the other operand's type.
inline Halide::Expr operation(Halide::Internal::Call::IntrinsicOp op, Halide::Expr a, Halide::Expr b) {
  Halide::Internal::match_types(a, b);
  const Halide::Type type = op == Halide::Internal::Call::strict_lt ? Halide::Bool(a.type().lanes()) : a.type();
  return Halide::Internal::Call::make(type, op, {std::move(a), std::move(b)}, Halide::Internal::Call::PureIntrinsic);
}

inline Halide::Expr add(const Halide::Expr& a, const Halide::Expr& b) { return operation(Halide::Internal::Call::strict_add, a, b); }

inline Halide::Expr subtract(const Halide::Expr& a, const Halide::Expr& b) { return operation(Halide::Internal::Call::strict_sub, a, b); }

inline Halide::Expr multiply(const Halide::Expr& a, const Halide::Expr& b) { return operation(Halide::Internal::Call::strict_mul, a, b); }

inline Halide::Expr maximum(const Halide::Expr& a, const Halide::Expr& b) { return operation(Halide::Internal::Call::strict_max, a, b); }

inline Halide::Expr minimum(const Halide::Expr& a, const Halide::Expr& b) { return operation(Halide::Internal::Call::strict_min, a, b); }

inline Halide::Expr less(const Halide::Expr& a, const Halide::Expr& b) { return operation(Halide::Internal::Call::strict_lt, a, b); }

}  // namespace actinide::halide::strict
