// The context that a call works in, its stream, and its pointers.
#include <actinide/cuda.hpp>

#include "driver_test.h"

namespace actinide::test {
namespace {

class Contexts : public DriverTest {
 protected:
  actinide_status run(void* stream = nullptr) { return actinide_cuda_elu_f32(x_, y_, 300, 1.0f, stream); }

  long changes_of_context() const {
    long n = 0;
    for (const char* name : {"cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"}) {
      n += record().count(name);
    }
    return n;
  }

  cuda::Context other_{0};
  cuda::Stream stream_{&other_};
  alignas(16) float x_[304], y_[304];
};

std::vector<void*> default_streams() { return {nullptr, address(1), address(2)}; }  // none, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD

TEST_F(Contexts, TheCurrentOneIsUsedAndStays) {
  cuda::Stream stream_of_current{&context_};
  std::vector<void*> streams = default_streams();
  streams.push_back(&stream_of_current);
  for (void* stream : streams) {
    ASSERT_EQ(run(stream), ACTINIDE_OK);
    EXPECT_EQ(record().launches.back().context, &context_);
    EXPECT_EQ(record().launches.back().stream, stream);
  }
  EXPECT_EQ(changes_of_context(), 0);
  EXPECT_EQ(record().current, std::vector<cuda::Context*>{&context_});
}

// A kernel runs in its stream's context, so there its pointers are looked for.
TEST_F(Contexts, AStreamOfAnotherOne) {
  std::vector<cuda::Context*> asked;
  driver().device_address = [&](std::uintptr_t address) {
    asked.push_back(record().current.back());
    return std::uint64_t{address};
  };
  ASSERT_EQ(run(&stream_), ACTINIDE_OK);
  EXPECT_EQ(asked, (std::vector<cuda::Context*>(2, &other_)));
  EXPECT_EQ(record().launches.back().context, &other_);
  EXPECT_EQ(record().current, std::vector<cuda::Context*>{&context_});
}

TEST_F(Contexts, WithoutOneTheStreamsIs) {
  record().current.clear();
  driver().has_primary_context = false;
  ASSERT_EQ(run(&stream_), ACTINIDE_OK);
  EXPECT_EQ(record().launches.back().context, &other_);
  EXPECT_EQ(record().launches.back().stream, &stream_);
  EXPECT_TRUE(record().current.empty());
}

TEST_F(Contexts, WithoutOneAndOnADefaultStreamThePrimaryOneIs) {
  for (void* stream : default_streams()) {
    record().current.clear();
    ASSERT_EQ(run(stream), ACTINIDE_OK);
    EXPECT_EQ(record().launches.back().context, &driver().primary);
    EXPECT_EQ(record().launches.back().stream, stream);
    EXPECT_TRUE(record().current.empty());
    EXPECT_EQ(driver().retained, 0);
  }
  EXPECT_EQ(record().count("cuDevicePrimaryCtxRetain"), 3);
}

TEST_F(Contexts, NoneIsCreated) {
  record().current.clear();
  driver().has_primary_context = false;
  for (void* stream : default_streams()) EXPECT_EQ(run(stream), ACTINIDE_DEVICE);
  EXPECT_EQ(changes_of_context(), 0);
  EXPECT_TRUE(record().launches.empty());
}

TEST_F(Contexts, FailuresOnTheWay) {
  for (const bool has_stream : {false, true}) {
    for (const char* name : {"cuDevicePrimaryCtxGetState", "cuDevicePrimaryCtxRetain", "cuStreamGetCtx", "cuCtxPushCurrent_v2"}) {
      SCOPED_TRACE(name);
      record() = {};
      driver().results = {{name, 201}};
      const bool concerns = has_stream ? name[2] != 'D' : name[2] != 'S';
      const actinide_status failure = name[2] == 'S' ? ACTINIDE_LAUNCH_FAILED : ACTINIDE_DEVICE;
      EXPECT_EQ(run(has_stream ? &stream_ : nullptr), concerns ? failure : ACTINIDE_OK);
      EXPECT_EQ(record().launches.size(), concerns ? 0u : 1u);
      EXPECT_TRUE(record().current.empty());
      EXPECT_EQ(driver().retained, 0);
    }
  }
  // A driver that does not say which context is current.
  driver().results = {{"cuCtxGetCurrent", 3}};
  record() = {};
  EXPECT_EQ(run(&stream_), ACTINIDE_OK);
}

TEST_F(Contexts, ComeBackAfterFailures) {
  driver().device_address = [](std::uintptr_t) { return std::uint64_t{0}; };
  for (void* stream : {static_cast<void*>(nullptr), static_cast<void*>(&stream_)}) {
    record().current.clear();
    EXPECT_EQ(run(stream), ACTINIDE_DEVICE);
    EXPECT_TRUE(record().current.empty());
    EXPECT_EQ(driver().retained, 0);
  }
}

// After a failure on the device the driver answers everything with that, also what it is asked about memory.
TEST_F(Contexts, FailedBefore) {
  constexpr int failed_on_the_device = 700;  // CUDA_ERROR_ILLEGAL_ADDRESS
  driver().results = {{"cuPointerGetAttribute", failed_on_the_device}};
  for (void* stream : {static_cast<void*>(nullptr), static_cast<void*>(&stream_)}) EXPECT_EQ(run(stream), ACTINIDE_LAUNCH_FAILED);
  driver().results = {};
  EXPECT_EQ(run(&stream_), ACTINIDE_OK);
}

// What the arguments alone say is said before the driver is asked for anything.
TEST_F(Contexts, NotForCallsThatAreRefused) {
  ASSERT_EQ(actinide_cuda_available(), 1);
  record().calls.clear();
  record().current.clear();
  driver().has_primary_context = false;
  EXPECT_EQ(actinide_cuda_elu_f32(nullptr, nullptr, 0, 1.0f, nullptr), ACTINIDE_OK);
  EXPECT_EQ(actinide_cuda_elu_f32(nullptr, y_, 1, 1.0f, nullptr), ACTINIDE_NULL_POINTER);
  EXPECT_EQ(actinide_cuda_elu_f32(x_, x_ + 1, 2, 1.0f, nullptr), ACTINIDE_OVERLAP);
  EXPECT_EQ(actinide_cuda_elu_f32(x_, y_, SIZE_MAX / 4, 1.0f, nullptr), ACTINIDE_SIZE_MISMATCH);
  EXPECT_EQ(actinide_cuda_elu_f32(address<float>(0x1001), y_, 3, 1.0f, nullptr), ACTINIDE_LAYOUT);
  EXPECT_TRUE(record().calls.empty());
}

class Pointers : public DriverTest, public testing::WithParamInterface<const Operator*> {
 protected:
  const Operator& op() const { return *GetParam(); }
  /// The device's addresses of the last launch.
  std::vector<std::uint64_t> launched() const { return record().launches.back().addresses(); }

