// Every function of the library on device memory, beside its row in the operator table.
#pragma once

#include <actinide/cuda.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "operator_table.h"

namespace actinide::test {

struct DeviceFunction {
  const tools::Operator* op;
  actinide_status (*with_attributes)(const void* x, void* y, std::size_t n, const float* attributes, void* stream);

  /// All attributes have one value.
  actinide_status operator()(const void* x, void* y, std::size_t n, float attribute, void* stream) const {
    return with_attributes(x, y, n, same(attribute).data(), stream);
  }

  std::array<float, 8> same(float attribute) const {
    if (op->attributes.size() > 8) std::abort();
    std::array<float, 8> attributes;
    attributes.fill(attribute);
    return attributes;
  }

  std::size_t bytes(std::size_t n) const { return n * op->element_size; }
};

inline std::vector<DeviceFunction> device_functions() {
  static constexpr decltype(DeviceFunction::with_attributes) functions[] = {
#define ARGUMENTS(...) __VA_ARGS__
#define ACTINIDE_ROW(operator_, type_, c_type, arguments, count, attributes_)                                                \
  [](const void* x, void* y, std::size_t n, [[maybe_unused]] const float* attributes, void* stream) {                        \
    return actinide_cuda_##operator_##_##type_(static_cast<const c_type*>(x), static_cast<c_type*>(y), n arguments, stream); \
  },
#include "operator_table.inc"
#undef ACTINIDE_ROW
#undef ARGUMENTS
  };
  std::vector<DeviceFunction> all;
  for (const tools::Operator& op : tools::operators()) all.push_back({&op, functions[all.size()]});
  return all;
}

}  // namespace actinide::test
