#include "driver.h"

#include <actinide/cuda/core.h>
#include <dlfcn.h>

#include <atomic>

#include "lock.h"

namespace actinide::cuda {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

namespace {

enum class State { unknown, usable, no_driver, old_driver, no_device, old_device };

constinit std::atomic<State> state{State::unknown};
constinit Driver functions{};  // written before `state` is

/// Has a device what the kernels are compiled for?
bool is_new_enough(int index) noexcept {
  Device device;
  int major = 0, minor = 0;
  return functions.cuDeviceGet(&device, index) == success &&
         functions.cuDeviceGetAttribute(&major, attribute_capability_major, device) == success &&
         functions.cuDeviceGetAttribute(&minor, attribute_capability_minor, device) == success &&
         10 * major + minor >= ACTINIDE_CUDA_CAPABILITY;
}

/// Never closes what it opened: handles of the driver stay valid.
State open() noexcept {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return State::no_driver;
#define ACTINIDE_FUNCTION(name, parameters)                                       \
  functions.name = reinterpret_cast<Result(*) parameters>(dlsym(library, #name)); \
  if (functions.name == nullptr) return State::old_driver;
  ACTINIDE_CUDA_DRIVER(ACTINIDE_FUNCTION)
#undef ACTINIDE_FUNCTION
#define ACTINIDE_FUNCTION(name, parameters) functions.name = reinterpret_cast<Result(*) parameters>(dlsym(library, #name));
  ACTINIDE_CUDA_NEWER_DRIVER(ACTINIDE_FUNCTION)
#undef ACTINIDE_FUNCTION
  int count = 0;
  if (functions.cuInit(0) != success || functions.cuDeviceGetCount(&count) != success || count == 0) return State::no_device;
  for (int i = 0; i < count; ++i) {
    if (is_new_enough(i)) return State::usable;
  }
  return State::old_device;
}

State decided() noexcept {
  State now = state.load(std::memory_order_acquire);
  if (now != State::unknown) return now;
  const Lock lock;
  now = state.load(std::memory_order_relaxed);
  if (now != State::unknown) return now;
  now = open();
  state.store(now, std::memory_order_release);
  return now;
}

}  // namespace

const Driver* driver() noexcept { return decided() == State::usable ? &functions : nullptr; }

}  // namespace actinide::cuda

int actinide_cuda_available(void) noexcept { return actinide::cuda::driver() != nullptr; }

const char* actinide_cuda_reason(void) noexcept {
  using actinide::cuda::State;
  switch (actinide::cuda::decided()) {
    case State::usable: return "there is a device";
    case State::no_driver: return "there is no libcuda.so.1: the driver is not installed";
    case State::old_driver: return "the driver is too old: CUDA 12.0 is needed";
    case State::no_device: return "the driver does not start, or finds no device";
    case State::old_device: return "no device is new enough: compute capability 7.5 is needed";
    case State::unknown: break;
  }
  return "unknown";
}
