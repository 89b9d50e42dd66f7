// What the library does with streams, contexts, threads, captures and memory of every kind, and when something is wrong.
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "child.h"
#include "device.h"
#include "fp_control.h"

namespace actinide::test {
namespace {

using cuda::CaptureMode;
using cuda::OwnEvent;

/// Holds back what comes after it in a stream until it is opened, but for no longer than some seconds: who waits for the stream before that
/// would wait forever.
class Gate {
 public:
  explicit Gate(cuda::Stream* stream) : stream_(stream) { driver().cuLaunchHostFunc(stream, wait, this); }
  ~Gate() {
    (void)open();
    driver().cuStreamSynchronize.result(stream_);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Has it held until now?
  bool open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
    return !has_given_up_;
  }

 private:
  static void wait(void* gate) {
    auto& self = *static_cast<Gate*>(gate);
    std::unique_lock lock(self.mutex_);
    self.has_given_up_ = !self.changed_.wait_for(lock, std::chrono::seconds(3), [&self] { return self.is_open_; });
  }

  cuda::Stream* stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false, has_given_up_ = false;
};

/// Inputs of one function, on the device, and its results.
class Tensors {
 public:
  Tensors(const DeviceFunction& function, std::size_t n, std::uint64_t seed = 11)
      : function_(function), n_(n), inputs_(mixed_inputs(function.op->type, n, seed)), x_(upload(inputs_)), y_(inputs_.size()) {
    clear();
  }

  actinide_status call(void* stream) const { return function_(x_.at(), y_.at(), n_, attribute_, stream); }
  void clear() const {
    const std::vector<std::byte> sentinels(inputs_.size(), sentinel);
    cuda::copy_to_device(y_.address(), sentinels.data(), sentinels.size());
  }
  bool is_clear() const {
    const std::vector<std::byte> y = download(y_);
    return is_untouched(y.data(), y.data() + y.size());
  }
  bool is_right() const { return download(y_) == on_cpu(function_, inputs_, attribute_); }

  const DeviceMemory& x() const { return x_; }
  const DeviceMemory& y() const { return y_; }
  const std::vector<std::byte>& inputs() const { return inputs_; }
  std::size_t n() const { return n_; }
  float attribute() const { return attribute_; }

