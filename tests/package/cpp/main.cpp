// A consumer of the installed C++ API. Expected values: mpmath, 30 digits.
#include <actinide/actinide.hpp>
#include <actinide/dlpack_tensor.hpp>
#include <actinide/parallel.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

int main() {
  int wrong = 0;
  const auto expect = [&wrong](const char* what, double got, double want, double tolerance) {
    if (std::abs(got - want) <= tolerance && std::signbit(got) == std::signbit(want)) return;
    std::printf("%s: %.17g instead of %.17g\n", what, got, want);
    ++wrong;
  };

  std::array<float, 3> f32 = {-1.0f, -0.0f, 2.0f};
  if (actinide::elu(f32, std::span(f32), {.alpha = 2.0f}) != actinide::status::ok) return 1;
  expect("elu f32", f32[0], -1.26424111765711535680895245968, 2.4e-7);
  expect("elu f32", f32[1], -0.0, 0);
  expect("elu f32", f32[2], 2.0, 0);

  std::array<double, 2> f64 = {-1.0, 3.0};
  if (actinide::elu(f64, std::span(f64)) != actinide::status::ok) return 1;
  expect("elu f64", f64[0], -0.63212055882855767840447622984, 2.3e-16);
  expect("elu f64", f64[1], 3.0, 0);

  std::array<actinide::float16, 2> f16 = {actinide::float16{0xbc00}, {0x3c00}};  // -1, 1
  if (actinide::elu(f16, std::span(f16)) != actinide::status::ok) return 1;
  expect("elu f16", f16[0].bits, 0xb90f, 0);
  expect("elu f16", f16[1].bits, 0x3c00, 0);

  std::array<actinide::bfloat16, 2> bf16 = {actinide::bfloat16{0x3f80}, {0x4000}};  // 1, 2
  if (actinide::thresholded_relu(bf16, std::span(bf16)) != actinide::status::ok) return 1;
  expect("thresholded_relu bf16", bf16[0].bits, 0, 0);
  expect("thresholded_relu bf16", bf16[1].bits, 0x4000, 0);

  std::vector<float> large(1 << 20, -1.0f);
  if (actinide::elu(large, large, {.alpha = 2.0f}, actinide::parallel{2}) != actinide::status::ok) return 1;
  for (const float y : {large.front(), large[large.size() / 2], large.back()}) {
    expect("elu f32, two threads", y, -1.26424111765711535680895245968, 2.4e-7);
  }

  const std::array<std::int64_t, 2> shape = {2, 2}, turned = {1, 2};
  std::array<float, 4> matrix = {-1.0f, 2.0f, 3.0f, 4.0f}, transposed{};
  const actinide::tensor_view in(matrix.data(), shape, turned), out(transposed.data(), shape);
  if (actinide::elu(in, out, {.alpha = 2.0f}) != actinide::status::ok) return 1;
  expect("elu of a transposed matrix", transposed[0], -1.26424111765711535680895245968, 2.4e-7);
  expect("elu of a transposed matrix", transposed[1], 3.0, 0);

  if (actinide::elu(std::span(f32), std::span<float>(f32).first(2)) != actinide::status::size_mismatch) {
    std::printf("spans of two sizes are accepted\n");
    ++wrong;
  }
  std::printf("active target: %s\n", actinide::active_target());
  return wrong;
}
