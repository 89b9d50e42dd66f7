// The part of CUDA's driver interface that tests and benchmarks use, opened when they run: building them needs no CUDA.
//
// Declared as in cuda.h 12.0 and apart from runtime/src/cuda/driver.h, which is under test. A call that fails throws.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace actinide::test::cuda {

using Result = int;
using Device = int;
using Address = std::uint64_t;  ///< CUdeviceptr
using Allocation = std::uint64_t;
struct Context;
struct Stream;
struct Event;
struct Graph;
struct GraphNode;
struct GraphExec;
struct Library;
struct Kernel;

constexpr Result success = 0, no_compiler = 221, not_ready = 600;

/// CU_DEVICE_ATTRIBUTE_...
enum Attribute : int {
  managed_memory = 83,
  pageable_memory_access = 88,
  virtual_memory_management = 102,
  memory_pools = 115,
};

enum CaptureMode : int { capture_global, capture_thread_local, capture_relaxed };

constexpr unsigned stream_non_blocking = 1, host_mapped = 2, attach_global = 1;

/// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNode {
  Kernel* function;
  unsigned grid[3], block[3], shared_bytes;
  void** parameters;
  void** extra;
  Kernel* kernel;  ///< where `function` is null
  Context* context;
};

/// CUmemAllocationProp and CUmemAccessDesc, for a device.
struct AllocationProperties {
  int type = 1, handle_types = 0, location_type = 1, device = 0;
  void* unused = nullptr;
  std::uint64_t flags = 0;
};
struct Access {
  int location_type = 1, device = 0, flags = 3;
};

class Error : public std::runtime_error {
 public:
  Error(const std::string& what, Result r) : std::runtime_error(what), result(r) {}
  Result result;
};

inline std::string name_of(Result result);

template <typename... Parameters>
struct Function {
  const char* name;
  Result (*function)(Parameters...) = nullptr;

  Result result(Parameters... arguments) const { return function(arguments...); }
  void operator()(Parameters... arguments) const {
    const Result r = function(arguments...);
    if (r != success) throw Error(std::string(name) + ": " + name_of(r), r);
  }
};

