// The promises of tests/accuracy/limits.def.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "bits.h"
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

/// Of which limit a result is.
inline Attributes attributes_of(float attribute) { return attribute == 1.0f ? Attributes::one : Attributes::any; }

/// Is the worst of all inputs known, so that nothing worse may turn up?
inline bool worst_is_known(const Limit& limit) {
  return limit.type != "f64" && (limit.attributes == Attributes::one || limit.type != "f32");
}

/// Where float32 and float64 results are subnormal, each operation rounds to the same units. Half a unit for alpha 2^k, which counts up to
/// 1.41 times, and for each product and sum: two with FMA, four without, that make less than 2 and 3 units.
inline double subnormal_limit(Arithmetic arithmetic) { return arithmetic == Arithmetic::fma ? 2.0 : 3.0; }

inline bool has_loose_subnormals(ElementType type, float attribute) { return format_of(type).bits > 16 && attribute != 1.0f; }

inline double smallest_normal(ElementType type) {
  const auto format = format_of(type);
  return std::ldexp(1.0, format.smallest_exponent + format.fraction);
}

/// Null where the results are exact bits and there is nothing to limit.
inline const Limit* find_limit(const Parameter& p, Attributes attributes) {
  for (const Limit& l : limits) {
    if (l.op == p.op->name && l.type == p.op->type_name && l.arithmetic == arithmetic_of(p.target) && l.attributes == attributes) return &l;
  }
  return nullptr;
}

}  // namespace actinide::test
