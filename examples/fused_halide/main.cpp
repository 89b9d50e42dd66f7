// Pipelines with an Elu inside against the same pipelines followed by the library's Elu: the same bits, in how much less time?
#include <HalideBuffer.h>
#include <actinide/actinide.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "bias_elu_apart_avx2.h"
#include "bias_elu_apart_avx512.h"
#include "bias_elu_apart_sse41.h"
#include "bias_elu_avx2.h"
#include "bias_elu_avx512.h"
#include "bias_elu_sse41.h"
#include "conv_elu_apart_avx2.h"
#include "conv_elu_apart_avx512.h"
#include "conv_elu_apart_sse41.h"
#include "conv_elu_avx2.h"
#include "conv_elu_avx512.h"
#include "conv_elu_sse41.h"

namespace {

struct Pipelines {
  const char* target;
  decltype(&bias_elu_avx2) bias, bias_apart;
  decltype(&conv_elu_avx2) conv, conv_apart;
};

constexpr Pipelines all[] = {
    {"sse41", bias_elu_sse41, bias_elu_apart_sse41, conv_elu_sse41, conv_elu_apart_sse41},
    {"avx2", bias_elu_avx2, bias_elu_apart_avx2, conv_elu_avx2, conv_elu_apart_avx2},
    {"avx512", bias_elu_avx512, bias_elu_apart_avx512, conv_elu_avx512, conv_elu_apart_avx512},
};

/// Both ways from the same inputs to results of the same shape. Tensors are row-major: columns first in Halide's order.
class Comparison {
 public:
  Comparison(const Pipelines& pipelines, int columns, int rows)
      : pipelines_(pipelines),
        columns_(columns),
        rows_(rows),
        x_(columns + 2, rows + 2),
        weights_(3, 3),
        bias_(columns),
        fused_(columns, rows),
        apart_(columns, rows) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> moderate(-4, 4);
    for (auto* buffer : {&x_, &weights_}) buffer->for_each_value([&](float& value) { value = moderate(random); });
    bias_.for_each_value([&](float& value) { value = moderate(random); });
  }

  bool conv = false;

  /// NaN, infinities and zeros here and there. Sums of infinities would be NaN that differ, so not for the convolution.
  void add_special_values() {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float special[] = {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, -0.0f, 1e-40f, -1e-40f};
    for (int i = 0; i < columns_; i += 7) x_(i, i % rows_) = special[i / 7 % std::size(special)];
    for (int i = 0; i < columns_; i += 5) bias_(i) = -0.0f;
  }

  void run_fused() { conv ? pipelines_.conv(x_, weights_, 0.25f, fused_) : pipelines_.bias(inner_, bias_, fused_); }

  void run_apart() {
    conv ? pipelines_.conv_apart(x_, weights_, 0.25f, apart_) : pipelines_.bias_apart(inner_, bias_, apart_);
    const std::span<float> y(apart_.data(), apart_.number_of_elements());
    if (actinide::elu(y, y, {.alpha = 1.0f}) != actinide::status::ok) std::abort();
  }

  bool is_same() {
    run_fused();
    run_apart();
    return std::equal(fused_.begin(), fused_.end(), apart_.begin(),
                      [](float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); });
  }

  std::size_t elements() const { return apart_.number_of_elements(); }

 private:
  using Tensor = Halide::Runtime::Buffer<float>;

  const Pipelines& pipelines_;
  int columns_, rows_;
  Tensor x_, weights_, bias_, fused_, apart_;
  Tensor inner_ = x_.cropped({{0, columns_}, {0, rows_}});
};

template <typename Function>
double seconds(int repetitions, Function function) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repetitions;
}

void measure(const Pipelines& pipelines, bool conv, int columns, int rows) {
  Comparison comparison(pipelines, columns, rows);
  comparison.conv = conv;
  const int repetitions = static_cast<int>(std::max<std::size_t>((std::size_t{1} << 23) / comparison.elements(), 1));
  double fused = 1, apart = 1;
  for (int round = 0; round < 15; ++round) {
    fused = std::min(fused, seconds(repetitions, [&] { comparison.run_fused(); }));
    apart = std::min(apart, seconds(repetitions, [&] { comparison.run_apart(); }));
  }
  const double nanoseconds = 1e9 / static_cast<double>(comparison.elements());
  std::printf("%-10s %-7s %9zu elements  fused %.3f ns  apart %.3f ns an element: %.2f times as fast\n", conv ? "conv + Elu" : "bias + Elu",
              pipelines.target, comparison.elements(), fused * nanoseconds, apart * nanoseconds, apart / fused);
}

}  // namespace

/// example [benchmark]
int main(int argc, char** argv) {
  const bool is_benchmark = argc > 1 && std::string_view(argv[1]) == "benchmark";
  bool is_same[2] = {true, true};
  for (const Pipelines& pipelines : all) {
    if (actinide::force_target(pipelines.target) != actinide::status::ok) continue;
    if (is_benchmark) {
      for (const bool conv : {false, true}) {
        measure(pipelines, conv, 64, 64);      // 16 KiB: in the L1 cache
        measure(pipelines, conv, 4096, 4096);  // 64 MiB: in memory
      }
      continue;
    }
    for (const int columns : {1, 5, 17, 64, 203}) {
      for (const bool conv : {false, true}) {
        Comparison comparison(pipelines, columns, 40);
        comparison.conv = conv;
        if (!conv) comparison.add_special_values();
        if (comparison.is_same()) continue;
        is_same[conv] = false;
        std::printf("%s differs: %s, %d columns\n", conv ? "conv + Elu" : "bias + Elu", pipelines.target, columns);
      }
    }
  }
  if (is_benchmark) return 0;
  for (const bool conv : {false, true}) {
    std::printf("%s: %s bits\n", conv ? "conv + Elu" : "bias + Elu", is_same[conv] ? "the same" : "other");
  }
  return !is_same[0] || !is_same[1];
}
