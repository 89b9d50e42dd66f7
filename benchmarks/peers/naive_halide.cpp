// What a user of Halide would write first: the formula as in the specification, and a loop of vectors. 16-bit types in float32.
#include <string>

#include "Halide.h"
#include "../../generators/numerics/element_types.h"

namespace {

using actinide::halide::ElementType;

template <typename Derived>
class Naive : public Halide::Generator<Derived> {
 public:
  Halide::GeneratorParam<ElementType> type{"type", ElementType::f32, actinide::halide::element_type_names()};
  Halide::GeneratorParam<std::string> arguments{"arguments", "x,alpha,y"};
  typename Halide::Generator<Derived>::template Input<Halide::Buffer<void, 1>> x{"x"};
  typename Halide::Generator<Derived>::template Input<float> alpha{"alpha"};
  typename Halide::Generator<Derived>::template Output<Halide::Buffer<void, 1>> y{"y"};

  void configure() {
    x.set_type(element());
    y.set_type(element());
  }

  void generate() {
    const Halide::Type computed = is_16_bit(type) ? Halide::Float(32) : element();
    Halide::Var i("i");
    const Halide::Expr v = Halide::cast(computed, x(i));
    y(i) = Halide::cast(element(), Derived::formula(v, Halide::cast(computed, alpha)));
    Halide::Func(y).vectorize(i, this->natural_vector_size(element()), Halide::TailStrategy::GuardWithIf);
  }

 private:
  Halide::Type element() const {
    switch (type) {
      case ElementType::f16: return Halide::Float(16);
      case ElementType::bf16: return Halide::BFloat(16);
      case ElementType::f32: return Halide::Float(32);
      case ElementType::f64: break;
    }
    return Halide::Float(64);
  }
};

class NaiveElu : public Naive<NaiveElu> {
 public:
  static Halide::Expr formula(const Halide::Expr& x, const Halide::Expr& alpha) {
    return Halide::select(x < 0, alpha * (Halide::exp(x) - 1), x);
  }
};

class NaiveThresholdedRelu : public Naive<NaiveThresholdedRelu> {
 public:
  static Halide::Expr formula(const Halide::Expr& x, const Halide::Expr& alpha) { return Halide::select(x > alpha, x, 0); }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(NaiveElu, naive_elu)
HALIDE_REGISTER_GENERATOR(NaiveThresholdedRelu, naive_thresholded_relu)
