// The numerical traits of Halide's targets.
#pragma once

#include "Halide.h"
#include "numerics/element_types.h"

namespace actinide::halide {

inline Traits traits_of(const Halide::Target& target) {
  using Halide::Target;
  if (target.has_feature(Target::CUDA)) {
    return {.has_fma = true, .fuses_strict = true, .native_f16 = true, .native_f16_compare = true, .wide_lanes = true, .has_host = true};
  }
  if (target.has_gpu_feature()) return {.wide_lanes = true, .has_host = true};
  switch (target.arch) {
    case Target::X86: {
      const bool has_f16c = target.has_feature(Target::F16C);
      return {.has_fma = target.has_feature(Target::FMA), .native_f16 = has_f16c, .native_f16_load = has_f16c};
    }
    case Target::ARM:
      // 32-bit NEON has no fused multiply-add before VFPv4, and always flushes subnormals.
      return {.has_fma = target.bits == 64,
              .native_f16 = target.has_feature(Target::ARMFp16),
              .native_f16_compare = target.has_feature(Target::ARMFp16) && target.has_feature(Target::ARMv82a),
              .flushes_subnormals = target.bits == 32};
    default: return {};
  }
}

}  // namespace actinide::halide
