// What a schedule is: how an elementwise activation becomes loops on one family of machines.
//
// A schedule sees no operator: it sees a kernel whose element at any index can be defined, and decides which loops define which elements.
// It must define every element of the extent, touch nothing outside it, and load an element before it is overwritten when x and y are the
// same memory. So no TailStrategy::ShiftInwards, which computes elements twice, the second time from the first result.
#pragma once

#include <functional>
#include <vector>

#include "Halide.h"
#include "activations/cases.h"
#include "numerics/element_types.h"
#include "traits.h"

namespace actinide::halide {

/// A kernel under construction: y, and what its element at an index is.
struct Kernel {
  Halide::Func y;
  std::function<Cases(const Halide::Expr& index)> formula;
  Halide::Expr extent;
  ElementType type;
  Halide::Target target;
  bool is_aligned;  ///< x and y begin at multiples of 16 bytes

  Halide::Type stored() const { return storage_type(type); }

  /// How heavy the formula is: the floating-point multiplications of its largest case.
  int multiplications() const;

  /// Adds a loop nest that defines y at `index`, an expression of reduction variables. Returns its stages, one a case, all to be scheduled
  /// alike.
  std::vector<Halide::Stage> define(const Halide::Expr& index) const;

  /// Adds the loops over whole vectors: `unroll` in an iteration, then those that are left, one by one. An iteration is one wide vector,
  /// which makes LLVM load all of it before it stores any.
  void define_whole_vectors(int lanes, int unroll) const;

  /// Adds what is left after whole vectors, less than one, as a vector with a predicate. CPUs without fast masks have a lowering pass for it:
  /// Halide would make a branch an element.
  void define_tail(int lanes) const;
};

/// Picks the family's schedule; an error for a target that has none.
void schedule(const Kernel& kernel);

/// What the family does to the loops after Halide has made them.
void add_lowering_passes(Halide::Pipeline& pipeline, ElementType type, const Halide::Target& target);

void add_lowering_pass_for_tails(Halide::Pipeline& pipeline);
void schedule_arm(const Kernel& kernel);
void schedule_cuda(const Kernel& kernel);
void add_lowering_passes_cuda(Halide::Pipeline& pipeline);
void schedule_x86(const Kernel& kernel);
void add_lowering_passes_x86(Halide::Pipeline& pipeline, ElementType type, const Halide::Target& target);

}  // namespace actinide::halide
