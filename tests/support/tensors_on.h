// The functions for DLPack tensors, of every operator of the list.
#pragma once

#include <actinide/dlpack_tensor.h>

#include "operator_table.h"

namespace actinide::test {

using CallTensors = actinide_status (*)(const DLTensor* x, DLTensor* y, const float* attributes);

/// The function of `op` for tensors; it serves all element types.
inline CallTensors call_tensors(const tools::Operator& op) {
  struct Row {
    std::string_view name;
    CallTensors call;
  };
#define ARGUMENTS(...) __VA_ARGS__
#define ACTINIDE_ROW(operator_, type_, c_type, arguments, count, attributes_) \
  {#operator_,                                                                \
   [](const DLTensor* x, DLTensor* y, [[maybe_unused]] const float* attributes) { return actinide_##operator_(x, y arguments); }},
  static constexpr Row rows[] = {
#include "operator_table.inc"
  };
#undef ACTINIDE_ROW
#undef ARGUMENTS
  for (const Row& row : rows) {
    if (row.name == op.name) return row.call;
  }
  return nullptr;
}

inline DLDataType dlpack_type_of(const tools::Operator& op) {
  const bool is_bf16 = op.type == tools::ElementType::bf16;
  return {static_cast<std::uint8_t>(is_bf16 ? kDLBfloat : kDLFloat), static_cast<std::uint8_t>(8 * op.element_size), 1};
}

}  // namespace actinide::test
