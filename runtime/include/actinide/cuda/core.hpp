// Actinide on CUDA, C++20 API: streams, and what is there.
#pragma once

#include <actinide/core.hpp>
#include <actinide/cuda/core.h>

namespace actinide {

/// A CUDA stream: a cudaStream_t or CUstream, or a null pointer, which is the default stream. A function with one works on device memory.
struct cuda_stream {
  explicit cuda_stream(void* stream) noexcept : handle(stream) {}
  void* handle;
};

/// Are there a driver and a device that serve? If not, calls with a cuda_stream return status::unsupported.
inline bool cuda_available() noexcept { return actinide_cuda_available() != 0; }

/// Why, or why not.
inline const char* cuda_reason() noexcept { return actinide_cuda_reason(); }

/// Loads the device code of every function that the program links; see actinide_cuda_warm_up.
inline status cuda_warm_up() noexcept { return static_cast<status>(actinide_cuda_warm_up()); }

}  // namespace actinide
