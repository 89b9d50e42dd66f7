// A layer y = elu(W x + b), and the activation alone of bfloat16.
#include <actinide/actinide.hpp>
#include <actinide/parallel.hpp>

#include <array>
#include <cstdio>
#include <span>
#include <vector>

namespace {

bool layer(std::span<const float> weights, std::span<const float> bias, std::span<const float> x, std::span<float> y) {
  for (std::size_t row = 0; row < y.size(); ++row) {
    y[row] = bias[row];
    for (std::size_t column = 0; column < x.size(); ++column) y[row] += weights[row * x.size() + column] * x[column];
  }
  return actinide::elu(y, y, {.alpha = 1.0f}) == actinide::status::ok;  // in place
}

}  // namespace

int main() {
  const std::array<float, 6> weights = {1, 0, 0, 1, -1, -1};
  const std::array<float, 3> bias = {0, 0, 1};
  const std::array<float, 2> x = {2, -1};
  std::array<float, 3> y{};
  if (!layer(weights, bias, x, y)) return 1;
  std::printf("layer: %g %g %g\n", y[0], y[1], y[2]);

  // A large tensor, divided over two threads. The status tells what went wrong.
  std::vector<float> large(1 << 20, -1.0f);
  const actinide::status status = actinide::elu(large, large, {.alpha = 0.5f}, actinide::parallel{2});
  if (status != actinide::status::ok) {
    std::fprintf(stderr, "%s\n", actinide_status_string(static_cast<actinide_status>(status)));
    return 1;
  }
  std::printf("large: %g %g\n", large.front(), large.back());

  // bfloat16 is stored as its 16 bits: 1, 2 and -2.
  std::array<actinide::bfloat16, 3> half = {actinide::bfloat16{0x3f80}, {0x4000}, {0xc000}};
  if (actinide::thresholded_relu(half, std::span(half), {.alpha = 1.5f}) != actinide::status::ok) return 1;
  std::printf("bfloat16: %04x %04x %04x\n", half[0].bits, half[1].bits, half[2].bits);
}
