// The context that a call works in.
#pragma once

#include <actinide/core.h>

#include "driver.h"

namespace actinide::cuda {

/// That of the stream, in which its kernels run. The default streams are those of the context that is current in the calling thread or,
/// where none is, of the primary one of device 0, if the program has made that. It is current until the call ends. No context is created.
class [[gnu::visibility("hidden")]] ContextOfCall {
 public:
  ContextOfCall(const Driver& driver, Stream* stream) noexcept;
  ~ContextOfCall();
  ContextOfCall(const ContextOfCall&) = delete;
  ContextOfCall& operator=(const ContextOfCall&) = delete;

  /// ACTINIDE_DEVICE if there is no context, ACTINIDE_LAUNCH_FAILED if the driver does not know the stream.
  actinide_status status() const noexcept { return status_; }

  /// Where the device finds what the pointer points to. ACTINIDE_DEVICE if it cannot reach it, ACTINIDE_LAUNCH_FAILED if the driver does
  /// not say.
  actinide_status find(const void* pointer, std::uint64_t& address) const noexcept;

 private:
  const Driver& driver_;
  bool was_pushed_ = false, was_retained_ = false;
  actinide_status status_ = ACTINIDE_OK;
};

}  // namespace actinide::cuda
