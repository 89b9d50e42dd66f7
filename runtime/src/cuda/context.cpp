#include "context.h"

namespace actinide::cuda {

namespace {

constexpr Device first_device = 0;  // where the runtime API goes, too, if nobody chose

/// Streams by number: the legacy default one (0 and 1) and the thread's own default one (2).
bool is_default_stream(const Stream* stream) noexcept { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }

}  // namespace

ContextOfCall::ContextOfCall(const Driver& driver, Stream* stream) noexcept : driver_(driver) {
  Context* current = nullptr;
  if (driver.cuCtxGetCurrent(&current) != success) current = nullptr;
  Context* context = nullptr;
  if (!is_default_stream(stream)) {
    if (driver.cuStreamGetCtx(stream, &context) != success) {
      status_ = ACTINIDE_LAUNCH_FAILED;  // no stream, or an earlier failure
      return;
    }
  } else if (current != nullptr) {
    context = current;
  } else {
    unsigned flags = 0;
    int is_active = 0;
    if (driver.cuDevicePrimaryCtxGetState(first_device, &flags, &is_active) == success && is_active != 0) {
      was_retained_ = driver.cuDevicePrimaryCtxRetain(&context, first_device) == success;
      if (!was_retained_) context = nullptr;
    }
  }
  if (context == current && context != nullptr) [[likely]]
    return;
  was_pushed_ = context != nullptr && driver.cuCtxPushCurrent_v2(context) == success;
  if (!was_pushed_) status_ = ACTINIDE_DEVICE;
}

ContextOfCall::~ContextOfCall() {
  Context* popped;
  if (was_pushed_) driver_.cuCtxPopCurrent_v2(&popped);
  if (was_retained_) driver_.cuDevicePrimaryCtxRelease_v2(first_device);
}

actinide_status ContextOfCall::find(const void* pointer, std::uint64_t& address) const noexcept {
  const auto number = reinterpret_cast<std::uintptr_t>(pointer);
  const Result result = driver_.cuPointerGetAttribute(&address, attribute_device_pointer, number);
  if (result == success) return ACTINIDE_OK;
  if (result != invalid_value) return ACTINIDE_LAUNCH_FAILED;  // after an earlier failure on the device
  // Memory that CUDA knows is another device's. The rest is this one's, too, where it reads the host's page tables.
  unsigned kind;
  if (driver_.cuPointerGetAttribute(&kind, attribute_memory_type, number) == success) return ACTINIDE_DEVICE;
  Device device;
  int is_shared = 0;
  const bool reaches_all = driver_.cuCtxGetDevice(&device) == success &&
                           driver_.cuDeviceGetAttribute(&is_shared, attribute_pageable_memory_access, device) == success && is_shared != 0;
  address = number;
  return reaches_all ? ACTINIDE_OK : ACTINIDE_DEVICE;
}

}  // namespace actinide::cuda