// clang-format off
#define ACTINIDE_TEST_DRIVER(FUNCTION)                                                                                               \
  FUNCTION(cuInit, "", unsigned)                                                                                                     \
  FUNCTION(cuDriverGetVersion, "", int*)                                                                                             \
  FUNCTION(cuGetErrorName, "", Result, const char**)                                                                                 \
  FUNCTION(cuDeviceGet, "", Device*, int)                                                                                            \
  FUNCTION(cuDeviceGetName, "", char*, int, Device)                                                                                  \
  FUNCTION(cuDeviceGetAttribute, "", int*, int, Device)                                                                              \
  FUNCTION(cuDevicePrimaryCtxGetState, "", Device, unsigned*, int*)                                                                     \
  FUNCTION(cuDevicePrimaryCtxRetain, "", Context**, Device)                                                                          \
  FUNCTION(cuCtxCreate, "_v2", Context**, unsigned, Device)                                                                          \
  FUNCTION(cuCtxDestroy, "_v2", Context*)                                                                                            \
  FUNCTION(cuCtxSetCurrent, "", Context*)                                                                                            \
  FUNCTION(cuCtxGetCurrent, "", Context**)                                                                                           \
  FUNCTION(cuMemGetInfo, "_v2", std::size_t*, std::size_t*)                                                                          \
  FUNCTION(cuMemAlloc, "_v2", Address*, std::size_t)                                                                                 \
  FUNCTION(cuMemFree, "_v2", Address)                                                                                                \
  FUNCTION(cuMemAllocAsync, "", Address*, std::size_t, Stream*)                                                                      \
  FUNCTION(cuMemFreeAsync, "", Address, Stream*)                                                                                     \
  FUNCTION(cuMemAllocManaged, "", Address*, std::size_t, unsigned)                                                                   \
  FUNCTION(cuMemHostAlloc, "", void**, std::size_t, unsigned)                                                                        \
  FUNCTION(cuMemFreeHost, "", void*)                                                                                                 \
  FUNCTION(cuMemHostRegister, "_v2", void*, std::size_t, unsigned)                                                                   \
  FUNCTION(cuMemHostUnregister, "", void*)                                                                                           \
  FUNCTION(cuMemcpyHtoD, "_v2", Address, const void*, std::size_t)                                                                   \
  FUNCTION(cuMemcpyDtoH, "_v2", void*, Address, std::size_t)                                                                         \
  FUNCTION(cuMemcpyHtoDAsync, "_v2", Address, const void*, std::size_t, Stream*)                                                     \
  FUNCTION(cuMemcpyDtoHAsync, "_v2", void*, Address, std::size_t, Stream*)                                                           \
  FUNCTION(cuMemcpyDtoDAsync, "_v2", Address, Address, std::size_t, Stream*)                                                         \
  FUNCTION(cuMemsetD8Async, "", Address, unsigned char, std::size_t, Stream*)                                                        \
  FUNCTION(cuMemGetAllocationGranularity, "", std::size_t*, const AllocationProperties*, int)                                        \
  FUNCTION(cuMemCreate, "", Allocation*, std::size_t, const AllocationProperties*, unsigned long long)                               \
  FUNCTION(cuMemRelease, "", Allocation)                                                                                             \
  FUNCTION(cuMemAddressReserve, "", Address*, std::size_t, std::size_t, Address, unsigned long long)                                 \
  FUNCTION(cuMemAddressFree, "", Address, std::size_t)                                                                               \
  FUNCTION(cuMemMap, "", Address, std::size_t, std::size_t, Allocation, unsigned long long)                                          \
  FUNCTION(cuMemUnmap, "", Address, std::size_t)                                                                                     \
  FUNCTION(cuMemSetAccess, "", Address, std::size_t, const Access*, std::size_t)                                                     \
  FUNCTION(cuStreamCreate, "", Stream**, unsigned)                                                                                   \
  FUNCTION(cuStreamDestroy, "_v2", Stream*)                                                                                          \
  FUNCTION(cuStreamSynchronize, "", Stream*)                                                                                         \
  FUNCTION(cuStreamWaitEvent, "", Stream*, Event*, unsigned)                                                                         \
  FUNCTION(cuStreamBeginCapture, "_v2", Stream*, int)                                                                                \
  FUNCTION(cuStreamEndCapture, "", Stream*, Graph**)                                                                                 \
  FUNCTION(cuLaunchHostFunc, "", Stream*, void (*)(void*), void*)                                                                    \
  FUNCTION(cuEventCreate, "", Event**, unsigned)                                                                                     \
  FUNCTION(cuEventDestroy, "_v2", Event*)                                                                                            \
  FUNCTION(cuEventRecord, "", Event*, Stream*)                                                                                       \
  FUNCTION(cuEventQuery, "", Event*)                                                                                                 \
  FUNCTION(cuEventSynchronize, "", Event*)                                                                                           \
  FUNCTION(cuEventElapsedTime, "", float*, Event*, Event*)                                                                           \
  FUNCTION(cuGraphGetNodes, "", Graph*, GraphNode**, std::size_t*)                                                                   \
  FUNCTION(cuGraphKernelNodeGetParams, "_v2", GraphNode*, KernelNode*)                                                               \
  FUNCTION(cuGraphInstantiateWithFlags, "", GraphExec**, Graph*, unsigned long long)                                                 \
  FUNCTION(cuGraphLaunch, "", GraphExec*, Stream*)                                                                                   \
  FUNCTION(cuGraphExecDestroy, "", GraphExec*)                                                                                       \
  FUNCTION(cuGraphDestroy, "", Graph*)                                                                                               \
  FUNCTION(cuLibraryLoadData, "", Library**, const void*, void*, void*, unsigned, void*, void*, unsigned)                            \
  FUNCTION(cuLibraryGetKernel, "", Kernel**, Library*, const char*)                                                                  \
  FUNCTION(cuLaunchKernel, "", Kernel*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream*, void**, void**)
