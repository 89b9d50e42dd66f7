#include "elu.h"

#include "../activation.h"

namespace {

class Elu : public actinide::halide::Activation<Elu> {
 public:
  Input<float> alpha{"alpha"};

  actinide::halide::Cases formula(const actinide::halide::Element& x) { return actinide::halide::elu(x, attribute(alpha)); }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Elu, elu)
