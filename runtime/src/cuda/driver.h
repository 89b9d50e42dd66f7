// The part of CUDA's driver interface that is used. libcuda is opened at the first call, never linked: a program runs without it.
//
// Declared here, as in cuda.h 12.0, so that the build needs no CUDA toolkit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace actinide::cuda {

using Result = int;  // CUresult
using Device = int;  // CUdevice
struct Context;      // CUctx_st
struct Stream;       // CUstream_st
struct Library;      // CUlib_st: device code of no context in particular
struct Kernel;       // CUkern_st
struct Function;     // CUfunc_st: a kernel in a context

constexpr Result success = 0, invalid_value = 1;
/// What the driver says of code that it or a device cannot use: an invalid image, no binary for the GPU, invalid PTX, no compiler for PTX,
/// PTX too new for it, no compiling allowed, an invalid source.
constexpr bool says_code_does_not_fit(Result r) noexcept {
  return r == 200 || r == 209 || r == 218 || r == 221 || r == 222 || r == 223 || r == 300;
}

/// CU_POINTER_ATTRIBUTE_MEMORY_TYPE, and ..._DEVICE_POINTER: the address under which the current context can access a pointer.
constexpr int attribute_memory_type = 2, attribute_device_pointer = 3;
/// CU_DEVICE_ATTRIBUTE_...
constexpr int attribute_capability_major = 75, attribute_capability_minor = 76, attribute_pageable_memory_access = 88;

// clang-format off
#define ACTINIDE_CUDA_DRIVER(FUNCTION)                                                                                              \
  FUNCTION(cuInit, (unsigned))                                                                                                      \
  FUNCTION(cuDeviceGetCount, (int*))                                                                                                \
  FUNCTION(cuDeviceGet, (Device*, int))                                                                                             \
  FUNCTION(cuDeviceGetAttribute, (int*, int, Device))                                                                               \
  FUNCTION(cuDevicePrimaryCtxGetState, (Device, unsigned*, int*))                                                                   \
  FUNCTION(cuDevicePrimaryCtxRetain, (Context**, Device))                                                                           \
  FUNCTION(cuDevicePrimaryCtxRelease_v2, (Device))                                                                                  \
  FUNCTION(cuCtxGetCurrent, (Context**))                                                                                            \
  FUNCTION(cuCtxGetDevice, (Device*))                                                                                               \
  FUNCTION(cuCtxPushCurrent_v2, (Context*))                                                                                         \
  FUNCTION(cuCtxPopCurrent_v2, (Context**))                                                                                         \
  FUNCTION(cuStreamGetCtx, (Stream*, Context**))                                                                                    \
  FUNCTION(cuPointerGetAttribute, (void*, int, std::uintptr_t))                                                                     \
  FUNCTION(cuLibraryLoadData, (Library**, const void*, void*, void*, unsigned, void*, void*, unsigned))                             \
  FUNCTION(cuLibraryGetKernel, (Kernel**, Library*, const char*))                                                                   \
  FUNCTION(cuLibraryGetModule, (void**, Library*))                                                                                  \
  FUNCTION(cuKernelGetFunction, (Function**, Kernel*))                                                                              \
  FUNCTION(cuLaunchKernel, (Kernel*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream*, void**, void**))

/// What CUDA 12.4 added; null in an older driver.
#define ACTINIDE_CUDA_NEWER_DRIVER(FUNCTION)                       \
  FUNCTION(cuLibraryGetKernelCount, (unsigned*, Library*))         \
  FUNCTION(cuLibraryEnumerateKernels, (Kernel**, unsigned, Library*)) \
  FUNCTION(cuFuncLoad, (Function*))
// clang-format on

/// The driver's functions.
struct Driver {
#define ACTINIDE_FUNCTION(name, parameters) Result(*name) parameters;
  ACTINIDE_CUDA_DRIVER(ACTINIDE_FUNCTION)
  ACTINIDE_CUDA_NEWER_DRIVER(ACTINIDE_FUNCTION)
#undef ACTINIDE_FUNCTION
};

/// Null where CUDA cannot be used; actinide_cuda_reason() says why. Opens the driver at the first call.
[[gnu::visibility("hidden")]] const Driver* driver() noexcept;

}  // namespace actinide::cuda
