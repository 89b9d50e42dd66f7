// What executors cost, and from which size on they gain: THREADS/EXECUTOR/OPERATOR/N for 1 thread ("alone") and two, with everything
// divided whatever its size; hand_over/EXECUTOR is two empty tasks. The defaults of min_task_ns come from here.
//
//   build/bench/benchmarks/actinide_threads_benchmark --benchmark_enable_random_interleaving=true --benchmark_repetitions=15
//
// The counter "least" of the rows "min" is the figure: seconds of the quickest call. Means tell what else ran on the machine.
#include <actinide/actinide.hpp>
#include <actinide/parallel.hpp>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <actinide/openmp.hpp>
#endif
#ifdef ACTINIDE_HAS_ONETBB
#include <actinide/onetbb.hpp>
#endif

namespace actinide::benchmark {
namespace {

using Function = actinide_status (*)(const actinide_executor*, const float*, float*, std::size_t, float);

double least(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

/// `prepare(state)` returns what is timed, call by call.
template <typename Prepare>
void add(const std::string& name, Prepare prepare) {
  const auto body = [prepare](::benchmark::State& state) {
    using Clock = std::chrono::steady_clock;
    auto call = prepare(state);
    double quickest = 1;
    for (auto _ : state) {
      const Clock::time_point begin = Clock::now();
      call();
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      state.SetIterationTime(seconds);
      quickest = std::min(quickest, seconds);
    }
    state.counters["least"] = quickest;
  };
  ::benchmark::RegisterBenchmark(name.c_str(), body)
      ->UseManualTime()
      ->MinTime(0.02)
      ->Unit(::benchmark::kMicrosecond)
      ->ReportAggregatesOnly()
      ->ComputeStatistics("min", least);
}

auto calls(::benchmark::State& state, const actinide_executor* executor, Function function, std::size_t n) {
  std::vector<float> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(static_cast<double>(i * 7919 % 2000) - 1000) * 0.004f;
  return [&state, executor, function, x = std::move(x), y = std::move(y)]() mutable {
    if (function(executor, x.data(), y.data(), x.size(), 1.0f) != ACTINIDE_OK) state.SkipWithError("a call failed");
  };
}

void add_all(const std::string& name, const actinide_executor* executor) {
  struct Row {
    const char* name;
    Function function;
  };
  for (const Row& row : {Row{"elu_f32", actinide_elu_f32_on}, Row{"thresholded_relu_f32", actinide_thresholded_relu_f32_on}}) {
    for (std::size_t n = 1 << 12; n <= 1 << 21; n *= 2) {
      add("threads/" + name + "/" + row.name + "/" + std::to_string(n),
          [=](::benchmark::State& state) { return calls(state, executor, row.function, n); });
    }
  }
  if (executor == nullptr) return;
  add("hand_over/" + name, [=](::benchmark::State&) {
    return [=] {
      (void)executor->parallel_for(
          executor, [](void*, std::size_t) {}, nullptr, 2);
    };
  });
}

/// Divides whatever can be divided.
template <typename Executor>
const actinide_executor* eager(Executor executor) {
  static Executor kept = executor;
  kept.max_tasks = 2;
  kept.min_task_ns = 1;
  return &kept;
}

}  // namespace
}  // namespace actinide::benchmark

int main(int argc, char** argv) {
  using namespace actinide::benchmark;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_all("alone", nullptr);
  add_all("parallel", eager(actinide::parallel(2)));
#ifdef _OPENMP
  add_all("openmp", eager(actinide::openmp(2)));
#endif
#ifdef ACTINIDE_HAS_ONETBB
  add_all("onetbb", eager(actinide::onetbb()));
#endif
  benchmark::AddCustomContext("target", actinide_active_target());
  benchmark::RunSpecifiedBenchmarks();
}
