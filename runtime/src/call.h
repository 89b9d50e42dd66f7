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

/// A kernel reads host, dim and extent of a buffer and nothing else.
inline void describe(halide_buffer_t& buffer, halide_dimension_t& dimension, const void* data, std::size_t n) noexcept {
  dimension.min = 0;
  dimension.extent = static_cast<std::int32_t>(n);
  dimension.stride = 1;
  buffer.host = const_cast<std::uint8_t*>(static_cast<const std::uint8_t*>(data));
  buffer.dim = &dimension;
}

template <typename Kernel, std::size_t targets, typename T, typename... Attributes>
inline actinide_status call(const Kernel (&kernels)[targets], const T* x, T* y, std::size_t n, Attributes... attributes) noexcept {
  const int target = active_target_index();
  if (target < 0) [[unlikely]]
    return ACTINIDE_UNSUPPORTED;
  if (n == 0) return ACTINIDE_OK;
  if (x == nullptr || y == nullptr) [[unlikely]]
    return ACTINIDE_NULL_POINTER;
  const auto from = reinterpret_cast<std::uintptr_t>(x);
  const auto to = reinterpret_cast<std::uintptr_t>(y);
  if (n > (UINTPTR_MAX - (from > to ? from : to)) / sizeof(T)) [[unlikely]]
    return ACTINIDE_SIZE_MISMATCH;
  if (from != to && (from > to ? from - to : to - from) < n * sizeof(T)) [[unlikely]]
    return ACTINIDE_OVERLAP;

  const Kernel kernel = kernels[target];
  halide_buffer_t in, out;  // the fields that kernels read are set below; clearing the rest would cost as much as a short kernel
  halide_dimension_t in_dimension, out_dimension;
  do {
    const std::size_t piece = n < max_kernel_elements ? n : max_kernel_elements;
    describe(in, in_dimension, x, piece);
    describe(out, out_dimension, y, piece);
    kernel(&in, attributes..., &out);
    x += piece;
    y += piece;
    n -= piece;
  } while (n != 0);
  return ACTINIDE_OK;
}

}  // namespace actinide::detail
