/* Actinide on CUDA: the whole C API. Its library is libactinide_cuda.a. */
#ifndef ACTINIDE_CUDA_H
#define ACTINIDE_CUDA_H

#include <actinide/cuda/core.h>
#include <actinide/cuda/operators.h>

#endif
