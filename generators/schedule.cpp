#include "schedule.h"

#include <algorithm>
#include <stdexcept>

namespace actinide::halide {

std::vector<Halide::Stage> Kernel::define(const Halide::Expr& index) const {
  Halide::Func f = y;
  const Cases cases = formula(index);
  f(index) = cases.back().value;
  const int update = f.num_update_definitions() - 1;
  std::vector<Halide::Stage> stages;
  for (size_t n = 0; n + 1 < cases.size(); ++n) {
    stages.push_back(f.update(update).specialize(cases[n].condition));
    // A specialization starts as a copy of the definition; this one is another.
    f.function().update(update).specializations().back().definition.values().front() =
        Halide::Internal::common_subexpression_elimination(cases[n].value);
  }
  stages.push_back(f.update(update));
  return stages;
}

void Kernel::define_whole_vectors(int lanes, int unroll) const {
  const auto define_loop = [&](int block, const Halide::Expr& first, const Halide::Expr& iterations) {
    const Halide::RDom r(0, block, 0, iterations);
    // Halide does not see that r.x + r.y * block never repeats.
    for (Halide::Stage& stage : define(first + r.x + r.y * block)) stage.allow_race_conditions().vectorize(r.x);
  };
  const Halide::Expr vectors = extent / lanes;
  const Halide::Expr blocks = vectors / unroll;
  define_loop(lanes * unroll, 0, blocks);
  if (unroll > 1) define_loop(lanes, blocks * unroll * lanes, vectors - blocks * unroll);
}

namespace {

class MultiplicationCounter : public Halide::Internal::IRGraphVisitor {
 public:
  int count = 0;

 protected:
  using IRGraphVisitor::visit;
  void visit(const Halide::Internal::Mul* op) override {
    count += op->type.is_float() ? 1 : 0;
    IRGraphVisitor::visit(op);
  }
};

}  // namespace

int Kernel::multiplications() const {
  int largest = 0;
  for (const Case& c : formula(0)) {
    MultiplicationCounter counter;
    c.value.accept(&counter);
    largest = std::max(largest, counter.count);
  }
  return largest;
}

void schedule(const Kernel& kernel) {
  if (kernel.target.has_gpu_feature()) return schedule_cuda(kernel);
  switch (kernel.target.arch) {
    case Halide::Target::ARM: schedule_arm(kernel); return;
    case Halide::Target::X86: schedule_x86(kernel); return;
    default: throw std::runtime_error("Actinide has no schedule for " + kernel.target.to_string());
  }
}

void add_lowering_passes(Halide::Pipeline& pipeline, ElementType type, const Halide::Target& target) {
  if (target.has_gpu_feature()) return add_lowering_passes_cuda(pipeline);
  // Masks of AVX-512 are fast. Those of AVX2 are not on AMD, and there are none for 16-bit elements.
  if (!target.has_feature(Halide::Target::AVX512_Skylake)) add_lowering_pass_for_tails(pipeline);
  if (target.arch == Halide::Target::X86) add_lowering_passes_x86(pipeline, type, target);
}

}  // namespace actinide::halide
