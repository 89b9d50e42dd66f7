// What the test compares with.
#include <cmath>

extern "C" long double softsign_reference(long double x, const long double*) {
  return std::isinf(x) ? std::copysign(1.0L, x) : x / (1 + std::fabs(x));
}
