// The promises of tests/accuracy/limits.def.
#pragma once

#include <string>
#include <string_view>

#include "target_test.h"

namespace actinide::test {

/// Which attributes a limit is for: 1, or any finite one but 0.
enum class Attributes { one, any };

struct Limit {
  std::string_view op, type;
  Arithmetic arithmetic;
  Attributes attributes;
  double limit, worst;
  float attribute;
  std::uint64_t x, returned;
  const char* exact;  ///< in decimal, more digits than double has
};

inline constexpr Limit limits[] = {
#define LIMIT(op, type, arithmetic, attributes, limit, worst, attribute, x, returned, exact) \
  {#op, #type, Arithmetic::arithmetic, Attributes::attributes, limit, worst, attribute, x, returned, #exact},
#include "../accuracy/limits.def"
#undef LIMIT
};

/// Null where the results are exact bits and there is nothing to limit.
inline const Limit* find_limit(const Parameter& p, Attributes attributes) {
  for (const Limit& l : limits) {
    if (l.op == p.op->name && l.type == p.op->type_name && l.arithmetic == arithmetic_of(p.target) && l.attributes == attributes) return &l;
  }
  return nullptr;
}

}  // namespace actinide::test
