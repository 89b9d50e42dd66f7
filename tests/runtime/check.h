// Right results, for tests of everything around them.
#pragma once

#include <vector>

#include "references.h"

namespace actinide::test {

/// `n` numbers of both signs, the same each time.
inline std::vector<std::byte> some_inputs(const tools::Operator& op, std::size_t n) {
  std::vector<std::byte> x(n * op.element_size);
  for (std::size_t i = 0; i < n; ++i) {
    store_bits(op.type, x.data(), i, nearest_bits(op.type, (i % 3 == 0 ? 1 : -1) * (0.03125 + 0.125 * static_cast<double>(i % 67))));
  }
  return x;
}

/// Is `y` the operator's result for `x`, to two ULP?
inline bool is_right(const tools::Operator& op, const std::vector<std::byte>& x, const std::vector<std::byte>& y, float attribute) {
  const ReferenceRow* reference = find_reference(op.name);
  if (reference == nullptr) return false;
  for (std::size_t i = 0; i < x.size() / op.element_size; ++i) {
    const Reference right = reference->function(op.type, load_bits(op.type, x.data(), i), rounded_attribute(op.type, attribute));
    const std::uint64_t bits = load_bits(op.type, y.data(), i);
    if (right.is_exact ? bits != right.bits : !(ulp_error(op.type, bits, right.value) <= 2)) return false;
  }
  return true;
}

/// Calls the operator: does it succeed, with right results?
inline bool works(const tools::Operator& op, std::size_t n = 150) {
  const std::vector<std::byte> x = some_inputs(op, n);
  for (const float attribute : {1.0f, 0.75f}) {
    std::vector<std::byte> y(x.size());
    const std::vector<float> attributes(op.attributes.size(), attribute);
    if (op.call(x.data(), y.data(), n, attributes.data()) != ACTINIDE_OK || !is_right(op, x, y, attribute)) return false;
  }
  return true;
}

inline bool all_work() {
  for (const tools::Operator& op : tools::operators()) {
    if (!works(op)) return false;
  }
  return true;
}

/// Does every function refuse, and leave y alone?
inline bool all_unsupported() {
  for (const tools::Operator& op : tools::operators()) {
    const std::vector<float> attributes(op.attributes.size(), 1.0f);
    const std::vector<std::byte> x = some_inputs(op, 40);
    std::vector<std::byte> y(x.size(), std::byte{0xa5});
    const std::vector<std::byte> untouched = y;
    if (op.call(x.data(), y.data(), 40, attributes.data()) != ACTINIDE_UNSUPPORTED || y != untouched) return false;
    if (op.call(nullptr, nullptr, 0, attributes.data()) != ACTINIDE_UNSUPPORTED) return false;
  }
  return true;
}

}  // namespace actinide::test
