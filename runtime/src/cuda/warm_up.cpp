#include <actinide/cuda/core.h>

#include "context.h"
#include "module.h"

using actinide::cuda::Module;

// Where the section of ACTINIDE_CUDA_MODULE begins and ends, named by the linker. Null in a program that calls no operator.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
[[gnu::weak, gnu::visibility("hidden")]] extern Module __start_actinide_cuda_modules[];
[[gnu::weak, gnu::visibility("hidden")]] extern Module __stop_actinide_cuda_modules[];
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace actinide::cuda {

namespace {

/// Loads the kernels of a library into the current context, as far as the driver lets them be loaded before they are launched.
Result load_kernels(const Driver& d, Library* library) noexcept {
  void* module = nullptr;
  Result result = d.cuLibraryGetModule(&module, library);
  if (d.cuLibraryGetKernelCount == nullptr || d.cuLibraryEnumerateKernels == nullptr || d.cuFuncLoad == nullptr) return result;
  Kernel* kernels[16];
  unsigned count = 0;
  if (result == success) result = d.cuLibraryGetKernelCount(&count, library);
  count = count < 16 ? count : 16;
  if (result == success) result = d.cuLibraryEnumerateKernels(kernels, count, library);
  for (unsigned i = 0; i < count && result == success; ++i) {
    Function* function = nullptr;
    result = d.cuKernelGetFunction(&function, kernels[i]);
    if (result == success) result = d.cuFuncLoad(function);
  }
  return result;
}

}  // namespace

}  // namespace actinide::cuda

actinide_status actinide_cuda_warm_up(void) noexcept {
  using namespace actinide::cuda;
  const Driver* const d = driver();
  if (d == nullptr) return ACTINIDE_UNSUPPORTED;
  const ContextOfCall context(*d, nullptr);
  if (context.status() != ACTINIDE_OK) return context.status();
  for (Module* module = __start_actinide_cuda_modules; module != __stop_actinide_cuda_modules; ++module) {
    actinide_status status = load(*d, *module);
    if (status == ACTINIDE_OK) status = status_of(load_kernels(*d, module->library.load(std::memory_order_acquire)));
    if (status != ACTINIDE_OK) return status;
  }
  return ACTINIDE_OK;
}
