// What a formula returns: its definition, by cases of the attributes.
#pragma once

#include <vector>

#include "Halide.h"

namespace actinide::halide {

/// A definition and the attribute values it is for. The condition depends on attributes alone and is decided once a call, before any
/// loop: each case is compiled on its own.
struct Case {
  Halide::Expr condition;  ///< undefined in the last case: everything else
  Halide::Expr value;
};

/// The first case whose condition holds applies.
using Cases = std::vector<Case>;

}  // namespace actinide::halide
