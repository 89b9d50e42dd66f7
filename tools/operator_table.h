// Every operator and element type of the list, callable by name.
#pragma once

#include <actinide/actinide.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The function behind a row. Tests of devices have their own, which bring the tensors there and back.
#ifdef ACTINIDE_FUNCTIONS_HEADER
#include ACTINIDE_FUNCTIONS_HEADER
#else
#define ACTINIDE_FUNCTION_OF(operator_, type_) actinide_##operator_##_##type_
#endif

namespace actinide::tools {

enum class ElementType { f16, bf16, f32, f64 };

struct Attribute {
  std::string_view name;
  float default_value;
};

/// One function of the library: an operator for an element type.
struct Operator {
  std::string_view name;       ///< as in the list, "elu"
  std::string_view type_name;  ///< "f32"
  ElementType type;
  std::size_t element_size;  ///< bytes
  std::span<const Attribute> attributes;
  /// `attributes` holds as many values as this->attributes.
  actinide_status (*call)(const void* x, void* y, std::size_t n, const float* attributes);
};

namespace detail {

#define ARGUMENTS(...) __VA_ARGS__
#define ATTRIBUTES(...) __VA_ARGS__
#define ACTINIDE_ROW(operator_, type_, c_type, arguments, count, attributes_) \
  inline constexpr std::array<Attribute, count> attributes_of_##operator_##_##type_ = {{attributes_}};
#include "operator_table.inc"
#undef ACTINIDE_ROW

inline constexpr Operator operators[] = {
#define ACTINIDE_ROW(operator_, type_, c_type, arguments, count, attributes_)                                            \
  {#operator_,                                                                                                           \
   #type_,                                                                                                               \
   ElementType::type_,                                                                                                   \
   sizeof(c_type),                                                                                                       \
   attributes_of_##operator_##_##type_,                                                                                  \
   [](const void* x, void* y, std::size_t n, [[maybe_unused]] const float* attributes) {                                 \
     return ACTINIDE_FUNCTION_OF(operator_, type_)(static_cast<const c_type*>(x), static_cast<c_type*>(y), n arguments); \
   }},
#include "operator_table.inc"
#undef ACTINIDE_ROW
#undef ARGUMENTS
#undef ATTRIBUTES
};

}  // namespace detail

inline std::span<const Operator> operators() { return detail::operators; }

/// Null if the list has no such operator or it has no such type.
inline const Operator* find_operator(std::string_view name, std::string_view type_name) {
  for (const Operator& op : detail::operators) {
    if (op.name == name && op.type_name == type_name) return &op;
  }
  return nullptr;
}

}  // namespace actinide::tools
