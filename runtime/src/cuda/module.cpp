// The three functions that Halide's kernel objects call. In those objects they have names of ours: Halide's CUDA runtime, which would bring
// contexts, allocations and an error handler of its own, is not part of the library.
#include "module.h"

#include "HalideRuntime.h"
#include "lock.h"

namespace actinide::cuda {

namespace {

/// The kernel of that name. Null, with the driver's word in `result`, if there is none.
Kernel* find_kernel(const Driver& driver, Module& module, const char* name, Result& result) noexcept {
  Kernel* kernel = nullptr;
  Entry* free_entry = nullptr;
  for (Entry& entry : module.entries) {
    const char* const known = entry.name.load(std::memory_order_acquire);
    if (known == name) {
      kernel = entry.kernel.load(std::memory_order_acquire);
      if (kernel != nullptr) return kernel;
      break;
    }
    if (known == nullptr) {
      free_entry = &entry;
      break;
    }
  }
  result = driver.cuLibraryGetKernel(&kernel, module.library.load(std::memory_order_acquire), name);
  if (result != success) return nullptr;
  const char* expected = nullptr;
  if (free_entry != nullptr && free_entry->name.compare_exchange_strong(expected, name)) {
    free_entry->kernel.store(kernel, std::memory_order_release);
  }
  return kernel;
}

}  // namespace

actinide_status load(const Driver& driver, Module& module) noexcept {
  if (module.library.load(std::memory_order_acquire) != nullptr) [[likely]]
    return ACTINIDE_OK;
  const Lock lock;
  if (module.library.load(std::memory_order_relaxed) != nullptr) return ACTINIDE_OK;
  Library* library = nullptr;
  const Result result = driver.cuLibraryLoadData(&library, module.image, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result == success) module.library.store(library, std::memory_order_release);
  return status_of(result);
}

}  // namespace actinide::cuda

extern "C" {

// The kernel object brings its PTX as `source`; the module's image has it, too, and more.
[[gnu::visibility("hidden")]] int actinide_cuda_initialize_kernels(void* user_context, void** /*state*/, const char* /*source*/,
                                                                   int /*size*/) {
  auto& call = *static_cast<actinide::cuda::Call*>(user_context);
  call.status = load(call.driver, call.module);
  return call.status;
}

// Of a tensor the kernel takes the device address, with which its description begins: the arguments are the parameters as they are.
static_assert(offsetof(halide_buffer_t, device) == 0);

[[gnu::visibility("hidden")]] int actinide_cuda_run(void* user_context, void* /*state*/, const char* entry, int blocks_x, int blocks_y,
                                                    int blocks_z, int threads_x, int threads_y, int threads_z, int shared_bytes,
                                                    std::size_t* /*sizes*/, void* arguments[], std::int8_t* /*is_buffer*/) {
  using namespace actinide::cuda;
  auto& call = *static_cast<Call*>(user_context);
  // The objects are built without assertions, so a failure before does not keep them from coming here.
  if (call.status != ACTINIDE_OK) return call.status;

  Result result = success;
  Kernel* kernel = find_kernel(call.driver, call.module, entry, result);
  if (kernel != nullptr) {
    const auto number = [](int n) { return static_cast<unsigned>(n); };
    result = call.driver.cuLaunchKernel(kernel, number(blocks_x), number(blocks_y), number(blocks_z), number(threads_x), number(threads_y),
                                        number(threads_z), number(shared_bytes), call.stream, arguments, nullptr);
  }
  return call.status = status_of(result);
}

// The device code stays for the next call.
[[gnu::visibility("hidden")]] void actinide_cuda_finalize_kernels(void* /*user_context*/, void* /*state*/) {}

}  // extern "C"
