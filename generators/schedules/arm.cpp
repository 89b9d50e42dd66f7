// ARM: NEON, 64-bit (with half-precision conversions or not) and 32-bit. docs/arm.md has the cycles behind the numbers here.
#include "../schedule.h"

namespace actinide::halide {

void schedule_arm(const Kernel& kernel) {
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
  if (lanes > 1) kernel.define_tail(lanes);
}

}  // namespace actinide::halide