  static constexpr std::uint64_t x_ = 0x100000, y_ = 0x200000;
};

TEST_P(Pointers, AreTheDevices) {
  driver().device_address = [](std::uintptr_t address) { return std::uint64_t{address} + 0x700000000000; };
  ASSERT_EQ(call(op(), address(x_), address(y_), 1000), ACTINIDE_OK);
  EXPECT_EQ(launched(), (std::vector<std::uint64_t>{x_ + 0x700000000000, y_ + 0x700000000000}));
  ASSERT_EQ(call(op(), address(x_), address(x_), 1000), ACTINIDE_OK);
  EXPECT_EQ(launched(), (std::vector<std::uint64_t>{x_ + 0x700000000000, x_ + 0x700000000000}));
}

TEST_P(Pointers, UnknownOnesAreRefused) {
  for (const std::uint64_t unknown : {x_, y_}) {
    driver().device_address = [=](std::uintptr_t address) { return address == unknown ? 0 : std::uint64_t{address}; };
    driver().pageable_memory_access = false;
    EXPECT_EQ(call(op(), address(x_), address(y_), 1000), ACTINIDE_DEVICE);
    EXPECT_EQ(call(op(), address(unknown), address(unknown), 1000), ACTINIDE_DEVICE);
    EXPECT_TRUE(record().launches.empty());
    // Except by a device that reaches all memory.
    driver().pageable_memory_access = true;
    EXPECT_EQ(call(op(), address(x_), address(y_), 1000), ACTINIDE_OK);
    EXPECT_EQ(launched(), (std::vector<std::uint64_t>{x_, y_}));
    record().launches.clear();
    for (const char* name : {"cuCtxGetDevice", "cuDeviceGetAttribute"}) {
      driver().results = {{name, 1}};
      EXPECT_EQ(call(op(), address(x_), address(y_), 1000), ACTINIDE_DEVICE) << name;
    }
    driver().results.clear();
    // But not to another device's.
    driver().has_another_devices_memory = true;
    EXPECT_EQ(call(op(), address(x_), address(y_), 1000), ACTINIDE_DEVICE);
    driver().has_another_devices_memory = false;
  }
}

// Each of 16 places of x and of y, by the addresses of the host or of the device: the kernel object for any tensors unless both are on
// 16-byte boundaries.
TEST_P(Pointers, ChooseTheKernelObject) {
  for (const bool device_is_elsewhere : {false, true}) {
    const std::uint64_t shift = device_is_elsewhere ? 0x1000 + op().element_size : 0;
    driver().device_address = [=](std::uintptr_t address) { return address + shift; };
    for (std::uint64_t i = 0; i < 16; ++i) {
      for (std::uint64_t k = 0; k < 16; ++k) {
        const std::uint64_t x = x_ + i * op().element_size, y = y_ + k * op().element_size;
        ASSERT_EQ(call(op(), address(x), address(y), 1000), ACTINIDE_OK);
        const bool is_aligned = (x + shift) % 16 == 0 && (y + shift) % 16 == 0;
        EXPECT_EQ(record().launches.back().code->kernel, kernel_of(op()) + (is_aligned ? "" : "_any")) << i << ", " << k;
      }
      const std::uint64_t x = x_ + i * op().element_size;
      ASSERT_EQ(call(op(), address(x), address(x), 1000), ACTINIDE_OK);
      EXPECT_EQ(record().launches.back().code->kernel, kernel_of(op()) + ((x + shift) % 16 == 0 ? "" : "_any")) << i << " in place";
    }
  }
}

TEST_P(Pointers, BetweenElementsAreRefused) {
  for (std::uint64_t i = 1; i < op().element_size; ++i) {
    EXPECT_EQ(call(op(), address(x_ + i), address(y_), 10), ACTINIDE_LAYOUT);
    EXPECT_EQ(call(op(), address(x_), address(y_ + i), 10), ACTINIDE_LAYOUT);
    EXPECT_EQ(call(op(), address(x_ + i), address(x_ + i), 10), ACTINIDE_LAYOUT);
  }
  EXPECT_TRUE(record().launches.empty());
}

INSTANTIATE_TEST_SUITE_P(, Pointers, testing::ValuesIn(rows()), row_name);

}  // namespace
}  // namespace actinide::test
