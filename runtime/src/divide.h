// Division that needs no function of libgcc.
#pragma once

#include <cstddef>

namespace actinide::detail {

struct Quotient {
  std::size_t quotient, remainder;
};

inline Quotient divide(std::size_t a, std::size_t b) noexcept {
#if defined(__arm__) && !defined(__ARM_FEATURE_IDIV)  // the compiler would call libgcc
  Quotient result{0, 0};
  for (int bit = 31; bit >= 0; --bit) {
    result.remainder = result.remainder << 1 | (a >> bit & 1);
    if (result.remainder >= b) {
      result.remainder -= b;
      result.quotient |= std::size_t{1} << bit;
    }
  }
  return result;
#else
  return {a / b, a % b};
#endif
}

}  // namespace actinide::detail
