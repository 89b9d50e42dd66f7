#include "loops.h"

#include <math.h>
#include <string.h>

// LOAD makes a value of an element, STORE an element of a value.
#define LOOPS(type, c_type, value, exp_, expm1_, LOAD, STORE)                                     \
  void actinide_loop_exp_##type(const c_type* x, c_type* y, size_t n, float alpha) {              \
    const value a = (value)alpha;                                                                 \
    for (size_t i = 0; i < n; ++i) {                                                              \
      const value v = LOAD(x[i]);                                                                 \
      y[i] = STORE(v < 0 ? a * (exp_(v) - 1) : v);                                                \
    }                                                                                             \
  }                                                                                               \
  void actinide_loop_expm1_##type(const c_type* x, c_type* y, size_t n, float alpha) {            \
    const value a = (value)alpha;                                                                 \
    for (size_t i = 0; i < n; ++i) {                                                              \
      const value v = LOAD(x[i]);                                                                 \
      y[i] = STORE(v < 0 ? a * expm1_(v) : v);                                                    \
    }                                                                                             \
  }                                                                                               \
  void actinide_loop_thresholded_relu_##type(const c_type* x, c_type* y, size_t n, float alpha) { \
    const value a = (value)alpha;                                                                 \
    for (size_t i = 0; i < n; ++i) y[i] = LOAD(x[i]) > a ? x[i] : 0;                              \
  }

#define SAME(v) (v)
LOOPS(f32, float, float, expf, expm1f, SAME, SAME)
LOOPS(f64, double, double, exp, expm1, SAME, SAME)

static inline float from_bf16(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float v;
  memcpy(&v, &wide, sizeof v);
  return v;
}
static inline uint16_t to_bf16(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);  // without care for NaN
}
LOOPS(bf16, uint16_t, float, expf, expm1f, from_bf16, to_bf16)

#ifdef ACTINIDE_HAVE_FLOAT16
static inline float from_f16(uint16_t bits) {
  _Float16 v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
static inline uint16_t to_f16(float v) {
  const _Float16 narrow = (_Float16)v;
  uint16_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  return bits;
}
LOOPS(f16, uint16_t, float, expf, expm1f, from_f16, to_f16)
#endif
