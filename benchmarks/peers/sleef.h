// SLEEF's e^x - 1 of 1.0 ULP, and a selection.
#pragma once

#include <immintrin.h>

#include <sleef.h>

#include "prepare.h"

namespace actinide::peers {

#if defined(__AVX512F__)
inline void sleef_step(const float* x, float* y, float alpha) {
  const __m512 v = _mm512_loadu_ps(x), e = _mm512_mul_ps(_mm512_set1_ps(alpha), Sleef_expm1f16_u10(v));
  _mm512_storeu_ps(y, _mm512_mask_blend_ps(_mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_LT_OQ), v, e));
}
inline void sleef_step(const double* x, double* y, float alpha) {
  const __m512d v = _mm512_loadu_pd(x), e = _mm512_mul_pd(_mm512_set1_pd(alpha), Sleef_expm1d8_u10(v));
  _mm512_storeu_pd(y, _mm512_mask_blend_pd(_mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_LT_OQ), v, e));
}
constexpr std::size_t sleef_bytes = 64;
#elif defined(__AVX2__)
inline void sleef_step(const float* x, float* y, float alpha) {
  const __m256 v = _mm256_loadu_ps(x), e = _mm256_mul_ps(_mm256_set1_ps(alpha), Sleef_expm1f8_u10(v));
  _mm256_storeu_ps(y, _mm256_blendv_ps(v, e, _mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_LT_OQ)));
}
inline void sleef_step(const double* x, double* y, float alpha) {
  const __m256d v = _mm256_loadu_pd(x), e = _mm256_mul_pd(_mm256_set1_pd(alpha), Sleef_expm1d4_u10(v));
  _mm256_storeu_pd(y, _mm256_blendv_pd(v, e, _mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_LT_OQ)));
}
constexpr std::size_t sleef_bytes = 32;
#else
inline void sleef_step(const float* x, float* y, float alpha) {
  const __m128 v = _mm_loadu_ps(x), e = _mm_mul_ps(_mm_set1_ps(alpha), Sleef_expm1f4_u10(v));
  _mm_storeu_ps(y, _mm_blendv_ps(v, e, _mm_cmplt_ps(v, _mm_setzero_ps())));
}
inline void sleef_step(const double* x, double* y, float alpha) {
  const __m128d v = _mm_loadu_pd(x), e = _mm_mul_pd(_mm_set1_pd(alpha), Sleef_expm1d2_u10(v));
  _mm_storeu_pd(y, _mm_blendv_pd(v, e, _mm_cmplt_pd(v, _mm_setzero_pd())));
}
constexpr std::size_t sleef_bytes = 16;
#endif

template <typename T>
void sleef_expm1(const T* x, T* y, std::size_t n, float alpha) {
  in_vectors<sleef_bytes / sizeof(T)>(x, y, n, [alpha](const T* from, T* to) { sleef_step(from, to, alpha); });
}

}  // namespace actinide::peers
