// Base of every activation's generator: one tensor in, one out, same element type, contiguous, any size, in place or not.
//
// An activation adds its attributes, as Input<float> members, and its formula:
//
//   class Elu : public Activation<Elu> {
//    public:
//     Input<float> alpha{"alpha"};
//     Cases formula(const Element& x) { return elu(x, attribute(alpha)); }
//   };
//   HALIDE_REGISTER_GENERATOR(Elu, elu)
//
// The kernel's arguments are x, the attributes in their order, y.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

#include "Halide.h"
#include "activations/cases.h"
#include "numerics/element_types.h"
#include "schedule.h"

namespace actinide::halide {

template <typename Derived>
class Activation : public Halide::Generator<Derived> {
 public:
  Halide::GeneratorParam<ElementType> type{"type", ElementType::f32, element_type_names()};
  /// The kernel's arguments as the functions over it pass them: "x,alpha,y".
  Halide::GeneratorParam<std::string> arguments{"arguments", ""};
  /// Do x and y begin at multiples of 16 bytes?
  Halide::GeneratorParam<bool> aligned{"aligned", false};
  typename Halide::Generator<Derived>::template Input<Halide::Buffer<void, 1>> x{"x"};
  typename Halide::Generator<Derived>::template Output<Halide::Buffer<void, 1>> y{"y"};

  /// x comes first, the derived class's attributes follow, y is declared here: Halide orders inputs before outputs, as wanted.
  bool allow_out_of_order_inputs_and_outputs() const override { return true; }

  void configure() {
    x.set_type(storage_type(type));
    y.set_type(storage_type(type));
  }

  void generate() {
    check_arguments();
    Halide::Var i("i");
    // Tensors begin at their pointer: the kernel need not read where.
    x.dim(0).set_min(0);
    y.dim(0).set_min(0);
    if (aligned) {
      x.set_host_alignment(16);
      y.set_host_alignment(16);
    }
    Halide::Func f = y;
    f(i) = Halide::undef(storage_type(type));
    const Traits traits = traits_of(this->get_target());
    const auto formula = [&](const Halide::Expr& index) { return checked_formula({type, traits, x(index)}); };
    schedule({f, formula, y.dim(0).extent(), type, this->get_target(), aligned});
  }

 protected:
  Halide::Pipeline build_pipeline() override {
    Halide::Pipeline pipeline = Halide::Generator<Derived>::build_pipeline();
    add_lowering_passes(pipeline, type, this->get_target());
    return pipeline;
  }

  /// An attribute as the formula sees it: rounded to the element type, in the type that the mathematics runs in.
  Halide::Expr attribute(const Halide::Expr& value) const { return rounded_attribute(type, traits_of(this->get_target()), value); }

 private:
  /// The formula, or what is wrong with it in words of its own.
  Cases checked_formula(const Element& element) {
    Cases cases;
    try {
      cases = static_cast<Derived*>(this)->formula(element);
    } catch (const Halide::CompileError& error) {
      throw std::runtime_error(
          "the formula joins values of types that do not match: float32 and float64, or a value and a stored element, where x.store(value) "
          "is missing. Halide says: " +
          std::string(error.what()).substr(0, 200));
    }
    if (cases.empty()) throw std::runtime_error("the formula has no case");
    for (const Case& c : cases) {
      const bool is_last = &c == &cases.back();
      if (c.condition.defined() == is_last) {
        throw std::runtime_error(is_last ? "the last case of the formula has a condition; it must be for everything else"
                                         : "a case of the formula has no condition, and is not the last");
      }
      if (c.value.defined() && c.value.type() == element.stored.type()) continue;
      throw std::runtime_error("the formula returns " + (c.value.defined() ? type_name(c.value.type()) : "nothing") +
                               " where a tensor of this type stores " + type_name(element.stored.type()) + "; end with x.store(value)");
    }
    return cases;
  }

  static std::string type_name(const Halide::Type& t) { return (std::ostringstream() << t).str(); }

  /// The functions pass what the list says: with another number or order a kernel would compute with what happens to be in a register.
  void check_arguments() {
    std::string own;
    for (const auto& argument : this->arginfos()) {
      own += (own.empty() ? "" : ",") + argument.name;
      const bool is_attribute = argument.kind == Halide::Internal::ArgInfoKind::Scalar;
      if (is_attribute && (argument.types.size() != 1 || argument.types.front() != Halide::Float(32))) {
        throw std::runtime_error("the attribute '" + argument.name + "' is no float32; declare Input<float> " + argument.name);
      }
    }
    if (own != arguments.value()) {
      throw std::runtime_error("by the list the kernel's arguments are '" + arguments.value() + "', the generator has '" + own + "'");
    }
  }
};

}  // namespace actinide::halide
