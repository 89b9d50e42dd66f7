// The functions with an executor, of every operator and element type of the list.
#pragma once

#include "operator_table.h"

namespace actinide::test {

using CallOn = actinide_status (*)(const actinide_executor* executor, const void* x, void* y, std::size_t n, const float* attributes);

/// The function of `op` that takes an executor.
inline CallOn call_on(const tools::Operator& op) {
  struct Row {
    std::string_view name, type_name;
    CallOn call;
  };
#define ARGUMENTS(...) __VA_ARGS__
#define ACTINIDE_ROW(operator_, type_, c_type, arguments, count, attributes_)                                                   \
  {#operator_, #type_,                                                                                                          \
   [](const actinide_executor* executor, const void* x, void* y, std::size_t n, [[maybe_unused]] const float* attributes) {     \
     return actinide_##operator_##_##type_##_on(executor, static_cast<const c_type*>(x), static_cast<c_type*>(y), n arguments); \
   }},
  static constexpr Row rows[] = {
#include "operator_table.inc"
  };
#undef ACTINIDE_ROW
#undef ARGUMENTS
  for (const Row& row : rows) {
    if (row.name == op.name && row.type_name == op.type_name) return row.call;
  }
  return nullptr;
}

}  // namespace actinide::test
