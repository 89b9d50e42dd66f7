// FAKE_DRIVER_IS_OLD leaves out what came with CUDA 12.
#include "fake_driver.h"

#include <chrono>
#include <cstring>
#include <deque>
#include <thread>
#include <type_traits>

using actinide::test::DeviceCode;
using actinide::test::Entry;
using actinide::test::FakeDriver;
using actinide::test::Record;

namespace actinide::cuda {

struct Kernel {
  Library* library;
  const Entry* entry;
};

struct Library {
  const DeviceCode* code;
  std::deque<Kernel> kernels;
};

}  // namespace actinide::cuda

namespace {

using namespace actinide::cuda;

// CUresult
constexpr Result not_initialized = 3, invalid_device = 101, invalid_image = 200, invalid_context = 201, not_found = 500,
                 not_permitted = 800;

FakeDriver driver_;
thread_local Record record_;
std::atomic<bool> is_initialized{false};

Context* current() { return record_.current.empty() ? nullptr : record_.current.back(); }

/// In no order with anything else: ThreadSanitizer is to see what the library alone orders.
int add(std::atomic<int>& number, int change) { return number.fetch_add(change, std::memory_order_relaxed) + change; }

/// Other threads come to the same place.
void take_time() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

/// What every function begins with: anything but success is to be returned.
Result enter(const char* function) {
  if (driver_.remembers) record_.calls.emplace_back(function);
  const auto result = driver_.results.find(function);
  if (result != driver_.results.end()) return result->second;
  if (!is_initialized && std::strcmp(function, "cuInit") != 0) return not_initialized;
  return success;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

FakeDriver* actinide_fake_driver() { return &driver_; }
Record* actinide_fake_record() { return &record_; }

#define ENTER(function) \
  if (const Result entered = enter(function); entered != success) return entered
/// Where a call fails, what it was to find is no pointer, and not null.
#define ENTER_TO_FIND(function, result)                                                   \
  *result = reinterpret_cast<std::remove_pointer_t<decltype(result)>>(std::uintptr_t{1}); \
  ENTER(function)

Result cuInit(unsigned flags) {
  ENTER("cuInit");
  if (flags != 0) return invalid_value;
  add(driver_.starts, 1);
  take_time();
  is_initialized = true;
  return success;
}

Result cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount");
  *count = static_cast<int>(driver_.capabilities.size());
  return success;
}

Result cuDeviceGet(Device* device, int ordinal) {
  ENTER("cuDeviceGet");
  if (ordinal < 0 || ordinal >= static_cast<int>(driver_.capabilities.size())) return invalid_device;
  *device = ordinal;
  return success;
}

Result cuDeviceGetAttribute(int* value, int attribute, Device device) {
  ENTER("cuDeviceGetAttribute");
  if (device < 0 || device >= static_cast<int>(driver_.capabilities.size())) return invalid_device;
  const int capability = driver_.capabilities[static_cast<std::size_t>(device)];
  switch (attribute) {
    case attribute_capability_major: *value = capability / 10; return success;
    case attribute_capability_minor: *value = capability % 10; return success;
    case attribute_pageable_memory_access: *value = driver_.pageable_memory_access; return success;
    default: return invalid_value;
  }
}

Result cuDevicePrimaryCtxGetState(Device device, unsigned* flags, int* is_active) {
  ENTER("cuDevicePrimaryCtxGetState");
  *flags = 0;
  *is_active = device == 0 && driver_.has_primary_context;
  return success;
}

Result cuDevicePrimaryCtxRetain(Context** context, Device device) {
  ENTER_TO_FIND("cuDevicePrimaryCtxRetain", context);
  if (device != 0 || !driver_.has_primary_context) ++driver_.forbidden;  // would create it
  add(driver_.retained, 1);
  *context = &driver_.primary;
  return success;
}

Result cuDevicePrimaryCtxRelease_v2(Device device) {
  ENTER("cuDevicePrimaryCtxRelease_v2");
  if (device != 0 || add(driver_.retained, -1) < 0) ++driver_.forbidden;
  return success;
}

Result cuCtxGetCurrent(Context** context) {
  ENTER_TO_FIND("cuCtxGetCurrent", context);
  *context = current();
  return success;
}

Result cuCtxGetDevice(Device* device) {
  ENTER("cuCtxGetDevice");
  if (current() == nullptr) return invalid_context;
  *device = current()->device;
  return success;
}

Result cuCtxPushCurrent_v2(Context* context) {
  ENTER("cuCtxPushCurrent_v2");
  if (context == nullptr) return invalid_value;
  record_.current.push_back(context);
  return success;
}

Result cuCtxPopCurrent_v2(Context** context) {
  ENTER("cuCtxPopCurrent_v2");
  if (record_.current.empty()) {
    ++driver_.forbidden;
    return invalid_context;
  }
  *context = current();
  record_.current.pop_back();
  return success;
}

Result cuStreamGetCtx(Stream* stream, Context** context) {
  ENTER_TO_FIND("cuStreamGetCtx", context);
  if (reinterpret_cast<std::uintptr_t>(stream) <= 2) {  // the default streams are the current context's
    if (current() == nullptr) return invalid_context;
    *context = current();
  } else {
    *context = stream->context;
  }
  return success;
}

Result cuPointerGetAttribute(void* value, int attribute, std::uintptr_t pointer) {
  ENTER("cuPointerGetAttribute");
  if (current() == nullptr) return invalid_context;
  const std::uint64_t address = driver_.device_address(pointer);
  if (attribute == attribute_memory_type && (address != 0 || driver_.has_another_devices_memory)) {
    *static_cast<unsigned*>(value) = 2;  // CU_MEMORYTYPE_DEVICE
    return success;
  }
  if (attribute != attribute_device_pointer || address == 0) return invalid_value;
  std::memcpy(value, &address, sizeof(address));
  return success;
}

#ifndef FAKE_DRIVER_IS_OLD
Result cuLibraryLoadData(Library** library, const void* image, void* jit_options, void* jit_values, unsigned jit_count, void* options,
                         void* values, unsigned count) {
  add(driver_.loads, 1);
  ENTER_TO_FIND("cuLibraryLoadData", library);
  if (jit_options != nullptr || jit_values != nullptr || jit_count != 0 || options != nullptr || values != nullptr || count != 0) {
    return invalid_value;
  }
  take_time();
  const DeviceCode* code = actinide::test::find_device_code(image);
  if (code == nullptr) return invalid_image;
  *library = new Library{code, {}};  // as long as the process
  if (driver_.remembers) record_.loaded.push_back(code->kernel);
  for (const Entry& entry : code->entries) (*library)->kernels.push_back({*library, &entry});
  return success;
}

Result cuLibraryGetKernel(Kernel** kernel, Library* library, const char* name) {
  add(driver_.lookups, 1);
  ENTER_TO_FIND("cuLibraryGetKernel", kernel);
  for (Kernel& known : library->kernels) {
    if (known.entry->name != name) continue;
    *kernel = &known;
    return success;
  }
  return not_found;
}

Result cuLibraryGetModule(void** module, Library* library) {
  ENTER("cuLibraryGetModule");
  if (current() == nullptr) return invalid_context;
  *module = library;
  return success;
}

Result cuLibraryGetKernelCount(unsigned* count, Library* library) {
  ENTER("cuLibraryGetKernelCount");
  *count = static_cast<unsigned>(library->kernels.size());
  return success;
}

Result cuLibraryEnumerateKernels(Kernel** kernels, unsigned count, Library* library) {
  ENTER("cuLibraryEnumerateKernels");
  if (count > library->kernels.size()) return invalid_value;
  for (unsigned i = 0; i < count; ++i) kernels[i] = &library->kernels[i];
  return success;
}

Result cuKernelGetFunction(Function** function, Kernel* kernel) {
  ENTER_TO_FIND("cuKernelGetFunction", function);
  if (current() == nullptr) return invalid_context;
  *function = reinterpret_cast<Function*>(kernel);
  return success;
}

Result cuFuncLoad(Function* function) {
  ENTER("cuFuncLoad");
  if (driver_.remembers) record_.functions.push_back(reinterpret_cast<Kernel*>(function)->entry->name);
  return success;
}
#endif

Result cuLaunchKernel(Kernel* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                      unsigned block_z, unsigned shared_bytes, Stream* stream, void** parameters, void** extra) {
  add(driver_.launches, 1);
  ENTER("cuLaunchKernel");
  if (current() == nullptr) return invalid_context;
  if (extra != nullptr || grid_x == 0 || grid_y == 0 || grid_z == 0 || block_x * block_y * block_z > 1024) return invalid_value;
  if (!driver_.remembers) return success;
  Context* const context =
      reinterpret_cast<std::uintptr_t>(stream) <= 2 ? current() : stream->context;  // a CUkernel goes where the stream is
  record_.launches.push_back(
      {kernel->library->code, kernel->entry, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, context, {}});
  for (std::size_t i = 0; i < kernel->entry->parameters.size(); ++i) {
    const std::string& type = kernel->entry->parameters[i];
    std::uint64_t value = 0;
    std::memcpy(&value, parameters[i], std::stoul(type.substr(1)) / 8);
    record_.launches.back().parameters.push_back(value);
  }
  return success;
}

// What creates or changes a context, synchronises, allocates or copies.
#define FORBIDDEN(name)   \
  Result name() {         \
    ++driver_.forbidden;  \
    return not_permitted; \
  }
FORBIDDEN(cuCtxCreate_v2)
FORBIDDEN(cuCtxCreate_v3)
FORBIDDEN(cuCtxDestroy_v2)
FORBIDDEN(cuCtxSetCurrent)
FORBIDDEN(cuCtxSynchronize)
FORBIDDEN(cuDevicePrimaryCtxReset_v2)
FORBIDDEN(cuDevicePrimaryCtxSetFlags_v2)
FORBIDDEN(cuEventSynchronize)
FORBIDDEN(cuLaunchHostFunc)
FORBIDDEN(cuMemAlloc_v2)
FORBIDDEN(cuMemAllocAsync)
FORBIDDEN(cuMemAllocManaged)
FORBIDDEN(cuMemcpy)
FORBIDDEN(cuMemcpyAsync)
FORBIDDEN(cuMemHostAlloc)
FORBIDDEN(cuModuleLoadData)
FORBIDDEN(cuModuleLoadDataEx)
FORBIDDEN(cuStreamCreate)
FORBIDDEN(cuStreamSynchronize)

}  // extern "C"
#pragma GCC visibility pop
