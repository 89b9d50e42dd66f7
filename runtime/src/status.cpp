#include <actinide/core.h>

const char* actinide_version(void) noexcept { return ACTINIDE_VERSION; }

const char* actinide_status_string(actinide_status status) noexcept {
  switch (status) {
    case ACTINIDE_OK: return "success";
    case ACTINIDE_NULL_POINTER: return "a tensor's pointer is null";
    case ACTINIDE_SIZE_MISMATCH: return "the tensors differ in size, or one does not fit into the address space";
    case ACTINIDE_OVERLAP: return "the tensors overlap and are not the same";
    case ACTINIDE_ELEMENT_TYPE: return "the element type is not one that the operator has";
    case ACTINIDE_DEVICE: return "the memory is on a device that the function does not serve, or there is no CUDA context";
    case ACTINIDE_LAYOUT: return "the shape, the strides or the alignment are not ones that the function serves";
    case ACTINIDE_UNSUPPORTED: return "no usable target: see actinide_active_target_reason() or actinide_cuda_reason()";
    case ACTINIDE_LAUNCH_FAILED: return "the device's driver refused the call, or an earlier one has failed on the device";
    case ACTINIDE_EXECUTOR_FAILED: return "the executor is incomplete, reported a failure, or left out a task";
    case ACTINIDE_READ_ONLY: return "the tensor for the results may not be written";
  }
  return "unknown status";
}
