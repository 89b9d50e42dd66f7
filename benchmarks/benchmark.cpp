// One benchmark for every row of the list: OPERATOR/TYPE/TARGET/N/PLACEMENT, where PLACEMENT is y - x modulo 4096. Beside them, in the same
// run: the bare kernel (kernel/...), the arithmetic that Elu cannot do without (arithmetic/...), and copies (copy/..., memcpy/...).
//
//   make bench        runs all, interleaved, and prints ratios (benchmarks/report.py)
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bits.h"
#include "bounds.h"
#include "call.h"
#include "operator_table.h"

#define ARGUMENTS(...) __VA_ARGS__
using actinide::detail::Buffer;

extern "C" {
#define ACTINIDE_KERNEL(op, type, c_type, target, attribute_types, arguments) \
  int actinide_k_##op##_##type##_##target(Buffer* attribute_types, Buffer*);
#include "kernel_table.inc"
#undef ACTINIDE_KERNEL
}

namespace actinide::benchmark {
namespace {

using tools::ElementType;
using tools::Operator;
using Kernel = void (*)(Buffer* x, const float* attributes, Buffer* y);

struct KernelRow {
  std::string_view op, type, target;
  Kernel call;
};

constexpr KernelRow kernels[] = {
#define ACTINIDE_KERNEL(op, type, c_type, target, attribute_types, arguments) \
  {#op, #type, #target,                                                       \
   [](Buffer* x, [[maybe_unused]] const float* attributes, Buffer* y) { actinide_k_##op##_##type##_##target(x arguments, y); }},
#include "kernel_table.inc"
#undef ACTINIDE_KERNEL
};

constexpr std::size_t page = 4096;
constexpr std::size_t placements[] = {0, 16, 64, 128, 2048};
constexpr std::size_t sizes[] = {1, 16, 65, 4096, 1 << 20};

/// x at a page, y at a page and `placement` bytes. x is spread over both sides of zero, down to where Elu saturates.
class Tensors {
 public:
  Tensors(ElementType type, std::size_t n, std::size_t element_size, std::size_t placement)
      : memory_(static_cast<std::byte*>(std::aligned_alloc(page, 2 * pages(n * element_size) + page))),
        y_(memory_.get() + pages(n * element_size) + placement) {
    std::memset(memory_.get(), 0, 2 * pages(n * element_size) + page);
    for (std::size_t i = 0; i < n; ++i) {
      const double value = (static_cast<double>(i * 7919 % 2000) - 1000) * 0.004;
      tools::store_bits(type, memory_.get(), i, tools::nearest_bits(type, value));
    }
  }

  const void* x() const { return memory_.get(); }
  void* y() const { return y_; }

 private:
  static std::size_t pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::byte* y_;
};

void report(::benchmark::State& state, std::size_t n, std::size_t element_size) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * n));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * n * element_size * 2));
}

template <typename Function>
void add(const std::string& name, ElementType type, std::size_t element_size, std::size_t n, std::size_t placement, Function function) {
  const std::string full = name + "/" + std::to_string(n) + "/" + std::to_string(placement);
  ::benchmark::RegisterBenchmark(full.c_str(), [=](::benchmark::State& state) {
    const Tensors tensors(type, n, element_size, placement);
    function(state, tensors);
    report(state, n, element_size);
  });
}

void register_all() {
  for (const KernelRow& row : kernels) {
    const std::string target(row.target);
    if (actinide_force_target(target.c_str()) != ACTINIDE_OK) continue;
    const Operator& op = *tools::find_operator(row.op, row.type);
    const std::string name = std::string(row.op) + "/" + std::string(row.type) + "/" + target;
    for (const std::size_t n : sizes) {
      for (const std::size_t placement : placements) {
        if (n != 4096 && placement != 0) continue;
        // The attribute's default, then another value.
        for (const bool is_default : {true, false}) {
          if (!is_default && (n != 4096 || placement != 0)) continue;
          std::vector<float> attributes;
          for (const tools::Attribute& attribute : op.attributes) attributes.push_back(is_default ? attribute.default_value : 1.7f);
          add(is_default ? name : name + "/attribute=1.7", op.type, op.element_size, n, placement,
              [&op, target, attributes, n](::benchmark::State& state, const Tensors& t) {
                (void)actinide_force_target(target.c_str());
                for (auto _ : state) ::benchmark::DoNotOptimize(op.call(t.x(), t.y(), n, attributes.data()));
              });
        }
        if (n > 65 || placement != 0) continue;
        add("kernel/" + name, op.type, op.element_size, n, placement, [&op, &row, n](::benchmark::State& state, const Tensors& t) {
          std::vector<float> attributes;
          for (const tools::Attribute& attribute : op.attributes) attributes.push_back(attribute.default_value);
          detail::Arguments arguments(t.x(), t.y(), n);
          for (auto _ : state) row.call(&arguments.x, attributes.data(), &arguments.y);
        });
      }
    }
  }

  using Bound = void (*)(const float*, float*, std::size_t);
  const auto add_bound = [](const std::string& name, Bound bound) {
    for (const std::size_t placement : placements) {
      add(name, ElementType::f32, 4, 4096, placement, [bound](::benchmark::State& state, const Tensors& t) {
        for (auto _ : state) bound(static_cast<const float*>(t.x()), static_cast<float*>(t.y()), 4096);
      });
    }
  };
  if (actinide_force_target("avx2") == ACTINIDE_OK) {
    add_bound("arithmetic/f32/avx2", arithmetic_avx2);
    add_bound("copy/f32/avx2", copy_avx2);
  }
  if (actinide_force_target("avx512") == ACTINIDE_OK) {
    add_bound("arithmetic/f32/avx512", arithmetic_avx512);
    add_bound("copy/f32/avx512", copy_avx512);
  }
  for (const std::size_t n : sizes) {
    add("memcpy/f32", ElementType::f32, 4, n, 0, [n](::benchmark::State& state, const Tensors& t) {
      for (auto _ : state) {
        std::memcpy(t.y(), t.x(), n * 4);
        ::benchmark::ClobberMemory();
      }
    });
  }
}

}  // namespace
}  // namespace actinide::benchmark

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  actinide::benchmark::register_all();
  benchmark::RunSpecifiedBenchmarks();
}
