// The device code that the library carries, as the build has written it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace actinide::test {

/// A kernel of a PTX file.
struct Entry {
  std::string name;
  std::vector<std::string> parameters;  ///< their types: "u64", "f32"
  bool multiplies = false;              ///< does it have arithmetic of floating point?
};

struct DeviceCode {
  std::string kernel;  ///< "actinide_k_elu_f32_cuda"
  std::string image;   ///< what is embedded: a fat binary, or PTX with a zero at its end
  std::string ptx;
  std::vector<Entry> entries;
};

/// That of every kernel object.
const std::vector<DeviceCode>& all_device_code();

/// The kernel object that the image belongs to; null if there is none like it.
const DeviceCode* find_device_code(const void* image);

constexpr std::uint32_t fat_binary_magic = 0xba55ed50;

}  // namespace actinide::test
