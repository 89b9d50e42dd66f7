// A functions header (tools/operator_table.h): the list on OpenCL, by kernels that work on the caller's own memory.
//
// Only PoCL's devices are used. They are the CPU, and a buffer around memory of the program is that memory: a guard page beside it catches
// what a kernel does outside it, as OpenclMemory.KernelsMeetTheGuardPages in tests/opencl shows.
#pragma once

#include <actinide/core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "call.h"

extern "C" {
#define ARGUMENTS(...) __VA_ARGS__
#define ACTINIDE_KERNEL(operator_, type_, c_type, target, types, values)                                            \
  int actinide_k_##operator_##_##type_##_opencl(void*, actinide::detail::Buffer* types, actinide::detail::Buffer*); \
  int actinide_k_##operator_##_##type_##_opencl_any(void*, actinide::detail::Buffer* types, actinide::detail::Buffer*);
#include "kernel_table.inc"
#undef ACTINIDE_KERNEL
#undef ARGUMENTS
}

#define ACTINIDE_FUNCTION_OF(operator_, type_) \
  actinide::test::OpenclFunction { actinide_k_##operator_##_##type_##_opencl, actinide_k_##operator_##_##type_##_opencl_any }

// What tools/case_folder.cpp says it ran on.
#define actinide_active_target() "opencl"
#define actinide_active_target_reason() actinide::test::why_no_opencl()

namespace actinide::test {

/// Null if there is PoCL, else why it cannot be used.
const char* why_no_opencl();

/// x and y of one call as kernels want them, around the caller's memory.
class OpenclTensors {
 public:
  OpenclTensors(const void* x, void* y, std::size_t n, std::size_t element_size);
  ~OpenclTensors();
  OpenclTensors(const OpenclTensors&) = delete;
  OpenclTensors& operator=(const OpenclTensors&) = delete;

  /// Waits for what was queued.
  bool finish() const;

  detail::Arguments arguments;

 private:
  void* buffers_[2] = {};
};

/// The function over a pair of kernel objects: `aligned` for tensors on 16-byte boundaries, `any` for others.
template <typename Kernel>
struct OpenclFunction {
  Kernel aligned, any;

  template <typename T, typename... Attributes>
  actinide_status operator()(const T* x, T* y, std::size_t n, Attributes... attributes) const {
    if (why_no_opencl() != nullptr) return ACTINIDE_UNSUPPORTED;
    if (n == 0) return ACTINIDE_OK;
    const actinide_status invalid = detail::validate(x, y, n);
    if (invalid != ACTINIDE_OK) return invalid;
    const bool is_aligned = (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % 16 == 0;
    OpenclTensors tensors(x, y, n, sizeof(T));
    (is_aligned ? aligned : any)(nullptr, &tensors.arguments.x, attributes..., &tensors.arguments.y);
    return tensors.finish() ? ACTINIDE_OK : ACTINIDE_LAUNCH_FAILED;
  }
};

template <typename Kernel>
OpenclFunction(Kernel, Kernel) -> OpenclFunction<Kernel>;

inline std::vector<std::string> built_targets() { return {"opencl"}; }

/// False, and a line that says why, if there is no PoCL.
bool use_target(const char* name);

}  // namespace actinide::test
