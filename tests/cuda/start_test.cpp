// What is decided or loaded once in a process: each case has a process of its own.
#include <actinide/cuda.hpp>
#include <sys/wait.h>

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>

#include "driver_test.h"

namespace actinide::test {
namespace {

/// Runs `body` in a new process, whose driver this is; a null pointer: none.
template <typename Body>
void with_driver(const char* path, Body body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if constexpr (std::is_invocable_v<Body>) {
      body();
    } else {
      const LoadedDriver loaded = load_driver(path);
      body(loaded.driver, loaded.record());
      EXPECT_EQ(loaded.driver.forbidden, 0);
      EXPECT_EQ(loaded.driver.retained, 0);
    }
    std::exit(testing::Test::HasFailure() ? 1 : 0);  // where sanitizers add what they have found
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  ASSERT_EQ(WEXITSTATUS(status), 0) << "see above";
}

float x_[300], y_[300];

/// Every function refuses, whatever it is given, and leaves y alone; the reason contains a phrase.
void expect_unsupported(const char* reason) {
  EXPECT_EQ(actinide_cuda_available(), 0);
  EXPECT_NE(std::string(actinide_cuda_reason()).find(reason), std::string::npos) << actinide_cuda_reason();
  std::fill(std::begin(y_), std::end(y_), 7.0f);
  for (const Operator& op : tools::operators()) {
    EXPECT_EQ(call(op, x_, y_, 100), ACTINIDE_UNSUPPORTED);
    EXPECT_EQ(call(op, nullptr, nullptr, 0), ACTINIDE_UNSUPPORTED);
    EXPECT_EQ(call(op, nullptr, nullptr, 1), ACTINIDE_UNSUPPORTED);
  }
  EXPECT_EQ(actinide_cuda_warm_up(), ACTINIDE_UNSUPPORTED);
  EXPECT_EQ(elu(std::span<const float>(x_), std::span(y_), {}, cuda_stream(nullptr)), status::unsupported);
  EXPECT_TRUE(std::all_of(std::begin(y_), std::end(y_), [](float y) { return y == 7.0f; }));
  EXPECT_FALSE(cuda_available());
  EXPECT_STREQ(cuda_reason(), actinide_cuda_reason());
  EXPECT_EQ(cuda_warm_up(), status::unsupported);
}

TEST(Start, NoDriver) {
  with_driver(nullptr, [] {
    EXPECT_EQ(dlopen("libcuda.so.1", RTLD_NOW), nullptr);
    expect_unsupported("no libcuda.so.1");
  });
}

TEST(Start, OldDriver) {
  with_driver(OLD_FAKE_DRIVER, [](FakeDriver&, Record& record) {
    expect_unsupported("driver is too old");
    EXPECT_TRUE(record.calls.empty());
  });
}

TEST(Start, NoDevice) {
  with_driver(FAKE_DRIVER, [](FakeDriver& driver, Record&) {
    driver.capabilities = {};
    expect_unsupported("finds no device");
  });
  for (const char* function : {"cuInit", "cuDeviceGetCount"}) {
    for (const cuda::Result result : {100, 101, 803, 999}) {
      with_driver(FAKE_DRIVER, [=](FakeDriver& driver, Record&) {
        driver.results[function] = result;
        expect_unsupported("finds no device");
      });
    }
  }
}

TEST(Start, DevicesOfEveryAge) {
  const std::vector<std::vector<int>> too_old = {{70}, {53, 72}, {37}};
  for (const std::vector<int>& capabilities : too_old) {
    with_driver(FAKE_DRIVER, [&](FakeDriver& driver, Record&) {
      driver.capabilities = capabilities;
      expect_unsupported("new enough");
    });
  }
  const std::vector<std::vector<int>> usable = {{75}, {80}, {90}, {121}, {70, 90}, {90, 52}};
  for (const std::vector<int>& capabilities : usable) {
    with_driver(FAKE_DRIVER, [&](FakeDriver& driver, Record&) {
      driver.capabilities = capabilities;
      EXPECT_EQ(actinide_cuda_available(), 1);
      EXPECT_TRUE(cuda_available());
      EXPECT_NE(std::string(actinide_cuda_reason()), "");
      EXPECT_EQ(actinide_cuda_elu_f32(x_, y_, 300, 1.0f, nullptr), ACTINIDE_OK);
    });
  }
  for (const char* function : {"cuDeviceGet", "cuDeviceGetAttribute"}) {
    with_driver(FAKE_DRIVER, [&](FakeDriver& driver, Record&) {
      driver.results[function] = 1;
      expect_unsupported("new enough");
    });
  }
}

TEST(Start, IsDecidedOnce) {
  with_driver(FAKE_DRIVER, [](FakeDriver& driver, Record& record) {
    EXPECT_EQ(actinide_cuda_available(), 1);
    driver.capabilities = {};
    for (int i = 0; i < 100; ++i) EXPECT_EQ(actinide_cuda_elu_f32(x_, y_, 300, 1.0f, nullptr), ACTINIDE_OK);
    EXPECT_EQ(record.count("cuInit"), 1);
    EXPECT_EQ(record.count("cuDeviceGetCount"), 1);
  });
  with_driver(FAKE_DRIVER, [](FakeDriver& driver, Record& record) {
    driver.capabilities = {};
    expect_unsupported("finds no device");
    driver.capabilities = {90};
    expect_unsupported("finds no device");
    EXPECT_EQ(record.count("cuInit"), 1);
  });
}

/// What the driver says of code that it or a device cannot use: CUDA_ERROR_INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX,
/// JIT_COMPILER_NOT_FOUND, UNSUPPORTED_PTX_VERSION, JIT_COMPILATION_DISABLED, INVALID_SOURCE.
bool does_not_fit(cuda::Result result) {
  return result == 200 || result == 209 || result == 218 || result == 221 || result == 222 || result == 223 || result == 300;
}

// And the next call tries again.
TEST(Start, FailuresOfTheDriver) {
  const std::set<std::string> of_warm_up = {"cuLibraryGetModule", "cuLibraryGetKernelCount", "cuLibraryEnumerateKernels",
                                            "cuKernelGetFunction", "cuFuncLoad"};
  std::set<std::string> functions = {"cuLibraryLoadData", "cuLibraryGetKernel", "cuLaunchKernel"};
  functions.insert(of_warm_up.begin(), of_warm_up.end());
  for (const std::string& function : functions) {
    for (const cuda::Result result : {1, 2, 3, 4, 200, 201, 209, 214, 218, 221, 222, 223, 300, 400, 500, 700, 701, 719, 801, 900, 999}) {
      with_driver(FAKE_DRIVER, [&](FakeDriver& driver, Record& record) {
        const bool in_warm_up = of_warm_up.contains(function);
        const auto run = [&] { return in_warm_up ? actinide_cuda_warm_up() : actinide_cuda_elu_f32(x_, y_, 300, 1.0f, nullptr); };
        driver.results[function] = result;
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(run(), does_not_fit(result) ? ACTINIDE_UNSUPPORTED : ACTINIDE_LAUNCH_FAILED) << function << " " << result;
          EXPECT_EQ(record.count(function), i + 1);
          EXPECT_TRUE(record.launches.empty());
          EXPECT_TRUE(record.current.empty()) << "a context was left behind";
        }
        driver.results.clear();
        EXPECT_EQ(run(), ACTINIDE_OK);
        EXPECT_EQ(record.launches.size(), in_warm_up ? 0u : 1u);
      });
    }
  }
}

TEST(Start, WarmUpLoadsEverythingOnce) {
  with_driver(FAKE_DRIVER, [](FakeDriver& driver, Record& record) {
    std::vector<std::string> all;
    for (const DeviceCode& code : all_device_code()) all.push_back(code.kernel);
    ASSERT_EQ(all.size(), 2 * tools::operators().size());
    EXPECT_EQ(actinide_cuda_warm_up(), ACTINIDE_OK);
    std::sort(all.begin(), all.end());
    std::sort(record.loaded.begin(), record.loaded.end());
    EXPECT_EQ(record.loaded, all);
    // Every kernel, which the driver would otherwise load when it is launched.
    std::multiset<std::string> kernels;
    for (const DeviceCode& code : all_device_code()) {
      for (const Entry& entry : code.entries) kernels.insert(entry.name);
    }
    EXPECT_EQ(std::multiset<std::string>(record.functions.begin(), record.functions.end()), kernels);
    // In the context of the moment; another may follow.
    EXPECT_EQ(record.count("cuLibraryGetModule"), static_cast<long>(all.size()));
    EXPECT_EQ(cuda_warm_up(), status::ok);
    EXPECT_EQ(record.count("cuLibraryGetModule"), 2 * static_cast<long>(all.size()));
    for (const Operator& op : tools::operators()) EXPECT_EQ(call(op, x_, y_, 100), ACTINIDE_OK);
    EXPECT_EQ(driver.loads, static_cast<int>(all.size()));
  });
}

TEST(Start, WarmUpNeedsAContext) {
  with_driver(FAKE_DRIVER, [](FakeDriver& driver, Record& record) {
    driver.has_primary_context = false;
    EXPECT_EQ(actinide_cuda_warm_up(), ACTINIDE_DEVICE);
    EXPECT_EQ(driver.loads, 0);
    cuda::Context context{0};
    record.current = {&context};
    EXPECT_EQ(actinide_cuda_warm_up(), ACTINIDE_OK);
  });
}

TEST(Start, SixteenThreadsAtOnce) {
  constexpr std::size_t threads = 16;
  with_driver(FAKE_DRIVER, [](FakeDriver& driver, Record&) {
    // The driver's memory would order the threads' accesses, and hide from ThreadSanitizer what the library does not.
    driver.remembers = false;
    std::barrier start(threads);
    std::atomic<int> failures = 0;
    std::vector<std::thread> pool;
    for (std::size_t i = 0; i < threads; ++i) {
      pool.emplace_back([&, i] {
        alignas(16) static float x[300], y[300];
        start.arrive_and_wait();
        for (int repeat = 0; repeat < 20; ++repeat) {
          for (std::size_t k = 0; k < tools::operators().size(); ++k) {
            const Operator& op = tools::operators()[(i + k) % tools::operators().size()];
            const bool is_aligned = (i + k + static_cast<std::size_t>(repeat)) % 2 == 0;
            for (const float alpha : {1.0f, 0.5f, 0.0f}) {
              if (call(op, is_aligned ? x : x + 2, y, 100, alpha) != ACTINIDE_OK) ++failures;
            }
          }
        }
      });
    }
    for (std::thread& t : pool) t.join();
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(driver.starts, 1);
    EXPECT_EQ(driver.loads, static_cast<int>(all_device_code().size()));
    EXPECT_EQ(driver.launches, static_cast<int>(threads * 20 * 3 * tools::operators().size()));
  });
}

// What one thread has loaded, by a call or before any, is there for another, which has waited for nothing else.
TEST(Start, LoadedByAnotherThread) {
  for (const bool by_warm_up : {false, true}) {
    with_driver(FAKE_DRIVER, [=](FakeDriver& driver, Record&) {
      driver.remembers = false;
      EXPECT_EQ(actinide_cuda_available(), 1);
      std::atomic<bool> is_loaded = false;
      std::atomic<int> failures = 0;
      const auto run = [&](bool warms_up) {
        const actinide_status status = warms_up ? actinide_cuda_warm_up() : actinide_cuda_elu_f32(x_, y_, 300, 1.0f, nullptr);
        failures.fetch_add(status != ACTINIDE_OK, std::memory_order_relaxed);
      };
      std::thread first([&] {
        run(by_warm_up);
        is_loaded.store(true, std::memory_order_relaxed);
      });
      std::thread second([&] {
        while (!is_loaded.load(std::memory_order_relaxed)) std::this_thread::yield();
        run(false);
      });
      first.join();
      second.join();
      EXPECT_EQ(failures, 0);
      EXPECT_EQ(driver.loads, by_warm_up ? static_cast<int>(all_device_code().size()) : 1);
      EXPECT_EQ(driver.lookups, 1);
    });
  }
}

TEST(Start, AThousandCallsLeaveNothing) {
  with_driver(FAKE_DRIVER, [](FakeDriver& driver, Record& record) {
    const auto run = [] {
      for (const Operator& op : tools::operators()) {
        for (const float alpha : {1.0f, 0.5f, 0.0f}) ASSERT_EQ(call(op, x_, y_, 300 / 2, alpha), ACTINIDE_OK);
      }
    };
    run();
    const int loads = driver.loads, lookups = driver.lookups;
    for (int i = 0; i < 1000; ++i) run();
    EXPECT_EQ(driver.loads, loads);
    EXPECT_EQ(driver.lookups, lookups) << "kernels are looked up once";
    EXPECT_EQ(driver.retained, 0);
    EXPECT_TRUE(record.current.empty());
  });
}

}  // namespace
}  // namespace actinide::test
