// x86-64: SSE4.1, AVX2 with FMA and F16C, AVX-512 (Skylake level).
#include "../schedule.h"

namespace actinide::halide {

void schedule_x86(Plan plan) {
  const int lanes = plan.target.natural_vector_size(plan.stored);
  const int unroll = plan.target.has_feature(Halide::Target::AVX512_Skylake) ? 2 : 1;
  if (unroll > 1) {
    plan.stage.specialize(plan.extent >= unroll * lanes).vectorize(plan.i, unroll * lanes, Halide::TailStrategy::Predicate);
  }
  plan.stage.vectorize(plan.i, lanes, Halide::TailStrategy::Predicate);
}

}  // namespace actinide::halide
