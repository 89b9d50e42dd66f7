#include "thresholded_relu.h"

#include "../activation.h"

namespace {

class ThresholdedRelu : public actinide::halide::Activation<ThresholdedRelu> {
 public:
  Input<float> alpha{"alpha"};

  actinide::halide::Cases formula(const actinide::halide::Element& x) { return actinide::halide::thresholded_relu(x, attribute(alpha)); }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ThresholdedRelu, thresholded_relu)
