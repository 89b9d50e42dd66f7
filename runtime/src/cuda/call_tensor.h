// What stands between a function for DLPack tensors on a device and the typed CUDA functions.
#pragma once

#include "../tensor.h"
#include "driver.h"

namespace actinide::cuda {

using detail::ElementType;
using detail::Tensors;

/// Memory that was allocated for devices.
inline bool is_of_device(DLDevice device) noexcept { return device.device_type == kDLCUDA || device.device_type == kDLCUDAManaged; }

/// `contiguous` calls the typed function. Managed and pinned memory is reached by all devices, and one device's by that alone.
template <typename Contiguous>
inline actinide_status call_tensor(Contiguous contiguous, const DLTensor* x, const DLTensor* y) noexcept {
  if (driver() == nullptr) return ACTINIDE_UNSUPPORTED;
  if (x == nullptr || y == nullptr) return ACTINIDE_NULL_POINTER;
  const auto is_served = [](DLDevice device) { return is_of_device(device) || device.device_type == kDLCUDAHost; };
  if (!is_served(x->device) || !is_served(y->device)) return ACTINIDE_DEVICE;
  const bool are_of_devices = x->device.device_type == kDLCUDA && y->device.device_type == kDLCUDA;
  if (are_of_devices && x->device.device_id != y->device.device_id) return ACTINIDE_DEVICE;
  Tensors tensors;
  const actinide_status status = detail::describe(*x, *y, tensors);
  if (status != ACTINIDE_OK) return status;
  if (!tensors.is_contiguous) return ACTINIDE_LAYOUT;
  return contiguous(tensors);
}

}  // namespace actinide::cuda
