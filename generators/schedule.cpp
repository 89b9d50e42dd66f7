#include "schedule.h"

#include <stdexcept>

namespace actinide::halide {

Traits traits_of(const Halide::Target& target) {
  const bool x86 = target.arch == Halide::Target::X86;
  return {.has_fma = x86 && target.has_feature(Halide::Target::FMA), .native_f16 = x86 && target.has_feature(Halide::Target::F16C)};
}

void schedule(const Plan& plan) {
  switch (plan.target.arch) {
    case Halide::Target::X86: schedule_x86(plan); return;
    default: throw std::runtime_error("Actinide has no schedule for " + plan.target.to_string());
  }
}

}  // namespace actinide::halide
