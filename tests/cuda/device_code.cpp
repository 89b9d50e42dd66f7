#include "device_code.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace actinide::test {

namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Entry> entries_of(const std::string& ptx) {
  constexpr std::string_view head = ".visible .entry ", parameter = "\t.param .";
  std::vector<Entry> entries;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(head)) {
      entries.push_back({line.substr(head.size(), line.find('(') - head.size()), {}});
    } else if (line.starts_with(parameter)) {
      entries.back().parameters.push_back(line.substr(parameter.size(), line.find(' ', parameter.size()) - parameter.size()));
    } else if (line.starts_with("\tmul.f") || line.starts_with("\tfma.rn.f")) {
      entries.back().multiplies = true;
    }
  }
  return entries;
}

}  // namespace

const std::vector<DeviceCode>& all_device_code() {
  static const std::vector<DeviceCode> all = [] {
    std::vector<DeviceCode> result;
    std::istringstream names(ACTINIDE_CUDA_KERNELS);
    for (std::string name; names >> name;) {
      const std::string base = ACTINIDE_KERNEL_DIR "/" + name, ptx = read(base + ".ptx");
      result.push_back({name, ACTINIDE_CUDA_HAS_BINARIES ? read(base + ".fatbin") : ptx + '\0', ptx, entries_of(ptx)});
    }
    return result;
  }();
  return all;
}

const DeviceCode* find_device_code(const void* image) {
  const auto* const bytes = static_cast<const char*>(image);
  std::uint64_t size = std::strlen(bytes) + 1;
  if (std::memcmp(bytes, &fat_binary_magic, sizeof(fat_binary_magic)) == 0) {  // then a version, the sizes of this header and of the rest
    std::uint16_t header;
    std::memcpy(&header, bytes + 6, sizeof(header));
    std::memcpy(&size, bytes + 8, sizeof(size));
    size += header;
  }
  for (const DeviceCode& code : all_device_code()) {
    if (code.image.size() == size && std::memcmp(code.image.data(), bytes, size) == 0) return &code;
  }
  return nullptr;
}

}  // namespace actinide::test
