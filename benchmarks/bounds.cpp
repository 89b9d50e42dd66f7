#include "bounds.h"

#include <immintrin.h>

namespace actinide::benchmark {

// n is a multiple of the elements of four vectors.
#define ACTINIDE_BOUNDS(name, features, lanes, Vector, prefix)                                                              \
  __attribute__((target(features))) void arithmetic_##name(const float* x, float* y, std::size_t n) {                       \
    const Vector a = prefix##_set1_ps(0.5f), b = prefix##_set1_ps(0.25f);                                                   \
    for (std::size_t i = 0; i < n; i += 4 * lanes) {                                                                        \
      Vector v0 = prefix##_loadu_ps(x + i), v1 = prefix##_loadu_ps(x + i + lanes);                                          \
      Vector v2 = prefix##_loadu_ps(x + i + 2 * lanes), v3 = prefix##_loadu_ps(x + i + 3 * lanes);                          \
      _Pragma("GCC unroll 9") for (int k = 0; k < 9; ++k) {                                                                 \
        v0 = prefix##_fmadd_ps(v0, a, b), v1 = prefix##_fmadd_ps(v1, a, b);                                                 \
        v2 = prefix##_fmadd_ps(v2, a, b), v3 = prefix##_fmadd_ps(v3, a, b);                                                 \
      }                                                                                                                     \
      _Pragma("GCC unroll 3") for (int k = 0; k < 3; ++k) {                                                                 \
        v0 = prefix##_add_ps(v0, b), v1 = prefix##_add_ps(v1, b), v2 = prefix##_add_ps(v2, b), v3 = prefix##_add_ps(v3, b); \
      }                                                                                                                     \
      prefix##_storeu_ps(y + i, v0), prefix##_storeu_ps(y + i + lanes, v1);                                                 \
      prefix##_storeu_ps(y + i + 2 * lanes, v2), prefix##_storeu_ps(y + i + 3 * lanes, v3);                                 \
    }                                                                                                                       \
  }

ACTINIDE_BOUNDS(avx2, "avx2,fma", 8, __m256, _mm256)
ACTINIDE_BOUNDS(avx512, "avx512f", 16, __m512, _mm512)

}  // namespace actinide::benchmark
