// Softsign: y = x / (1 + |x|); 1 and -1 for the infinities.
#include <actinide/generators/activation.h>
#include <actinide/generators/numerics/classify.h>

using namespace actinide::halide;

class Softsign : public Activation<Softsign> {
 public:
  Cases formula(const Element& x) {
    const Halide::Expr v = finite_value(x);
    return {{Halide::Expr(), Halide::select(is_nan(x), x.stored, x.store(v / (Halide::abs(v) + 1.0f)))}};
  }
};

HALIDE_REGISTER_GENERATOR(Softsign, softsign)
