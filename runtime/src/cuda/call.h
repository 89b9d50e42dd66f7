// What stands between a typed CUDA function and its kernel objects: validation, the context, the choice of the object, splitting.
#pragma once

#include "../call.h"
#include "context.h"
#include "module.h"

namespace actinide::cuda {

using detail::Buffer;

/// `aligned` is the kernel object for tensors on 16-byte boundaries, `any` that for others: (user_context, x, attributes..., y).
template <typename KernelFunction, typename T, typename... Attributes>
inline actinide_status call(KernelFunction aligned, Module& aligned_module, KernelFunction any, Module& any_module, const T* x, T* y,
                            std::size_t n, void* stream, Attributes... attributes) noexcept {
  const Driver* const d = driver();
  if (d == nullptr) [[unlikely]]
    return ACTINIDE_UNSUPPORTED;
  if (n == 0) [[unlikely]]
    return ACTINIDE_OK;
  const actinide_status invalid = detail::validate(x, y, n);
  if (invalid != ACTINIDE_OK) [[unlikely]]
    return invalid;
  if ((reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % sizeof(T) != 0) [[unlikely]]
    return ACTINIDE_LAYOUT;

  const ContextOfCall context(*d, static_cast<Stream*>(stream));
  if (context.status() != ACTINIDE_OK) [[unlikely]]
    return context.status();
  std::uint64_t from = 0;
  actinide_status found = context.find(x, from);
  std::uint64_t to = from;
  if (found == ACTINIDE_OK && y != x) found = context.find(y, to);
  if (found != ACTINIDE_OK) [[unlikely]]
    return found;

  const bool is_aligned = (from | to) % 16 == 0;
  Call state{*d, is_aligned ? aligned_module : any_module, static_cast<Stream*>(stream)};
  const KernelFunction kernel = is_aligned ? aligned : any;
  // Pieces of 2^30 elements leave the alignment as it is.
  while (n != 0 && state.status == ACTINIDE_OK) {
    const std::size_t piece = n < detail::max_kernel_elements ? n : detail::max_kernel_elements;
    detail::Arguments arguments(nullptr, nullptr, piece);
    arguments.x.device = from;
    arguments.y.device = to;
    kernel(&state, &arguments.x, attributes..., &arguments.y);
    from += piece * sizeof(T);
    to += piece * sizeof(T);
    n -= piece;
  }
  return state.status;
}

}  // namespace actinide::cuda
