// Every 16-bit element through the formulas of mixed_widths.cpp, at every place of a vector.
#include <actinide/actinide.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "arguments.h"
#include "bits.h"

using actinide::detail::Arguments;
using actinide::detail::Buffer;
using actinide::tools::ElementType;

extern "C" {
#define KERNEL(type, target) int actinide_k_mixed_widths_##type##_##target(Buffer*, float, Buffer*);
ACTINIDE_KERNELS
#undef KERNEL
}

namespace {

struct Kernel {
  const char* name;
  ElementType type;
  const char* target;
  int (*call)(Buffer*, float, Buffer*);
};

constexpr Kernel kernels[] = {
#define KERNEL(type, target) {#type " " #target, ElementType::type, #target, actinide_k_mixed_widths_##type##_##target},
    ACTINIDE_KERNELS
#undef KERNEL
};

double expected(int variant, double x) {
  switch (variant) {
    case 0:
    case 1:
    case 2: return x < 0 ? 3 * x : x;
    case 3: return x < -1 ? 3 * x : x;
    case 4: return x < 0 || x > 1 ? 3 * x : x;
    default: return 3 * x + (x < 0 ? 1 : 0);  // rounded to float32 before, which the numbers here do not need
  }
}

}  // namespace

int main() {
  using namespace actinide::tools;
  int failures = 0, run = 0;
  for (const Kernel& kernel : kernels) {
    if (actinide_force_target(kernel.target) != ACTINIDE_OK) continue;
    for (int variant = 0; variant < 6; ++variant) {
      // An odd factor takes the elements through all places; 37 more leave a rest.
      constexpr std::size_t n = 65536 + 37;
      std::vector<std::uint16_t> x(n), y(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint16_t>(i * 40503);
      Arguments arguments(x.data(), y.data(), n);
      kernel.call(&arguments.x, static_cast<float>(variant), &arguments.y);
      for (std::size_t i = 0; i < n; ++i) {
        const double value = value_of(kernel.type, x[i]);
        const double wanted = expected(variant, value);
        if (std::isnan(value) || (variant == 5 && static_cast<double>(static_cast<float>(wanted)) != wanted)) continue;
        const std::uint64_t bits = nearest_bits(kernel.type, wanted);
        if (y[i] == bits) continue;
        std::printf("%s, variant %d: %04x gives %04x, not %04x\n", kernel.name, variant, x[i], y[i], static_cast<unsigned>(bits));
        if (++failures == 20) return 1;
      }
      ++run;
    }
  }
  std::printf("%d formulas\n", run);
  return failures != 0 || run == 0;
}
