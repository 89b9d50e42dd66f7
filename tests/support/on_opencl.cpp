#include "on_opencl.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "HalideRuntimeOpenCL.h"

extern "C" {
// Halide's runtime has it and no header declares it.
int halide_acquire_cl_context(void* user_context, void** context, void** queue, bool create);
int halide_release_cl_context(void* user_context);
}

namespace actinide::test {

namespace {

constexpr char platform_name[] = "Portable Computing Language";

// Of the OpenCL headers, what is needed here (OpenCL 1.2, cl.h): handles are pointers, results are int32 with 0 for success.
constexpr std::uint32_t platform_name_key = 0x0902;
constexpr std::uint64_t use_host_pointer = 1 << 3;

struct Functions {
  std::int32_t (*clGetPlatformIDs)(std::uint32_t, void**, std::uint32_t*);
  std::int32_t (*clGetPlatformInfo)(void*, std::uint32_t, std::size_t, void*, std::size_t*);
  void* (*clCreateBuffer)(void*, std::uint64_t, std::size_t, void*, std::int32_t*);
  std::int32_t (*clReleaseMemObject)(void*);
  std::int32_t (*clFinish)(void*);
} functions;

void *context, *queue;

/// Opens what Halide's runtime opens, too, and makes that take PoCL; null or what is missing.
const char* open() {
  // Kernels run in the calling thread, and what PoCL compiles stays in the build folder.
  setenv("POCL_DEVICES", "basic", 0);
  setenv("POCL_CACHE_DIR", ACTINIDE_POCL_CACHE, 0);
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "there is no libOpenCL.so.1";
  const auto find = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
#define ACTINIDE_FIND(name) find(functions.name, #name)
  if (!ACTINIDE_FIND(clGetPlatformIDs) || !ACTINIDE_FIND(clGetPlatformInfo) || !ACTINIDE_FIND(clCreateBuffer) ||
      !ACTINIDE_FIND(clReleaseMemObject) || !ACTINIDE_FIND(clFinish)) {
    return "libOpenCL.so.1 lacks a function";
  }
#undef ACTINIDE_FIND
  void* platforms[16];
  std::uint32_t count = 0;
  if (functions.clGetPlatformIDs(16, platforms, &count) != 0) count = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    char name[256] = "";
    functions.clGetPlatformInfo(platforms[i], platform_name_key, sizeof(name), name, nullptr);
    if (std::string_view(name) != platform_name) continue;
    halide_opencl_set_platform_name(platform_name);
    halide_opencl_set_device_type("cpu");
    // In place x and y are one buffer, which restrict would deny.
    halide_opencl_set_build_options("-Drestrict=");
    // The first call makes it look for a device, the second tells what it has made.
    const bool has_device = halide_device_sync_global(nullptr, halide_opencl_device_interface()) == 0 &&
                            halide_acquire_cl_context(nullptr, &context, &queue, false) == 0 && halide_release_cl_context(nullptr) == 0;
    return has_device ? nullptr : "PoCL has no device";
  }
  return "there is no OpenCL platform PoCL (Debian's package pocl-opencl-icd)";
}

}  // namespace

const char* why_no_opencl() {
  static const char* const reason = open();
  return reason;
}

bool use_target(const char* name) {
  const char* const reason = why_no_opencl();
  if (name != nullptr && reason != nullptr) std::printf("OpenCL: %s\n", reason);
  return reason == nullptr;
}

OpenclTensors::OpenclTensors(const void* x, void* y, std::size_t n, std::size_t element_size) : arguments(x, y, n) {
  const auto wrap = [&](detail::Buffer& tensor, void* buffer) {
    tensor.device = 0;
    if (buffer == nullptr || halide_opencl_wrap_cl_mem(nullptr, &tensor, reinterpret_cast<std::uint64_t>(buffer)) != 0) std::abort();
  };
  const auto create = [&](const void* memory) {
    return functions.clCreateBuffer(context, use_host_pointer, n * element_size, const_cast<void*>(memory), nullptr);
  };
  buffers_[0] = create(x);
  if (y != x) buffers_[1] = create(y);
  wrap(arguments.x, buffers_[0]);
  wrap(arguments.y, y == x ? buffers_[0] : buffers_[1]);
}

OpenclTensors::~OpenclTensors() {
  halide_opencl_detach_cl_mem(nullptr, &arguments.x);
  halide_opencl_detach_cl_mem(nullptr, &arguments.y);
  for (void* buffer : buffers_) {
    if (buffer != nullptr) functions.clReleaseMemObject(buffer);
  }
}

bool OpenclTensors::finish() const { return functions.clFinish(queue) == 0; }

}  // namespace actinide::test
