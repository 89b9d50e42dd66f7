// What tensors cost beside arrays, on the active target: nanoseconds that a call takes longer for tensors which are contiguous, and times
// an element for those which are not, in cache. y is at the same place in its page as x.
//
//   actinide_dlpack_benchmark [operator [type]]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "operator_table.h"
#include "tensors.h"
#include "tensors_on.h"

namespace actinide::benchmark {
namespace {

using tools::Operator;
using Sizes = std::vector<std::int64_t>;

/// Of both tensors; strides in elements, none for those of a compact one.
struct Case {
  std::string name;
  Sizes shape, strides_of_x, strides_of_y;
  bool is_array = false;

  std::int64_t count() const { return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()); }
};

DLTensor tensor(const Operator& op, const void* data, Sizes& shape, Sizes& strides) {
  std::uint64_t first = 0;  // negative strides lead back to the begin
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] < 0) first += static_cast<std::uint64_t>(-strides[i] * (shape[i] - 1)) * op.element_size;
  }
  return {const_cast<void*>(data),
          {kDLCPU, 0},
          static_cast<std::int32_t>(shape.size()),
          test::dlpack_type_of(op),
          shape.data(),
          strides.empty() ? nullptr : strides.data(),
          first};
}

/// Nanoseconds of the quickest calls, all cases by turns.
std::vector<double> measure(const Operator& op, std::vector<Case> cases) {
  using Clock = std::chrono::steady_clock;
  const Tensors& memory = Tensors::of(op.type, std::size_t{1} << 18);
  const std::vector<float> attributes(op.attributes.size(), 1.0f);
  const test::CallTensors call = test::call_tensors(op);
  std::vector<double> best(cases.size(), 1e30);
  for (int round = 0; round < 2000; ++round) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      Case& c = cases[i];
      const auto n = static_cast<std::size_t>(c.count());
      const DLTensor x = tensor(op, memory.x(), c.shape, c.strides_of_x);
      DLTensor y = tensor(op, memory.y(0), c.shape, c.strides_of_y);
      const int calls = static_cast<int>(std::max<std::size_t>(1, 32'768 / (n + 16)));
      int failed = 0;
      const Clock::time_point begin = Clock::now();
      for (int k = 0; k < calls; ++k) {
        failed |= c.is_array ? op.call(x.data, y.data, n, attributes.data()) : call(&x, &y, attributes.data());
      }
      const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / calls;
      if (failed != ACTINIDE_OK) std::abort();
      best[i] = std::min(best[i], ns);
    }
  }
  return best;
}

std::vector<Case> contiguous(std::int64_t n) {
  const Sizes four = {2, 2, n / 8, 2};
  return {{"array", {n}, {}, {}, true},
          {"rank 1", {n}, {}, {}},
          {"rank 1, strides", {n}, {1}, {1}},
          {"rank 4, strides", four, {n / 2, n / 4, 2, 1}, {n / 2, n / 4, 2, 1}},
          {"rank 4, channels last", four, {n / 2, 1, 4, 2}, {n / 2, 1, 4, 2}}};
}

std::vector<Case> not_contiguous() {
  constexpr std::int64_t n = 1 << 16, side = 256;
  std::vector<Case> cases = {{"array", {n}, {}, {}, true}};
  for (const std::int64_t row : {4, 8, 16, 64, 256, 1024}) {
    cases.push_back({"rows of " + std::to_string(row), {n / row, row}, {row + 8, 1}, {row + 8, 1}});
  }
  cases.push_back({"x reversed", {n}, {-1}, {1}});
  cases.push_back({"x by 2", {n}, {2}, {1}});
  cases.push_back({"y by 2", {n}, {1}, {2}});
  cases.push_back({"both by 2", {n}, {2}, {2}});
  cases.push_back({"transposed", {side, side}, {1, side}, {side, 1}});
  cases.push_back({"a row repeated", {side, side}, {0, 1}, {side, 1}});
  cases.push_back({"a column repeated", {side, side}, {1, 0}, {side, 1}});
  return cases;
}

void print_head(const char* unit, const std::vector<Case>& cases) {
  std::string rule = "|---|---";
  std::printf("| | %s", unit);
  for (std::size_t i = 1; i < cases.size(); ++i) {
    std::printf(" | %s", cases[i].name.c_str());
    rule += "|---";
  }
  std::printf(" |\n%s|\n", rule.c_str());
}

int run(std::string_view only, std::string_view only_type) {
  std::printf("Target %s. Nanoseconds a call, and how many more for tensors:\n\n", actinide_active_target());
  const auto for_each = [&](auto body) {
    for (const Operator& op : tools::operators()) {
      if ((!only.empty() && op.name != only) || (!only_type.empty() && op.type_name != only_type)) continue;
      body(op, std::string(op.name) + " " + std::string(op.type_name));
      std::fflush(stdout);
    }
  };
  print_head("array", contiguous(16));
  for_each([](const Operator& op, const std::string& name) {
    for (const std::int64_t n : {16, 4096}) {
      const std::vector<double> ns = measure(op, contiguous(n));
      std::printf("| %s, %d elements | %.1f", name.c_str(), static_cast<int>(n), ns[0]);
      for (std::size_t i = 1; i < ns.size(); ++i) std::printf(" | %+.1f", ns[i] - ns[0]);
      std::puts(" |");
    }
  });
  std::puts("\nNanoseconds an element of an array of 65536, and how many times as long for tensors:\n");
  print_head("array", not_contiguous());
  for_each([](const Operator& op, const std::string& name) {
    const std::vector<double> ns = measure(op, not_contiguous());
    std::printf("| %s | %.3f", name.c_str(), ns[0] / 65536);
    for (std::size_t i = 1; i < ns.size(); ++i) std::printf(" | %.2f", ns[i] / ns[0]);
    std::puts(" |");
  });
  return 0;
}

}  // namespace
}  // namespace actinide::benchmark

int main(int argc, char** argv) {
  const auto word = [=](int i) { return i < argc ? argv[i] : ""; };
  return actinide::benchmark::run(word(1), word(2));
}
