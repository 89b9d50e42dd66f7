// The device code of one kernel object, and its state in the process.
#pragma once

#include <actinide/core.h>

#include <atomic>

#include "driver.h"

namespace actinide::cuda {

/// A kernel by name, once it has been looked up. The names are constants of the kernel object: their addresses tell them apart.
struct Entry {
  std::atomic<const char*> name;
  std::atomic<Kernel*> kernel;
};

/// As large as it is aligned: modules that the linker puts side by side are an array.
struct alignas(128) Module {
  const unsigned char* image;  ///< PTX, or a fat binary of PTX and code for some devices
  std::atomic<Library*> library{nullptr};
  Entry entries[4]{};
};

/// What the driver said, as a status.
constexpr actinide_status status_of(Result result) noexcept {
  if (result == success) return ACTINIDE_OK;
  return says_code_does_not_fit(result) ? ACTINIDE_UNSUPPORTED : ACTINIDE_LAUNCH_FAILED;
}

/// Loads the device code, unless that has been done.
[[gnu::visibility("hidden")]] actinide_status load(const Driver& driver, Module& module) noexcept;

/// A file of device code as an array of bytes, with the zero at its end that PTX needs.
#define ACTINIDE_CUDA_IMAGE(symbol, file)                                                                                 \
  __asm__(".section .rodata." symbol ",\"a\",@progbits\n\t.hidden " symbol "\n\t.globl " symbol "\n\t.balign 16\n" symbol \
          ":\n\t.incbin \"" file "\"\n\t.byte 0\n\t.previous")

/// A Module. The linker puts all of them side by side, which is how actinide_cuda_warm_up() finds them.
#define ACTINIDE_CUDA_MODULE(name, image) \
  [[gnu::section("actinide_cuda_modules")]] constinit actinide::cuda::Module name { image }

/// What a call hands through the kernel object to the functions below.
struct Call {
  const Driver& driver;
  Module& module;
  Stream* stream;
  actinide_status status = ACTINIDE_OK;
};

}  // namespace actinide::cuda
