// This library beside someone else's Halide library in one program: theirs brings Halide's runtime, ours none. Expected value: mpmath, 30
// digits.
#include <actinide/actinide.h>

#include <cstdio>

#include "HalideRuntime.h"

extern "C" int their_kernel(halide_buffer_t* x, float alpha, halide_buffer_t* y);

namespace {

int reports = 0;
void report(void*, const char*) { ++reports; }

halide_buffer_t buffer_of(float* values, halide_dimension_t* dimension) {
  halide_buffer_t buffer{};
  buffer.host = reinterpret_cast<uint8_t*>(values);
  buffer.type = halide_type_t(halide_type_float, 32);
  buffer.dimensions = 1;
  buffer.dim = dimension;
  return buffer;
}

bool is_right(const float* y) {
  const double exact = -0.786938680574733152792490930619;  // 2 (exp(-0.5) - 1)
  return y[0] - exact <= 1.2e-7 && exact - y[0] <= 1.2e-7 && y[1] == 3.0f;
}

}  // namespace

int main() {
  halide_set_error_handler(report);
  float x[2] = {-0.5f, 3.0f};
  float y[2] = {};
  halide_dimension_t two(0, 2, 1);
  halide_buffer_t input = buffer_of(x, &two);
  halide_buffer_t output = buffer_of(y, &two);
  if (their_kernel(&input, 2.0f, &output) != 0 || !is_right(y)) return 1;

  float z[2] = {};
  if (actinide_elu_f32(x, z, 2, 2.0f) != ACTINIDE_OK || !is_right(z)) return 2;
  if (actinide_elu_f32(x, nullptr, 2, 2.0f) != ACTINIDE_NULL_POINTER || reports != 0) return 3;

  // Their errors still go to their handler.
  halide_dimension_t one(0, 1, 1);
  halide_buffer_t small = buffer_of(x, &one);
  if (their_kernel(&small, 2.0f, &output) == 0 || reports == 0) return 4;
  std::printf("active target: %s\n", actinide_active_target());
  return 0;
}
