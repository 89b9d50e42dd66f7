// How a kernel is given its tensors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "HalideRuntime.h"

namespace actinide::detail {

/// Halide's description of a tensor, under a name of ours: no symbol of the archive names Halide.
struct Buffer : halide_buffer_t {};

/// x and y as a kernel wants them. It reads the pointers and the extent and nothing else; filling in the rest would cost as much as a short
/// tensor's kernel.
struct Arguments {
  Arguments(const void* in, void* out, std::size_t n) noexcept {
    dimension.extent = static_cast<std::int32_t>(n);
    x.dim = &dimension;
    y.dim = &dimension;
    set(in, out);
  }

  void set(const void* in, void* out) noexcept {
    x.host = const_cast<std::uint8_t*>(static_cast<const std::uint8_t*>(in));
    y.host = static_cast<std::uint8_t*>(out);
  }

  // In unions, so that Halide's constructors do not fill them with zeros.
  union {
    halide_dimension_t dimension;
  };
  union {
    Buffer x;
  };
  union {
    Buffer y;
  };
};

}  // namespace actinide::detail
