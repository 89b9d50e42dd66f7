// What a formula takes of attributes, and what it returns: its definition, by cases of them.
#pragma once

#include <vector>

#include "Halide.h"
#include "../numerics/element_types.h"

namespace actinide::halide {

/// A definition and the attribute values it is for. The condition depends on attributes alone and is decided once a call, before any
/// loop: each case is compiled on its own.
struct Case {
  Halide::Expr condition;  ///< undefined in the last case: everything else
  Halide::Expr value;
};

/// The first case whose condition holds applies.
using Cases = std::vector<Case>;

/// An attribute as a formula sees it: rounded to the element type, in the type that the mathematics runs in.
inline Halide::Expr rounded_attribute(ElementType type, const Traits& traits, const Halide::Expr& value) {
  if (type == ElementType::f64) return Halide::cast(Halide::Float(64), value);
  const Traits of_attributes = traits.of_attributes();
  return widen(type, of_attributes, narrow(type, of_attributes, value));
}

}  // namespace actinide::halide
