// What the tests of the device share: functions there beside the same on the CPU, and memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cuda_driver.h"
#include "device_functions.h"
#include "inputs.h"
#include "target_test.h"

namespace actinide::test {

using cuda::DeviceMemory;
using cuda::driver;
using cuda::OwnStream;
using cuda::PinnedMemory;

constexpr std::byte sentinel{0xa5};

/// What the CPU makes of `x`.
inline std::vector<std::byte> on_cpu(const DeviceFunction& f, const std::vector<std::byte>& x, float attribute) {
  std::vector<std::byte> y(x.size());
  EXPECT_EQ(f.op->call(x.data(), y.data(), x.size() / f.op->element_size, f.same(attribute).data()), ACTINIDE_OK);
  return y;
}

/// The CPU rounds at the same places if it has FMA; without, results that are exact or correctly rounded are the same all the same.
inline bool has_the_cpus_bits(const DeviceFunction& f, float attribute) {
  const bool is_rounded_correctly = f.op->element_size == 2 && attribute == 1.0f;
  return arithmetic_of(actinide_active_target()) == arithmetic_of("cuda") || f.op->name == "thresholded_relu" || is_rounded_correctly;
}

inline void PrintTo(const DeviceFunction& f, std::ostream* out) { *out << f.op->name << " " << f.op->type_name; }

inline std::string name_of(const testing::TestParamInfo<DeviceFunction>& info) {
  return std::string(info.param.op->name) + "_" + std::string(info.param.op->type_name);
}

/// Skips where there is no device; else its primary context is current.
class Device : public testing::Test {
 protected:
  void SetUp() override {
    if (actinide_cuda_available() == 0) GTEST_SKIP() << actinide_cuda_reason();
    cuda::use_primary_context();
    stream_ = std::make_unique<OwnStream>();
  }

  /// For C functions that take a stream as void*.
  void* handle() const { return static_cast<cuda::Stream*>(*stream_); }
  cuda::Stream* stream() const { return *stream_; }

  std::unique_ptr<OwnStream> stream_;
};

class PerFunction : public Device, public testing::WithParamInterface<DeviceFunction> {
 protected:
  const DeviceFunction& function() const { return GetParam(); }
};

inline DeviceMemory upload(const std::vector<std::byte>& data) {
  DeviceMemory memory(data.size());
  cuda::copy_to_device(memory.address(), data.data(), data.size());
  return memory;
}

inline std::vector<std::byte> download(const DeviceMemory& memory) {
  std::vector<std::byte> data(memory.size());
  driver().cuMemcpyDtoH(data.data(), memory.address(), data.size());
  return data;
}

inline void fill(const DeviceMemory& memory, cuda::Stream* stream) {
  driver().cuMemsetD8Async(memory.address(), static_cast<unsigned char>(sentinel), memory.size(), stream);
}

inline bool is_untouched(const std::byte* first, const std::byte* last) {
  return std::all_of(first, last, [](std::byte b) { return b == sentinel; });
}

/// function(begin, end) for pieces of 0 .. count, on all of the host's threads.
template <typename Function>
void in_parallel(std::size_t count, std::size_t piece, Function function) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t begin; (begin = next.fetch_add(piece)) < count;) function(begin, std::min(begin + piece, count));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace actinide::test
