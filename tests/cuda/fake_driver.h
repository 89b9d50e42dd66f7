// A CUDA driver without a device: libcuda.so.1 that does as a test tells it and remembers what it was asked.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/driver.h"
#include "device_code.h"

namespace actinide::cuda {

struct Context {
  Device device;
};

struct Stream {
  Context* context;
};

}  // namespace actinide::cuda

namespace actinide::test {

struct Launch {
  const DeviceCode* code;
  const Entry* entry;
  unsigned grid[3], block[3], shared_bytes;
  cuda::Stream* stream;
  cuda::Context* context;
  std::vector<std::uint64_t> parameters;  ///< with zeros above what their types have

  // Halide sorts the parameters by kind and size, and promises no order beyond that: sorted here. What is read and what is written, and how
  // far, tests/cuda/ptx_test.py sees.
  std::vector<std::uint64_t> addresses() const { return sorted(parameters.begin(), parameters.begin() + 2); }
  std::vector<std::uint64_t> of_attributes() const { return {parameters.begin() + 2, parameters.end() - 3}; }
  std::vector<std::uint64_t> numbers() const { return sorted(parameters.end() - 3, parameters.end()); }
  /// Is the attribute among those, or its negative, as float32 or float64?
  bool passes(float attribute) const {
    return std::ranges::any_of(of_attributes(), [=](std::uint64_t parameter) {
      for (const float value : {attribute, -attribute}) {
        if (parameter == std::bit_cast<std::uint32_t>(value) || parameter == std::bit_cast<std::uint64_t>(double{value})) return true;
      }
      return false;
    });
  }

 private:
  static std::vector<std::uint64_t> sorted(std::vector<std::uint64_t>::const_iterator first,
                                           std::vector<std::uint64_t>::const_iterator last) {
    std::vector<std::uint64_t> all(first, last);
    std::ranges::sort(all);
    return all;
  }
};

/// What one thread has asked for.
struct Record {
  std::vector<std::string> calls;
  std::vector<std::string> loaded;     ///< kernel objects
  std::vector<std::string> functions;  ///< kernels that were loaded before they were launched
  std::vector<Launch> launches;
  std::vector<cuda::Context*> current;  ///< its stack of contexts

  long count(const std::string& function) const;
};

/// What a test says of the driver and its devices.
struct Behaviour {
  std::vector<int> capabilities = {90};         ///< of the devices, 10 * major + minor
  std::map<std::string, cuda::Result> results;  ///< functions that fail, and how
  /// Where a device finds what is at an address of the host; 0: it does not know.
  std::function<std::uint64_t(std::uintptr_t)> device_address = [](std::uintptr_t address) { return std::uint64_t{address}; };
  bool has_another_devices_memory = false;  ///< what the device does not know is another's
  bool pageable_memory_access = false;
  bool has_primary_context = true;  ///< of device 0, made by the program
  bool remembers = true;            ///< keeps records
};

/// And what all threads together have done.
struct FakeDriver : Behaviour {
  std::atomic<int> starts{0}, loads{0}, lookups{0}, launches{0}, retained{0};
  std::atomic<int> forbidden{0};  ///< calls that no function may make, or not in the state that it finds
  cuda::Context primary{0};
};

inline long Record::count(const std::string& function) const {
  long n = 0;
  for (const std::string& call : calls) n += call == function;
  return n;
}

/// A driver and its memory of the calling thread.
struct LoadedDriver {
  FakeDriver& driver;
  Record* (*record_of_thread)();

  Record& record() const { return *record_of_thread(); }
};

/// Opens the driver, which the library then finds under its name. The programs' own search path leads to a file that cannot be opened, so
/// without this there is no driver, not even where a real one is installed.
inline LoadedDriver load_driver(const char* path) {
  void* const object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) throw std::runtime_error(dlerror());
  const auto driver = reinterpret_cast<FakeDriver* (*)()>(dlsym(object, "actinide_fake_driver"));
  const auto record = reinterpret_cast<Record* (*)()>(dlsym(object, "actinide_fake_record"));
  if (driver == nullptr || record == nullptr) throw std::runtime_error(dlerror());
  return {*driver(), record};
}

}  // namespace actinide::test
