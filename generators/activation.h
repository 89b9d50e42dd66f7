// Base of every activation's generator: one tensor in, one out, same element type, contiguous, any size, in place or not.
//
// An activation adds its attributes, as Input<float> members, and its formula:
//
//   class Elu : public actinide::halide::Activation<Elu> {
//    public:
//     Input<float> alpha{"alpha"};
//     actinide::halide::Cases formula(const actinide::halide::Element& element) { return actinide::halide::elu(element, attribute(alpha)); }
//   };
//   HALIDE_REGISTER_GENERATOR(Elu, elu)
//
// The kernel's arguments are x, the attributes in their order, y.
#pragma once

#include "Halide.h"
#include "activations/cases.h"
#include "numerics/element_types.h"
#include "schedule.h"

namespace actinide::halide {

template <typename Derived>
class Activation : public Halide::Generator<Derived> {
 public:
  Halide::GeneratorParam<ElementType> type{"type", ElementType::f32, element_type_names()};
  typename Halide::Generator<Derived>::template Input<Halide::Buffer<void, 1>> x{"x"};
  typename Halide::Generator<Derived>::template Output<Halide::Buffer<void, 1>> y{"y"};

  /// x comes first, the derived class's attributes follow, y is declared here: Halide orders inputs before outputs, as wanted.
  bool allow_out_of_order_inputs_and_outputs() const override { return true; }

  void configure() {
    x.set_type(storage_type(type));
    y.set_type(storage_type(type));
  }

  void generate() {
    const Traits traits = traits_of(this->get_target());
    const Cases cases = static_cast<Derived*>(this)->formula(Element{type, traits, x(i_)});

    Halide::Func f = y;
    f(i_) = cases.back().value;
    for (size_t n = 0; n + 1 < cases.size(); ++n) {
      Halide::Stage stage = f.specialize(cases[n].condition);
      // A specialization starts as a copy of the definition; this one is another.
      f.function().definition().specializations().back().definition.values().front() =
          Halide::Internal::common_subexpression_elimination(cases[n].value);
      lower(stage);
    }
    lower(f);
  }

 protected:
  /// An attribute as the formula sees it: rounded to the element type, in the type that the mathematics runs in.
  Halide::Expr attribute(const Halide::Expr& value) const {
    if (type == ElementType::f64) return Halide::cast(Halide::Float(64), value);
    const Traits traits = traits_of(this->get_target());
    return widen(type, traits, narrow(type, traits, value));
  }

 private:
  void lower(const Halide::Stage& stage) {
    actinide::halide::schedule({stage, i_, y.dim(0).extent(), storage_type(type), this->get_target()});
  }

  Halide::Var i_{"i"};
};

}  // namespace actinide::halide
