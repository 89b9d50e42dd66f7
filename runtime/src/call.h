// What stands between a typed function and its kernel: validation, the choice of the target, splitting.
#pragma once

#include <actinide/core.h>

#include <cstddef>
#include <cstdint>

#include "HalideRuntime.h"
#include "dispatch.h"

namespace actinide::detail {

/// Halide's dimensions are 32-bit: longer tensors are handed over in pieces of this many elements.
constexpr std::size_t max_kernel_elements = std::size_t{1} << 30;

/// Tensors of up to so many elements end before 64-bit addresses do; with 32-bit ones none is short enough to go unchecked.
constexpr std::size_t max_unchecked_elements = sizeof(std::uintptr_t) == 8 ? max_kernel_elements : 0;

/// Halide's description of a tensor, under a name of ours: no symbol of the archive names Halide.
struct Buffer : halide_buffer_t {};

/// x and y as a kernel wants them. It reads the pointers and the extent and nothing else; filling in the rest would cost as much as a short
/// tensor's kernel.
struct Arguments {
  Arguments(const void* in, void* out, std::size_t n) noexcept {
    dimension.extent = static_cast<std::int32_t>(n);
    x.host = const_cast<std::uint8_t*>(static_cast<const std::uint8_t*>(in));
    x.dim = &dimension;
    y.host = static_cast<std::uint8_t*>(out);
    y.dim = &dimension;
  }

  halide_dimension_t dimension;
  Buffer x, y;
};

template <typename Kernel, typename T, typename... Attributes>
[[gnu::noinline, gnu::cold]] static void call_in_pieces(Kernel kernel, const T* x, T* y, std::size_t n, Attributes... attributes) noexcept {
  while (n != 0) {
    const std::size_t piece = n < max_kernel_elements ? n : max_kernel_elements;
    Arguments arguments(x, y, piece);
    kernel(&arguments.x, attributes..., &arguments.y);
    x += piece;
    y += piece;
    n -= piece;
  }
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

template <typename Kernel, std::size_t targets, typename T, typename... Attributes>
inline actinide_status call(const Kernel (&kernels)[targets], const T* x, T* y, std::size_t n, Attributes... attributes) noexcept {
  const int target = active_target_index();
  if (target < 0) [[unlikely]]
    return ACTINIDE_UNSUPPORTED;
  if (n == 0) [[unlikely]]
    return ACTINIDE_OK;
  const actinide_status invalid = validate(x, y, n);
  if (invalid != ACTINIDE_OK) [[unlikely]]
    return invalid;
  if (n > max_kernel_elements) [[unlikely]] {
    call_in_pieces(kernels[target], x, y, n, attributes...);
    return ACTINIDE_OK;
  }
  Arguments arguments(x, y, n);
  kernels[target](&arguments.x, attributes..., &arguments.y);
  return ACTINIDE_OK;
}

}  // namespace actinide::detail
