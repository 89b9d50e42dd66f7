// x86-64: SSE4.1, AVX2 with FMA and F16C, AVX-512 (Skylake level).
#include "../schedule.h"

namespace actinide::halide {

void schedule_x86(const Kernel& kernel) {
  using Halide::Expr;
  using Halide::RDom;

  const int lanes = kernel.target.natural_vector_size(kernel.stored());
  // As many vectors in an iteration as leave every value in a register: AVX-512 has 32 of them, the others 16.
  const bool is_light = kernel.multiplications() < 4;
  const int unroll = is_light || kernel.target.has_feature(Halide::Target::AVX512_Skylake) ? 4 : 1;

  // The blocks also keep their speed when y - x is 64 or 128 (mod 4096): one vector at a time, every load would seem to depend on the store
  // before it and wait.
  kernel.define_whole_vectors(lanes, unroll);

  const Expr vectors = kernel.extent / lanes;
  // What is left is less than one vector: masked loads and stores.
  const RDom rest(0, kernel.extent - vectors * lanes);
  for (Halide::Stage& stage : kernel.define(vectors * lanes + rest)) stage.vectorize(rest, lanes, Halide::TailStrategy::Predicate);
}

}  // namespace actinide::halide
