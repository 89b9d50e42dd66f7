// Single floating-point operations that LLVM may neither reorder, fuse nor fold.
//
// Halide's strict_float(e) makes the whole tree below e strict, and strict code is never contracted to FMA. These make one operation
// strict and leave its operands alone. Comparisons must always be strict here: the non-strict ones assume that no NaN exists.
#pragma once

#include <utility>

#include "Halide.h"

namespace actinide::halide::strict {

inline Halide::Expr operation(Halide::Internal::Call::IntrinsicOp op, Halide::Type type, Halide::Expr a, Halide::Expr b) {
  return Halide::Internal::Call::make(type, op, {std::move(a), std::move(b)}, Halide::Internal::Call::PureIntrinsic);
}

inline Halide::Expr add(const Halide::Expr& a, const Halide::Expr& b) {
  return operation(Halide::Internal::Call::strict_add, a.type(), a, b);
}

inline Halide::Expr subtract(const Halide::Expr& a, const Halide::Expr& b) {
  return operation(Halide::Internal::Call::strict_sub, a.type(), a, b);
}

inline Halide::Expr multiply(const Halide::Expr& a, const Halide::Expr& b) {
  return operation(Halide::Internal::Call::strict_mul, a.type(), a, b);
}

inline Halide::Expr maximum(const Halide::Expr& a, const Halide::Expr& b) {
  return operation(Halide::Internal::Call::strict_max, a.type(), a, b);
}

inline Halide::Expr minimum(const Halide::Expr& a, const Halide::Expr& b) {
  return operation(Halide::Internal::Call::strict_min, a.type(), a, b);
}

inline Halide::Expr less(const Halide::Expr& a, const Halide::Expr& b) {
  return operation(Halide::Internal::Call::strict_lt, Halide::Bool(a.type().lanes()), a, b);
}

}  // namespace actinide::halide::strict
