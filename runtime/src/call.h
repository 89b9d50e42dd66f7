// What stands between a typed function and its kernel: validation, the choice of the target, splitting, streaming.
#pragma once

#include <actinide/core.h>

#include <cstddef>
#include <cstdint>

#include "arguments.h"
#include "dispatch.h"
#include "stream.h"

namespace actinide::detail {

/// Halide's dimensions are 32-bit: longer tensors are handed over in pieces of this many elements.
constexpr std::size_t max_kernel_elements = std::size_t{1} << 30;

/// Tensors of up to so many elements end before 64-bit addresses do; with 32-bit ones none is short enough to go unchecked.
constexpr std::size_t max_unchecked_elements = sizeof(std::uintptr_t) == 8 ? max_kernel_elements : 0;

template <typename Kernel, typename T, typename... Attributes>
inline void run_in_pieces(Kernel kernel, const T* x, T* y, std::size_t n, Attributes... attributes) noexcept {
  while (n != 0) {
    const std::size_t piece = n < max_kernel_elements ? n : max_kernel_elements;
    Arguments arguments(x, y, piece);
    kernel(&arguments.x, attributes..., &arguments.y);
    x += piece;
    y += piece;
    n -= piece;
  }
}

/// Any n elements, or a part of a call: `stream` is what choose_stream() says of the whole call.
template <bool may_stream, typename Kernel, typename T, typename... Attributes>
inline void run(Kernel kernel, Stream stream, const T* x, T* y, std::size_t n, Attributes... attributes) noexcept {
  if constexpr (may_stream) {
    if (stream != nullptr) return run_streamed(kernel, stream, x, y, n, attributes...);
  }
  run_in_pieces(kernel, x, y, n, attributes...);
}

/// What can be said of n > 0 elements without looking at them.
template <typename T>
inline actinide_status validate(const T* x, const T* y, std::size_t n) noexcept {
  if (x == nullptr || y == nullptr) [[unlikely]]
    return ACTINIDE_NULL_POINTER;
  const auto from = reinterpret_cast<std::uintptr_t>(x);
  const auto to = reinterpret_cast<std::uintptr_t>(y);
  if (n > max_unchecked_elements) [[unlikely]] {
    if (n > (UINTPTR_MAX - (from > to ? from : to)) / sizeof(T)) return ACTINIDE_SIZE_MISMATCH;
  }
  if (from != to && (from > to ? from - to : to - from) < n * sizeof(T)) [[unlikely]]
    return ACTINIDE_OVERLAP;
  return ACTINIDE_OK;
}

/// Calls of up to so many elements are neither divided nor streamed.
template <bool may_stream, typename T>
constexpr std::size_t max_direct_elements = may_stream ? min_streamed_bytes / sizeof(T) - 1 : max_kernel_elements;

template <bool may_stream, typename Kernel, typename T, typename... Attributes>
[[gnu::noinline, gnu::cold]] static actinide_status call_large(Kernel kernel, Stream stream, const T* x, T* y, std::size_t n,
                                                               Attributes... attributes) noexcept {
  const actinide_status invalid = validate(x, y, n);
  if (invalid != ACTINIDE_OK) return invalid;
  run<may_stream>(kernel, choose_stream<may_stream>(stream, x, y, n), x, y, n, attributes...);
  return ACTINIDE_OK;
}

/// One kernel for each target, and how it is streamed; null where it never is. `may_stream`: one of them is.
template <bool may_stream, typename Kernel, std::size_t targets, typename T, typename... Attributes>
inline actinide_status call(const Kernel (&kernels)[targets], const Stream (&streams)[targets], const T* x, T* y, std::size_t n,
                            Attributes... attributes) noexcept {
  const int target = active_target_index();
  if (target < 0) [[unlikely]]
    return ACTINIDE_UNSUPPORTED;
  if (n == 0) [[unlikely]]
    return ACTINIDE_OK;
  if (n > max_direct_elements<may_stream, T>) [[unlikely]]
    return call_large<may_stream>(kernels[target], streams[target], x, y, n, attributes...);
  const actinide_status invalid = validate(x, y, n);
  if (invalid != ACTINIDE_OK) [[unlikely]]
    return invalid;
  Arguments arguments(x, y, n);
  kernels[target](&arguments.x, attributes..., &arguments.y);
  return ACTINIDE_OK;
}

}  // namespace actinide::detail
