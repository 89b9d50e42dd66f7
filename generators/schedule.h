// What a schedule is: how one definition of an elementwise activation becomes loops on one family of machines.
//
// A schedule sees a stage of y(i) over the whole extent, and no operator. It must compute every element exactly once, read and write
// nothing outside the extent, and load an element before it is overwritten when x and y are the same memory. So no
// TailStrategy::ShiftInwards, which computes elements twice.
#pragma once

#include "Halide.h"
#include "numerics/element_types.h"

namespace actinide::halide {

/// The numerical traits of a target.
Traits traits_of(const Halide::Target& target);

/// What a schedule may use.
struct Plan {
  Halide::Stage stage;
  Halide::Var i;
  Halide::Expr extent;
  Halide::Type stored;  ///< type of x and y
  Halide::Target target;
};

/// Picks the family's schedule; an error for a target that has none.
void schedule(const Plan& plan);

void schedule_x86(Plan plan);

}  // namespace actinide::halide
