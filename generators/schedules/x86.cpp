// x86-64: SSE4.1, AVX2 with FMA and F16C, AVX-512 (Skylake level).
#include "../schedule.h"

namespace actinide::halide {

namespace {

using Halide::Expr;
using Halide::RDom;
using Halide::Stage;

/// Whole vectors, `unroll` in an iteration, from element `first` on. One wide vector makes LLVM load all of them before it stores any: when
/// y - x is 64 or 128 (mod 4096), every load would else seem to depend on the store before it and wait.
void whole_vectors(const Kernel& kernel, int lanes, int unroll, const Expr& first, const Expr& iterations) {
  const int block = lanes * unroll;
  const RDom r(0, block, 0, iterations);
  // Halide does not see that r.x + r.y * block never repeats.
  for (Stage& stage : kernel.define(first + r.x + r.y * block)) stage.allow_race_conditions().vectorize(r.x);
}

}  // namespace

void schedule_x86(const Kernel& kernel) {
  const int lanes = kernel.target.natural_vector_size(kernel.stored);
  // As many vectors in an iteration as leave every value in a register: AVX-512 has 32 of them, the others 16.
  const bool is_light = kernel.multiplications() < 4;
  const int unroll = is_light || kernel.target.has_feature(Halide::Target::AVX512_Skylake) ? 4 : 1;

  const Expr vectors = kernel.extent / lanes;
  const Expr blocks = vectors / unroll;
  whole_vectors(kernel, lanes, unroll, 0, blocks);
  if (unroll > 1) whole_vectors(kernel, lanes, 1, blocks * unroll * lanes, vectors - blocks * unroll);

  // What is left is less than one vector: masked loads and stores.
  const RDom rest(0, kernel.extent - vectors * lanes);
  for (Stage& stage : kernel.define(vectors * lanes + rest)) stage.vectorize(rest, lanes, Halide::TailStrategy::Predicate);
}

}  // namespace actinide::halide
