// ARM: NEON, 64-bit (with half-precision conversions or not) and 32-bit. docs/arm.md has the cycles behind the numbers here.
#include "../schedule.h"

namespace actinide::halide {

void schedule_arm(const Kernel& kernel) {
  using Halide::Expr;
  using Halide::RDom;
  using Halide::select;

  const bool is_light = kernel.multiplications() < 4;
  int lanes = kernel.target.natural_vector_size(kernel.stored());
  if (kernel.target.bits == 32) {
    // 32-bit NEON has no float64: it goes element by element through the scalar unit.
    if (kernel.type == ElementType::f64) lanes = 1;
    // Here integer operations convert f16, and need all registers for one of float32.
    if (kernel.type == ElementType::f16 && !is_light) lanes = 4;
  }

  // In-order cores start an operation every cycle and wait four for its result: four registers of what is computed go side by side (a
  // vector of 16-bit elements is two of float32), if the register file holds them: 32 registers on 64-bit machines, 16 on 32-bit ones.
  const int registers = kernel.target.bits == 64 ? 4 : 2;
  const int unroll = lanes == 1 ? 1 : is_light ? 4 : is_16_bit(kernel.type) ? registers / 2 : registers;

  kernel.define_whole_vectors(lanes, unroll);
  if (lanes == 1) return;

  // NEON has no masked loads and stores; Halide's predicated ones become a branch an element. Instead, after at least one vector: the last
  // `lanes` elements again, of which only those that were left take a new value. The others may be results already, in place.
  const Expr vectors = kernel.extent / lanes;
  const Expr rest = kernel.extent - vectors * lanes;
  const auto once = [&](const Expr& condition) { return RDom(0, lanes, 0, select(condition, 1, 0)); };
  const auto vectorize = [](std::vector<Halide::Stage> stages, const Halide::RVar& variable) {
    for (Halide::Stage& stage : stages) stage.allow_race_conditions().vectorize(variable);
  };
  const RDom last = once(rest > 0 && vectors > 0);
  const Halide::Type lane = Halide::Int(kernel.stored().bits());
  vectorize(kernel.define(kernel.extent - lanes + last.x, Halide::cast(lane, last.x) >= Halide::cast(lane, lanes - rest)), last.x);

  // Fewer elements than lanes: the surplus lanes repeat the last element, so all of them write what is right.
  const RDom few = once(vectors == 0);
  vectorize(kernel.define(Halide::min(few.x, kernel.extent - 1)), few.x);
}

}  // namespace actinide::halide