// clang-format on

struct Driver {
#define ACTINIDE_FUNCTION(name, version, ...) Function<__VA_ARGS__> name{#name version};
  ACTINIDE_TEST_DRIVER(ACTINIDE_FUNCTION)
#undef ACTINIDE_FUNCTION

  Driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error("there is no libcuda.so.1", -1);
    const auto find = [library]<typename... Parameters>(Function<Parameters...>& f) {
      f.function = reinterpret_cast<Result (*)(Parameters...)>(dlsym(library, f.name));
      if (f.function == nullptr) throw Error(std::string("libcuda.so.1 lacks ") + f.name, -1);
    };
#define ACTINIDE_FUNCTION(name, ...) find(name);
    ACTINIDE_TEST_DRIVER(ACTINIDE_FUNCTION)
#undef ACTINIDE_FUNCTION
    cuInit(0);
  }
};

/// The driver, initialized. Throws if there is none.
inline const Driver& driver() {
  static const Driver opened;
  return opened;
}

inline std::string name_of(Result result) {
  const char* name = nullptr;
  if (driver().cuGetErrorName.function(result, &name) != success || name == nullptr) return "error " + std::to_string(result);
  return name;
}

inline int attribute(Attribute which, Device device = 0) {
  int value = 0;
  driver().cuDeviceGetAttribute(&value, which, device);
  return value;
}

/// The primary context of device 0, which becomes the thread's and stays until the program ends.
inline Context* use_primary_context() {
  static Context* const context = [] {
    Context* c = nullptr;
    Device device = 0;
    driver().cuDeviceGet(&device, 0);
    driver().cuDevicePrimaryCtxRetain(&c, device);
    return c;
  }();
  driver().cuCtxSetCurrent(context);
  return context;
}

class OwnStream {
 public:
  OwnStream() { driver().cuStreamCreate(&stream_, stream_non_blocking); }
  ~OwnStream() { driver().cuStreamDestroy.result(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  operator Stream*() const { return stream_; }  // NOLINT(google-explicit-constructor)
  void synchronize() const { driver().cuStreamSynchronize(stream_); }

 private:
  Stream* stream_ = nullptr;
};

class OwnEvent {
 public:
  OwnEvent() { driver().cuEventCreate(&event_, 0); }
  ~OwnEvent() { driver().cuEventDestroy.result(event_); }
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;

  operator Event*() const { return event_; }  // NOLINT(google-explicit-constructor)

 private:
  Event* event_ = nullptr;
};

/// The copy of the driver may still be under way when it returns, and a stream of its own would not wait for it.
inline void copy_to_device(Address to, const void* from, std::size_t size) {
  driver().cuMemcpyHtoD(to, from, size);
  driver().cuStreamSynchronize(nullptr);
}

/// Device memory.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t size) : size_(size) { driver().cuMemAlloc(&address_, size == 0 ? 1 : size); }
  DeviceMemory(DeviceMemory&& other) noexcept : address_(std::exchange(other.address_, 0)), size_(std::exchange(other.size_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceMemory() {
    if (address_ != 0) driver().cuMemFree.result(address_);
  }

  Address address() const { return address_; }
  std::size_t size() const { return size_; }
  template <typename T = std::byte>
  T* at(std::size_t byte = 0) const {
    return reinterpret_cast<T*>(address_ + byte);
  }

 private:
  Address address_ = 0;
  std::size_t size_;
};

/// Host memory that the device reaches, too, under the same address.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t size) : size_(size) { driver().cuMemHostAlloc(&memory_, size, host_mapped); }
  ~PinnedMemory() { driver().cuMemFreeHost.result(memory_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(memory_); }
  std::size_t size() const { return size_; }

 private:
  void* memory_ = nullptr;
  std::size_t size_;
};

}  // namespace actinide::test::cuda
