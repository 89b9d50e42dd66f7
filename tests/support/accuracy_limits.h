// The promises of tests/accuracy/limits.def.
#pragma once

#include <sstream>
#include <string>
#include <string_view>

#include "target_test.h"

namespace actinide::test {

/// Which attributes a limit is for: 1, or any finite one but 0.
enum class Attributes { one, any };

struct Limit {
  std::string_view op, type;
  const char* targets;
  Attributes attributes;
  double limit, worst;
  float attribute;
  std::uint64_t x, returned;
  long double exact;
};

inline constexpr Limit limits[] = {
#define LIMIT(op, type, targets, attributes, limit, worst, attribute, x, returned, exact) \
  {#op, #type, targets, Attributes::attributes, limit, worst, attribute, x, returned, exact##L},
#include "../accuracy/limits.def"
#undef LIMIT
};

inline bool has_word(const std::string& words, const std::string& word) {
  std::istringstream stream(words);
  for (std::string w; stream >> w;) {
    if (w == word) return true;
  }
  return false;
}

/// Null where the results are exact bits and there is nothing to limit.
inline const Limit* find_limit(const Parameter& p, Attributes attributes) {
  for (const Limit& l : limits) {
    if (l.op == p.op->name && l.type == p.op->type_name && has_word(l.targets, p.target) && l.attributes == attributes) return &l;
  }
  return nullptr;
}

}  // namespace actinide::test
