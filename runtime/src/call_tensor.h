// What stands between a function for DLPack tensors and its kernels.
#pragma once

#include "call.h"
#include "tensor.h"

namespace actinide::detail {

/// Tensors that are not compact and row-major. `contiguous`: see call_tensor.
template <typename Kernel, std::size_t targets, typename Contiguous, typename... Attributes>
[[gnu::noinline]] static actinide_status call_strided(const Kernel (&kernels)[targets], int target, Contiguous contiguous,
                                                      const DLTensor& x, const DLTensor& y, Tensors& tensors,
                                                      Attributes... attributes) noexcept {
  Layout layout;
  const actinide_status status = lay_out(x, y, tensors, layout);
  if (status != ACTINIDE_OK) return status;
  if (layout.is_contiguous()) {
    tensors.x = layout.x;
    tensors.y = layout.y;
    return contiguous(tensors, attributes...);
  }
  // One target for all rows, whatever other threads force meanwhile.
  const auto run = [&](const void* in, void* out, std::size_t n) noexcept {
    run_in_pieces(kernels[target], in, out, n, tensors.element_size, attributes...);
  };
  const Run by_pointer = [](const void* context, const void* in, void* out, std::size_t n) noexcept {
    (*static_cast<decltype(&run)>(context))(in, out, n);
  };
  walk(layout, tensors.element_size, by_pointer, &run);
  return ACTINIDE_OK;
}

/// One row of kernels for each element type, null where the operator does not have it. `contiguous` calls the typed function.
template <typename Kernel, std::size_t types, std::size_t targets, typename Contiguous, typename... Attributes>
inline actinide_status call_tensor(const Kernel (&kernels)[types][targets], Contiguous contiguous, const DLTensor* x, const DLTensor* y,
                                   Attributes... attributes) noexcept {
  const int target = active_target_index();
  if (target < 0) return ACTINIDE_UNSUPPORTED;
  if (x == nullptr || y == nullptr) return ACTINIDE_NULL_POINTER;
  if (!is_host(x->device) || !is_host(y->device)) return ACTINIDE_DEVICE;
  Tensors tensors;
  const actinide_status status = describe(*x, *y, tensors);
  if (status != ACTINIDE_OK) return status;
  const auto& of_type = kernels[static_cast<std::size_t>(tensors.type)];
  if (of_type[0] == nullptr) return ACTINIDE_ELEMENT_TYPE;
  if (tensors.is_contiguous) [[likely]]
    return contiguous(tensors, attributes...);
  return call_strided(of_type, target, contiguous, *x, *y, tensors, attributes...);
}

}  // namespace actinide::detail