 private:
  DeviceFunction function_;
  std::size_t n_;
  float attribute_ = has_the_cpus_bits(function_, 1.7f) ? 1.7f : 0.0f;
  std::vector<std::byte> inputs_;
  DeviceMemory x_, y_;
};

class Streams : public PerFunction {};

TEST_P(Streams, NothingSynchronises) {
  const Tensors t(function(), 100000);
  ASSERT_EQ(actinide_cuda_warm_up(), ACTINIDE_OK);  // what happens once may wait
  OwnEvent done;
  Gate gate(stream());
  ASSERT_EQ(t.call(handle()), ACTINIDE_OK);
  driver().cuEventRecord(done, stream());
  EXPECT_EQ(driver().cuEventQuery.result(done), cuda::not_ready);
  EXPECT_TRUE(gate.open()) << "a call waits for the stream";
  stream_->synchronize();
  EXPECT_TRUE(t.is_right());
}

TEST_P(Streams, TwoInTheOrderOfAnEvent) {
  const Tensors t(function(), 100000);
  const DeviceMemory z(t.y().size());
  ASSERT_EQ(actinide_cuda_warm_up(), ACTINIDE_OK);
  OwnStream other;
  OwnEvent done;
  Gate gate(stream());
  ASSERT_EQ(t.call(handle()), ACTINIDE_OK);
  driver().cuEventRecord(done, stream());
  driver().cuStreamWaitEvent(other, done, 0);
  ASSERT_EQ(function()(t.y().at(), z.at(), t.n(), 1.0f, static_cast<cuda::Stream*>(other)), ACTINIDE_OK);
  EXPECT_TRUE(gate.open()) << "a call waits for the stream";
  other.synchronize();
  EXPECT_TRUE(t.is_right());
  if (has_the_cpus_bits(function(), 1.0f)) {
    EXPECT_EQ(download(z), on_cpu(function(), on_cpu(function(), t.inputs(), t.attribute()), 1.0f));
  }
}

TEST_P(Streams, DefaultStreams) {
  for (const std::uintptr_t number : {0, 1, 2}) {  // the default one, the legacy default one, the thread's own
    auto* const stream = reinterpret_cast<cuda::Stream*>(number);
    const Tensors t(function(), 5000);
    ASSERT_EQ(t.call(stream), ACTINIDE_OK) << "stream " << number;
    driver().cuStreamSynchronize(stream);
    EXPECT_TRUE(t.is_right()) << "stream " << number;
  }
}

constexpr std::pair<CaptureMode, const char*> modes[] = {
    {cuda::capture_global, "global"}, {cuda::capture_thread_local, "thread-local"}, {cuda::capture_relaxed, "relaxed"}};

/// Captures one call and launches it ten times. False if the call or the capture is refused.
bool capture_and_launch(const Tensors& t, cuda::Stream* stream, CaptureMode mode) {
  driver().cuStreamBeginCapture(stream, mode);
  const actinide_status status = t.call(stream);
  cuda::Graph* graph = nullptr;
  const cuda::Result end = driver().cuStreamEndCapture.result(stream, &graph);
  if (status != ACTINIDE_OK || end != cuda::success) {
    std::printf("status %d, end of the capture: %s\n", static_cast<int>(status), cuda::name_of(end).c_str());
    return false;
  }
  EXPECT_TRUE(t.is_clear()) << "the captured call ran";
  std::size_t nodes = 0;
  driver().cuGraphGetNodes(graph, nullptr, &nodes);
  EXPECT_EQ(nodes, 1u) << "one call is one kernel";
  cuda::GraphExec* executable = nullptr;
  driver().cuGraphInstantiateWithFlags(&executable, graph, 0);
  for (int i = 0; i < 10; ++i) {
    t.clear();
    driver().cuGraphLaunch(executable, stream);
    driver().cuStreamSynchronize(stream);
    EXPECT_TRUE(t.is_right()) << "launch " << i;
  }
  driver().cuGraphExecDestroy(executable);
  driver().cuGraphDestroy(graph);
  return true;
}

TEST_P(Streams, Capture) {
  ASSERT_EQ(actinide_cuda_warm_up(), ACTINIDE_OK);
  const Tensors t(function(), 100003);
  for (const auto& [mode, name] : modes) {
    t.clear();
    EXPECT_TRUE(capture_and_launch(t, stream(), mode)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, Streams, testing::ValuesIn(device_functions()), name_of);

class Child : public Device {
 protected:
  /// As a first call in a process: nothing is loaded yet.
  void capture_cold(CaptureMode mode) {
    if (IsSkipped()) return;
    const Tensors t(device_functions().front(), 100003);
    if (!capture_and_launch(t, stream(), mode))
      GTEST_SKIP() << "this driver refuses to load code during a capture of this mode: warm up before";
  }
};

TEST_F(Child, DISABLED_CaptureGlobal) { capture_cold(cuda::capture_global); }
TEST_F(Child, DISABLED_CaptureThreadLocal) { capture_cold(cuda::capture_thread_local); }
TEST(Capture, GlobalWithoutWarmUp) { run_in_child("Child.DISABLED_CaptureGlobal"); }
TEST(Capture, ThreadLocalWithoutWarmUp) { run_in_child("Child.DISABLED_CaptureThreadLocal"); }

/// Every thread calls every function on a stream of its own.
void call_from_16_threads() {
  std::atomic<int> waiting{16}, wrong{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 16; ++i) {
    threads.emplace_back([i, &waiting, &wrong] {
      try {
        cuda::use_primary_context();
        OwnStream stream;
        std::vector<Tensors> tensors;
        for (const DeviceFunction& f : device_functions()) tensors.emplace_back(f, 1000 * (i + 1) + i, i);
        --waiting;
        while (waiting > 0) std::this_thread::yield();
        for (int round = 0; round < 20; ++round) {
          for (const Tensors& t : tensors) {
            if (t.call(static_cast<cuda::Stream*>(stream)) != ACTINIDE_OK) ++wrong;
          }
        }
        stream.synchronize();
        for (const Tensors& t : tensors) {
          if (!t.is_right()) ++wrong;
        }
      } catch (const cuda::Error& error) {
        std::printf("thread %u: %s\n", i, error.what());
        ++wrong;
        --waiting;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

class Threads : public Device {};

TEST_F(Threads, SixteenAtOnce) { call_from_16_threads(); }
TEST_F(Child, DISABLED_FirstCalls) { call_from_16_threads(); }
TEST_F(Threads, SixteenFirstCallsAtOnce) { run_in_child("Child.DISABLED_FirstCalls"); }

TEST_F(Threads, WithoutContext) {
  for (const bool has_stream : {true, false}) {
    for (const DeviceFunction& f : device_functions()) {
      const Tensors t(f, 5000);
      actinide_status status = ACTINIDE_OK;
      cuda::Context *before = nullptr, *after = nullptr;
      std::thread([&] {
        driver().cuCtxGetCurrent(&before);
        status = t.call(has_stream ? handle() : nullptr);
        driver().cuCtxGetCurrent(&after);
      }).join();
      EXPECT_EQ(before, nullptr);
      EXPECT_EQ(status, ACTINIDE_OK);
      EXPECT_EQ(after, nullptr) << "a context stayed behind";
      driver().cuStreamSynchronize(has_stream ? stream() : nullptr);
      EXPECT_TRUE(t.is_right());
    }
  }
}

class Contexts : public Device {};

TEST_F(Contexts, AnotherThanThePrimaryOne) {
  cuda::Context* const primary = cuda::use_primary_context();
  cuda::Context *other = nullptr, *current = nullptr;
  driver().cuCtxCreate(&other, 0, 0);  // becomes the current one
  {
    OwnStream own;
    for (const DeviceFunction& f : device_functions()) {
      const Tensors t(f, 5000);
      ASSERT_EQ(t.call(static_cast<cuda::Stream*>(own)), ACTINIDE_OK);
      driver().cuCtxGetCurrent(&current);
      EXPECT_EQ(current, other);
      own.synchronize();
      EXPECT_TRUE(t.is_right());
      t.clear();
      // In a thread without a context, the stream says which it is.
      actinide_status status = ACTINIDE_OK;
      std::thread([&] { status = t.call(static_cast<cuda::Stream*>(own)); }).join();
      EXPECT_EQ(status, ACTINIDE_OK);
      own.synchronize();
      EXPECT_TRUE(t.is_right());
    }
  }
  driver().cuCtxDestroy(other);
  driver().cuCtxSetCurrent(primary);
  // Code that was loaded before stays usable.
  for (const DeviceFunction& f : device_functions()) {
    const Tensors t(f, 5000);
    ASSERT_EQ(t.call(handle()), ACTINIDE_OK);
    stream_->synchronize();
    EXPECT_TRUE(t.is_right());
  }
}

TEST(BareChild, DISABLED_NoContext) {
  if (actinide_cuda_available() == 0) GTEST_SKIP() << actinide_cuda_reason();
  std::vector<std::byte> x(64), y(64, sentinel);
  for (const DeviceFunction& f : device_functions()) {
    EXPECT_EQ(f(x.data(), y.data(), 4, 1.0f, nullptr), ACTINIDE_DEVICE);
  }
  EXPECT_EQ(actinide_cuda_warm_up(), ACTINIDE_DEVICE);
  unsigned flags = 0;
  int is_active = 1;
  driver().cuDevicePrimaryCtxGetState(0, &flags, &is_active);
  EXPECT_EQ(is_active, 0) << "the library has made a context";
}
TEST(NoContext, IsNotCreated) { run_in_child("BareChild.DISABLED_NoContext"); }

class Resources : public Device {};

TEST_F(Resources, ThousandCallsLeakNothing) {
  std::vector<Tensors> tensors;
  for (const DeviceFunction& f : device_functions()) tensors.emplace_back(f, 100003);
  const auto call_all = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      for (const Tensors& t : tensors) ASSERT_EQ(t.call(handle()), ACTINIDE_OK);
    }
    stream_->synchronize();
  };
  ASSERT_EQ(actinide_cuda_warm_up(), ACTINIDE_OK);
  call_all(1000);
  cuda::Context *before_context = nullptr, *after_context = nullptr;
  driver().cuCtxGetCurrent(&before_context);
  std::size_t before = 0, after = 0, total = 0;
  driver().cuMemGetInfo(&before, &total);
  call_all(1000);
  driver().cuMemGetInfo(&after, &total);
  driver().cuCtxGetCurrent(&after_context);
  EXPECT_EQ(after, before) << "bytes free on the device, if nothing else runs there";
  EXPECT_EQ(after_context, before_context);
  for (const Tensors& t : tensors) EXPECT_TRUE(t.is_right());
}

TEST_F(Resources, ControlRegisterIsUnchanged) {
  for (const DeviceFunction& f : device_functions()) {
    const Tensors t(f, 5000);
    const fp::Word before = fp::control();
    ASSERT_EQ(t.call(handle()), ACTINIDE_OK);
    EXPECT_EQ(fp::control(), before);
    stream_->synchronize();
  }
}

class Memories : public PerFunction {
 protected:
  static constexpr std::size_t n = 10007;

  /// x and y in memory that the host reads, too.
  void expect_right(void* memory) {
    const std::vector<std::byte> inputs = mixed_inputs(function().op->type, n, 12);
    auto* const x = static_cast<std::byte*>(memory);
    std::byte* const y = x + room();
    std::memcpy(x, inputs.data(), inputs.size());
    ASSERT_EQ(function()(x, y, n, 0.0f, handle()), ACTINIDE_OK);
    stream_->synchronize();
    EXPECT_EQ(std::vector<std::byte>(y, y + inputs.size()), on_cpu(function(), inputs, 0.0f));
  }

  /// x and y in memory of the device alone.
  void expect_right(cuda::Address memory) {
    const std::vector<std::byte> inputs = mixed_inputs(function().op->type, n, 12);
    std::vector<std::byte> y(inputs.size());
    cuda::copy_to_device(memory, inputs.data(), inputs.size());
    ASSERT_EQ(function()(reinterpret_cast<void*>(memory), reinterpret_cast<void*>(memory + room()), n, 0.0f, handle()), ACTINIDE_OK);
    stream_->synchronize();
    driver().cuMemcpyDtoH(y.data(), memory + room(), y.size());
    EXPECT_EQ(y, on_cpu(function(), inputs, 0.0f));
  }

  std::size_t room() const { return (function().bytes(n) + 4095) / 4096 * 4096; }
};

TEST_P(Memories, Managed) {
  if (cuda::attribute(cuda::managed_memory) == 0) GTEST_SKIP() << "the device has no managed memory";
  cuda::Address memory = 0;
  driver().cuMemAllocManaged(&memory, 2 * room(), cuda::attach_global);
  expect_right(reinterpret_cast<void*>(memory));
  driver().cuMemFree(memory);
}

TEST_P(Memories, PinnedHost) { expect_right(static_cast<void*>(PinnedMemory(2 * room()).data())); }

TEST_P(Memories, RegisteredHost) {
  void* const memory = mmap(nullptr, 2 * room(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  driver().cuMemHostRegister(memory, 2 * room(), cuda::host_mapped);
  expect_right(memory);
  driver().cuMemHostUnregister(memory);
  munmap(memory, 2 * room());
}

TEST_P(Memories, FromAPool) {
  if (cuda::attribute(cuda::memory_pools) == 0) GTEST_SKIP() << "the device has no memory pools";
  cuda::Address memory = 0;
  driver().cuMemAllocAsync(&memory, 2 * room(), stream());
  stream_->synchronize();
  expect_right(memory);
  driver().cuMemFreeAsync(memory, stream());
  stream_->synchronize();
}

TEST_P(Memories, UnregisteredHost) {
  const std::vector<std::byte> x = mixed_inputs(function().op->type, n, 12);
  std::vector<std::byte> y(x.size(), sentinel);
  const actinide_status status = function()(x.data(), y.data(), n, 0.0f, handle());
  stream_->synchronize();
  if (cuda::attribute(cuda::pageable_memory_access) != 0) {
    EXPECT_EQ(status, ACTINIDE_OK);
    EXPECT_EQ(y, on_cpu(function(), x, 0.0f));
  } else {
    EXPECT_EQ(status, ACTINIDE_DEVICE);
    EXPECT_TRUE(is_untouched(y.data(), y.data() + y.size()));
  }
}

TEST_P(Memories, OneTensorOnTheHost) {
  if (cuda::attribute(cuda::pageable_memory_access) != 0) GTEST_SKIP() << "the device reads all memory of the host";
  const Tensors t(function(), n);
  std::vector<std::byte> host(t.inputs());
  EXPECT_EQ(function()(host.data(), t.y().at(), n, 0.0f, handle()), ACTINIDE_DEVICE);
  EXPECT_EQ(function()(t.x().at(), host.data(), n, 0.0f, handle()), ACTINIDE_DEVICE);
  stream_->synchronize();
  EXPECT_TRUE(t.is_clear());
  EXPECT_EQ(host, t.inputs());
}

TEST_P(Memories, WrongArguments) {
  const Tensors t(function(), n);
  const std::size_t size = function().op->element_size;
  std::byte* const x = t.x().at();
  std::byte* const y = t.y().at();
  EXPECT_EQ(function()(nullptr, y, n, 1.0f, handle()), ACTINIDE_NULL_POINTER);
  EXPECT_EQ(function()(x, nullptr, n, 1.0f, handle()), ACTINIDE_NULL_POINTER);
  EXPECT_EQ(function()(nullptr, nullptr, 0, 1.0f, handle()), ACTINIDE_OK);
  EXPECT_EQ(function()(x, x + size, 2, 1.0f, handle()), ACTINIDE_OVERLAP);
  EXPECT_EQ(function()(x + size, x, 2, 1.0f, handle()), ACTINIDE_OVERLAP);
  EXPECT_EQ(function()(x + 1, y, 5, 1.0f, handle()), ACTINIDE_LAYOUT);
  EXPECT_EQ(function()(x, y + size - 1, 5, 1.0f, handle()), ACTINIDE_LAYOUT);
  EXPECT_EQ(function()(x, y, ~std::size_t{0}, 1.0f, handle()), ACTINIDE_SIZE_MISMATCH);
  stream_->synchronize();
  EXPECT_TRUE(t.is_clear());
}

INSTANTIATE_TEST_SUITE_P(, Memories, testing::ValuesIn(device_functions()), name_of);

/// Device memory with nothing before and behind it: accesses there fail, and after that everything in the context.
class Island {
 public:
  explicit Island(std::size_t size) {
    driver().cuMemGetAllocationGranularity(&page_, &properties_, 0);
    size_ = (size + page_ - 1) / page_ * page_;
    driver().cuMemAddressReserve(&reserved_, size_ + 2 * page_, 0, 0, 0);
    driver().cuMemCreate(&allocation_, size_, &properties_, 0);
    driver().cuMemMap(begin(), size_, 0, allocation_, 0);
    const cuda::Access access;
    driver().cuMemSetAccess(begin(), size_, &access, 1);
  }
  ~Island() {
    driver().cuMemUnmap.result(begin(), size_);
    driver().cuMemRelease.result(allocation_);
    driver().cuMemAddressFree.result(reserved_, size_ + 2 * page_);
  }
  Island(const Island&) = delete;
  Island& operator=(const Island&) = delete;

  cuda::Address begin() const { return reserved_ + page_; }
  cuda::Address end() const { return begin() + size_; }

 private:
  cuda::AllocationProperties properties_;
  cuda::Allocation allocation_ = 0;
  cuda::Address reserved_ = 0;
  std::size_t page_ = 0, size_ = 0;
};

TEST_F(Child, DISABLED_Islands) {
  if (cuda::attribute(cuda::virtual_memory_management) == 0) GTEST_SKIP() << "the device has no virtual memory management";
  constexpr std::size_t longest = 5000;
  const Island x(longest * 8), y(longest * 8);
  for (const DeviceFunction& f : device_functions()) {
    const std::vector<std::byte> inputs = mixed_inputs(f.op->type, longest, 13);
    const std::vector<std::byte> right = on_cpu(f, inputs, 0.0f);
    for (const bool at_end : {true, false}) {
      for (std::size_t n = 1; n <= longest; n += n < 600 ? 1 : 97) {
        const std::size_t size = f.bytes(n);
        const cuda::Address from = at_end ? x.end() - size : x.begin(), to = at_end ? y.end() - size : y.begin();
        driver().cuMemcpyHtoDAsync(from, inputs.data(), size, stream());
        ASSERT_EQ(f(reinterpret_cast<void*>(from), reinterpret_cast<void*>(to), n, 0.0f, handle()), ACTINIDE_OK) << "n = " << n;
        std::vector<std::byte> got(size);
        driver().cuMemcpyDtoHAsync(got.data(), to, size, stream());
        ASSERT_EQ(driver().cuStreamSynchronize.result(stream()), cuda::success)
            << "n = " << n << (at_end ? " at the end" : " at the beginning");
        ASSERT_EQ(std::memcmp(got.data(), right.data(), size), 0) << "n = " << n;
      }
    }
  }
}
TEST_F(Resources, NothingOutsideTheTensorsIsTouched) { run_in_child("Child.DISABLED_Islands"); }

TEST_F(Child, DISABLED_FailedContext) {
  constexpr char code[] = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry stop() { trap; }\n";
  const Tensors t(device_functions().front(), 5000);
  ASSERT_EQ(t.call(handle()), ACTINIDE_OK);
  stream_->synchronize();
  cuda::Library* library = nullptr;
  cuda::Kernel* stop = nullptr;
  const cuda::Result loaded = driver().cuLibraryLoadData.result(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (loaded == cuda::no_compiler) GTEST_SKIP() << "the driver has no compiler for PTX";
  ASSERT_EQ(loaded, cuda::success) << cuda::name_of(loaded);
  driver().cuLibraryGetKernel(&stop, library, "stop");
  driver().cuLaunchKernel(stop, 1, 1, 1, 1, 1, 1, 0, stream(), nullptr, nullptr);
  ASSERT_NE(driver().cuStreamSynchronize.result(stream()), cuda::success);
  for (const DeviceFunction& f : device_functions()) {
    EXPECT_EQ(f(t.x().at(), t.y().at(), 100, 1.0f, handle()), ACTINIDE_LAUNCH_FAILED) << f.op->name << " " << f.op->type_name;
  }
}
TEST(AfterAFailure, CallsSayLaunchFailed) { run_in_child("Child.DISABLED_FailedContext"); }

}  // namespace
}  // namespace actinide::test
