#include "schedule.h"

#include <algorithm>
#include <stdexcept>

namespace actinide::halide {

Traits traits_of(const Halide::Target& target) {
  const bool x86 = target.arch == Halide::Target::X86;
  return {.has_fma = x86 && target.has_feature(Halide::Target::FMA), .native_f16 = x86 && target.has_feature(Halide::Target::F16C)};
}

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
  switch (kernel.target.arch) {
    case Halide::Target::X86: schedule_x86(kernel); return;
    default: throw std::runtime_error("Actinide has no schedule for " + kernel.target.to_string());
  }
}

}  // namespace actinide::halide
