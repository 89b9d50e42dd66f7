// Loops that do no more than a kernel must: what the kernels are measured against, beside the copies among the peers.
#pragma once

#include <cstddef>

namespace actinide::benchmark {

/// 9 multiply-class operations and 3 additions a vector of float32, every one independent of the next vector's: the arithmetic of Elu at
/// alpha 1 without its clamp, shift and selection.
void arithmetic_avx2(const float* x, float* y, std::size_t n);
void arithmetic_avx512(const float* x, float* y, std::size_t n);

}  // namespace actinide::benchmark
