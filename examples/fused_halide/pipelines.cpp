// Pipelines that end with an Elu, and, for comparison, the same without it.
#include <Halide.h>
#include <actinide/halide/fusion.h>

namespace {

using Halide::Expr;
using Halide::TailStrategy;

/// y[row][channel] = elu(x[row][channel] + bias[channel])
class BiasElu : public Halide::Generator<BiasElu> {
 public:
  GeneratorParam<bool> fused{"fused", true};
  GeneratorParam<float> alpha{"alpha", 1.0f};
  Input<Buffer<float, 2>> x{"x"};
  Input<Buffer<float, 1>> bias{"bias"};
  Output<Buffer<float, 2>> y{"y"};

  void generate() {
    Halide::Var channel("channel"), row("row");
    // Strict, so that NaN and -0.0 arrive as they are.
    const Expr biased = actinide::halide::strict::add(x(channel, row), bias(channel));
    y(channel, row) = fused ? actinide::halide::elu(biased, alpha.value()) : biased;
    y.vectorize(channel, natural_vector_size<float>(), TailStrategy::GuardWithIf);
  }
};

/// y = elu(3x3 convolution of x + bias), alpha 1; x has a border of one element.
class ConvElu : public Halide::Generator<ConvElu> {
 public:
  GeneratorParam<bool> fused{"fused", true};
  Input<Buffer<float, 2>> x{"x"};
  Input<Buffer<float, 2>> weights{"weights"};
  Input<float> bias{"bias"};
  Output<Buffer<float, 2>> y{"y"};

  void generate() {
    Halide::Var column("column"), row("row"), tile("tile"), inside("inside");
    Halide::Func sum("sum");
    Expr value = bias;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) value += x(column + j, row + i) * weights(j, i);
    }
    sum(column, row) = value;
    y(column, row) = fused ? actinide::halide::elu(sum(column, row), 1.0f) : sum(column, row);

    // The weights and the coefficients of Elu together are more than 16 registers: one after the other, a piece of a row at a time.
    const int lanes = natural_vector_size<float>();
    y.split(column, tile, inside, 64, TailStrategy::GuardWithIf).vectorize(inside, lanes, TailStrategy::GuardWithIf);
    sum.compute_at(y, tile).store_in(Halide::MemoryType::Stack).vectorize(column, lanes, TailStrategy::GuardWithIf);
  }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BiasElu, bias_elu)
HALIDE_REGISTER_GENERATOR(ConvElu, conv_elu)
