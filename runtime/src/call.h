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

template <typename Kernel, typename... Attributes>
inline void run_in_pieces(Kernel kernel, const void* x, void* y, std::size_t n, std::size_t element_size,
                          Attributes... attributes) noexcept {
  auto from = static_cast<const std::byte*>(x);
  auto to = static_cast<std::byte*>(y);
  while (n != 0) {
    const std::size_t piece = n < max_kernel_elements ? n : max_kernel_elements;
    Arguments arguments(from, to, piece);
    kernel(&arguments.x, attributes..., &arguments.y);
    from += piece * element_size;
    to += piece * element_size;
    n -= piece;
  }
}

/// Any n elements, or a part of a call: `stream` is what choose_stream() says of the whole call.
template <bool may_stream, typename Kernel, typename T, typename... Attributes>
inline void run(Kernel kernel, Stream stream, const T* x, T* y, std::size_t n, Attributes... attributes) noexcept {
  if constexpr (may_stream) {
    if (stream != nullptr) return run_streamed(kernel, stream, x, y, n, attributes...);
  }
  run_in_pieces(kernel, x, y, n, sizeof(T), attributes...);
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

/// What can be said before a kernel is chosen; `target` may be no_target.
template <typename T>
inline actinide_status check(int target, const T* x, const T* y, std::size_t n) noexcept {
  if (target < 0) return ACTINIDE_UNSUPPORTED;
  return n == 0 ? ACTINIDE_OK : validate(x, y, n);
}

/// Calls of up to so many elements are neither divided nor streamed.
template <bool may_stream, typename T>
constexpr std::size_t max_direct_elements = may_stream ? min_streamed_bytes / sizeof(T) - 1 : max_kernel_elements;

/// Whatever is not as usual: no choice of a target yet, no elements or many, an error.
template <bool may_stream, typename Kernel, std::size_t targets, typename T, typename... Attributes>
[[gnu::noinline, gnu::cold]] static actinide_status call_unusual(const Kernel (&kernels)[targets], const Stream (&streams)[targets],
                                                                 const T* x, T* y, std::size_t n, Attributes... attributes) noexcept {
  const int target = active_target_index();
  const actinide_status status = check(target, x, y, n);
  if (status != ACTINIDE_OK || n == 0) return status;
  run<may_stream>(kernels[target], choose_stream<may_stream>(streams[target], x, y, n), x, y, n, attributes...);
  return ACTINIDE_OK;
}

/// Is validate() content with up to max_direct_elements? In fewer instructions.
template <typename T>
inline bool is_valid(const T* x, const T* y, std::size_t n) noexcept {
  if (n > max_unchecked_elements) return validate(x, y, n) == ACTINIDE_OK;
  const std::size_t bytes = n * sizeof(T);
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(y) - reinterpret_cast<std::uintptr_t>(x);
  const bool is_apart = distance + (bytes - 1) >= 2 * bytes - 1;  // it is neither above -bytes nor below bytes
  return x != nullptr && y != nullptr && (is_apart || distance == 0);
}

/// One kernel for each target, and how it is streamed; null where it never is. `may_stream`: one of them is.
template <bool may_stream, typename Kernel, std::size_t targets, typename T, typename... Attributes>
inline actinide_status call(const Kernel (&kernels)[targets], const Stream (&streams)[targets], const T* x, T* y, std::size_t n,
                            Attributes... attributes) noexcept {
  // Short tensors take as long as the instructions before the kernel.
  const std::int32_t choice = active_choice.load(std::memory_order_relaxed);
  const bool is_usual = choice >= 0 && n - 1 < max_direct_elements<may_stream, T> && is_valid(x, y, n);
  if (!is_usual) [[unlikely]]
    return call_unusual<may_stream>(kernels, streams, x, y, n, attributes...);
  Arguments arguments(x, y, n);
  kernels[target_of(choice)](&arguments.x, attributes..., &arguments.y);
  return ACTINIDE_OK;
}

}  // namespace actinide::detail
