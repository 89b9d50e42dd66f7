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

actinide_status actinide_cuda_warm_up(void) noexcept {
  using namespace actinide::cuda;
  const Driver* const d = driver();
  if (d == nullptr) return ACTINIDE_UNSUPPORTED;
  const ContextOfCall context(*d, nullptr);
  if (context.status() != ACTINIDE_OK) return context.status();
  for (Module* module = __start_actinide_cuda_modules; module != __stop_actinide_cuda_modules; ++module) {
    actinide_status status = load(*d, *module);
    void* in_context = nullptr;
    if (status == ACTINIDE_OK) {
      status = status_of(d->cuLibraryGetModule(&in_context, module->library.load(std::memory_order_acquire)));
    }
    if (status != ACTINIDE_OK) return status;
  }
  return ACTINIDE_OK;
}
