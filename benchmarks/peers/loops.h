// Plain loops that the compiler makes vectors of (loops.c, -O3 -ffast-math): with e^x by libmvec, and ThresholdedRelu. 16-bit types by
// their patterns.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACTINIDE_DECLARE_LOOPS(type, c_type)                                          \
  void actinide_loop_exp_##type(const c_type* x, c_type* y, size_t n, float alpha);   \
  void actinide_loop_expm1_##type(const c_type* x, c_type* y, size_t n, float alpha); \
  void actinide_loop_thresholded_relu_##type(const c_type* x, c_type* y, size_t n, float alpha);
ACTINIDE_DECLARE_LOOPS(f16, uint16_t)
ACTINIDE_DECLARE_LOOPS(bf16, uint16_t)
ACTINIDE_DECLARE_LOOPS(f32, float)
ACTINIDE_DECLARE_LOOPS(f64, double)
#undef ACTINIDE_DECLARE_LOOPS

#ifdef __cplusplus
}
#endif
