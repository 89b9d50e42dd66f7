// One benchmark for every row of the list, and beside it what it is measured against, in the same run:
//
//   [BY/]OPERATOR/TYPE/TARGET/N/PLACEMENT/ATTRIBUTE=VALUE
//
// BY is nothing for the typed function of the library; kernel: the bare kernel; arithmetic: what Elu cannot do without; peer:NAME: a row of
// the peers' table (peers/peers.h), copies among them. PLACEMENT is y - x modulo 4096, or in_place.
//
//   make bench        runs all, interleaved, and writes docs/benchmarks (benchmarks/report.py)
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "bits.h"
#include "bounds.h"
#include "call.h"
#include "cycles.h"
#include "operator_table.h"
#include "peers.h"
#include "tensors.h"

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

constexpr std::size_t sizes[] = {1, 4, 16, 64, 65, 256, 1024, 4096, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26};
constexpr std::size_t small = 65, in_cache = 4096, large = 1 << 20;
constexpr float other_attribute = 1.7f;

/// One benchmark's tensors and attributes.
struct Case {
  ElementType type;
  std::size_t n;
  std::optional<std::size_t> placement;  ///< in place if there is none
  std::vector<float> attributes;

  void* y() const { return placement ? tensors().y(*placement) : tensors().copy_of_x(); }
  const void* x(const void* y) const { return placement ? tensors().x() : y; }

 private:
  const Tensors& tensors() const { return Tensors::of(type, n); }
};

/// What is timed, made for a case when its turn comes; empty if it cannot be made.
using Timed = std::function<void(::benchmark::State&)>;
using Prepare = std::function<Timed(const Case&)>;

struct Options {
  std::size_t smallest = 0, largest = ~std::size_t{0};
  std::vector<std::string> targets;  ///< all if empty
};

class Benchmarks {
 public:
  explicit Benchmarks(const Options& options) : options_(options) {
    const auto memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    most_memory_ = memory / 8;  // the tensors of all types stay until the end
  }

  void add_all() {
    for (const KernelRow& row : kernels) {
      if (!is_wanted(row.target)) continue;
      const Operator& op = *tools::find_operator(row.op, row.type);
      const std::string name = std::string(row.op) + "/" + std::string(row.type) + "/" + std::string(row.target);
      add_grid(name, op, true, [&op, &row](const Case& c) { return call(op, row.target, c); });
      for (const std::size_t n : sizes) {
        if (n <= small) add("kernel/" + name, op, {op.type, n, 0, defaults(op)}, [&row](const Case& c) { return bare_kernel(row, c); });
      }
    }
    add_bound("avx2", arithmetic_avx2);
    add_bound("avx512", arithmetic_avx512);
    for (std::size_t i = 0; i < actinide_target_count(); ++i) {
      const char* target = actinide_target_name(i);
      if (is_wanted(target)) add_peers(peers::load(target));
    }
  }

 private:
  bool is_wanted(std::string_view target) const {
    const auto& wanted = options_.targets;
    return (wanted.empty() || std::find(wanted.begin(), wanted.end(), target) != wanted.end()) &&
           actinide_force_target(std::string(target).c_str()) == ACTINIDE_OK;
  }

  static std::vector<float> defaults(const Operator& op) {
    std::vector<float> values;
    for (const tools::Attribute& attribute : op.attributes) values.push_back(attribute.default_value);
    return values;
  }

  /// Every size; at some of them other attributes, other placements, and in place.
  void add_grid(const std::string& name, const Operator& op, bool may_be_in_place, const Prepare& prepare) {
    for (const std::size_t n : sizes) add(name, op, {op.type, n, 0, defaults(op)}, prepare);
    for (const std::size_t placement : {16, 64, 128, 2048}) add(name, op, {op.type, in_cache, placement, defaults(op)}, prepare);
    if (may_be_in_place) {
      for (const std::size_t n : {std::size_t{16}, in_cache, large, std::size_t{1} << 24}) {
        add(name, op, {op.type, n, std::nullopt, defaults(op)}, prepare);
      }
    }
    if (may_be_in_place && !op.attributes.empty()) {
      for (const std::size_t n : {std::size_t{16}, in_cache, large}) {
        add(name, op, {op.type, n, 0, std::vector<float>(op.attributes.size(), other_attribute)}, prepare);
      }
    }
  }

  void add(const std::string& name, const Operator& op, const Case& c, const Prepare& prepare) {
    if (c.n < options_.smallest || c.n > options_.largest || Tensors::memory_of(c.type, c.n) > most_memory_) return;
    std::string full = name + "/" + std::to_string(c.n) + "/" + (c.placement ? std::to_string(*c.placement) : "in_place");
    if (!op.attributes.empty()) {
      char value[32];
      std::snprintf(value, sizeof value, "=%g", static_cast<double>(c.attributes.front()));
      full += "/" + std::string(op.attributes.front().name) + value;
    }
    ::benchmark::RegisterBenchmark(full.c_str(), [c, prepare, this](::benchmark::State& state) {
      const Timed timed = prepare(c);
      if (!timed) {
        state.SkipWithError("not available");
        return;
      }
      const std::uint64_t start = cycles_.now();
      timed(state);
      const auto elements = static_cast<double>(state.iterations()) * static_cast<double>(c.n);
      if (cycles_.is_available()) state.counters["cycles"] = static_cast<double>(cycles_.now() - start) / elements;
    });
  }

  static Timed call(const Operator& op, std::string_view target, const Case& c) {
    return [&op, target, &c](::benchmark::State& state) {
      (void)actinide_force_target(std::string(target).c_str());
      void* y = c.y();
      const void* x = c.x(y);
      for (auto _ : state) ::benchmark::DoNotOptimize(op.call(x, y, c.n, c.attributes.data()));
    };
  }

  static Timed bare_kernel(const KernelRow& row, const Case& c) {
    return [&row, &c](::benchmark::State& state) {
      void* y = c.y();
      detail::Arguments arguments(c.x(y), y, c.n);
      for (auto _ : state) row.call(&arguments.x, c.attributes.data(), &arguments.y);
    };
  }

  void add_bound(const char* target, void (*bound)(const float*, float*, std::size_t)) {
    if (!is_wanted(target)) return;
    const Operator& op = *tools::find_operator("elu", "f32");
    for (const std::size_t placement : {0, 16, 64, 128, 2048}) {
      add("arithmetic/elu/f32/" + std::string(target), op, {op.type, in_cache, placement, defaults(op)}, [bound](const Case& c) -> Timed {
        return [bound, &c](::benchmark::State& state) {
          auto* y = static_cast<float*>(c.y());
          const auto* x = static_cast<const float*>(c.x(y));
          for (auto _ : state) bound(x, y, c.n);
        };
      });
    }
  }

  void add_peers(const peers::Table& table) {
    for (const peers::Peer& peer : std::span(table.peers, table.peer_count)) {
      const bool is_copy = std::string_view(peer.op) == "copy";
      // A copy is of a type's size, whatever the operator.
      const Operator* op = is_copy ? tools::find_operator("elu", peer.type) : tools::find_operator(peer.op, peer.type);
      if (op == nullptr) continue;
      const std::string name = "peer:" + std::string(peer.name) + "/" + peer.op + "/" + peer.type + "/" + peer.isa;
      if (!computes(peer, *op, is_copy, name)) continue;
      describe("peer:" + std::string(peer.name), peer.title);
      add_grid(name, *op, !is_copy, [&peer](const Case& c) -> Timed {
        void* y = c.y();
        const peers::Call prepared = peer.prepare(c.x(y), y, c.n, c.attributes.empty() ? 0 : c.attributes.front());
        if (prepared.run == nullptr) return {};
        return [prepared](::benchmark::State& state) {
          for (auto _ : state) prepared.run(prepared.state);
          prepared.release(prepared.state);
        };
      });
    }
    for (const peers::Missing& missing : std::span(table.missing, table.missing_count)) {
      describe(std::string("missing: ") + missing.name, missing.package);
    }
  }

  /// Whether a peer can do it here. One that does something else ends the program.
  static bool computes(const peers::Peer& peer, const Operator& op, bool is_copy, const std::string& name) {
    const Case c = {op.type, small, 0, std::vector<float>(op.attributes.size(), other_attribute)};
    void* y = c.y();
    const void* x = c.x(y);
    const peers::Call prepared = peer.prepare(x, y, c.n, other_attribute);
    if (prepared.run == nullptr) return false;
    prepared.run(prepared.state);
    prepared.release(prepared.state);
    const Tensors expected(op.type, small);
    if (is_copy) {
      std::memcpy(expected.y(0), x, small * op.element_size);
    } else if (op.call(x, expected.y(0), small, c.attributes.data()) != ACTINIDE_OK) {
      return false;
    }
    const double tolerance = op.element_size == 2 ? 0.01 : 1e-6;  // Eigen rounds e^x to 16 bits before it subtracts
    for (std::size_t i = 0; i < small; ++i) {
      const double wanted = tools::value_of(op.type, tools::load_bits(op.type, expected.y(0), i));
      const double got = tools::value_of(op.type, tools::load_bits(op.type, y, i));
      if (std::fabs(got - wanted) <= tolerance * std::fabs(wanted) + tolerance) continue;
      std::fprintf(stderr, "%s is wrong: element %zu is %g, not %g\n", name.c_str(), i, got, wanted);
      std::exit(1);
    }
    return true;
  }

  /// Google Benchmark complains of a key that it has already.
  void describe(const std::string& key, const char* text) {
    if (described_.insert(key).second) ::benchmark::AddCustomContext(key, text);
  }

  Options options_;
  std::size_t most_memory_;
  CycleCounter cycles_;
  std::set<std::string> described_;
};

const char usage[] = R"(Options of its own, beside Google Benchmark's:
  --sizes=FROM-TO         numbers of elements
  --targets=avx2,avx512
)";

/// Takes its own options out of the arguments.
Options read_options(int& count, char** values) {
  Options options;
  int kept = 1;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = values[i];
    if (std::sscanf(values[i], "--sizes=%zu-%zu", &options.smallest, &options.largest) == 2) continue;
    if (argument.starts_with("--targets=")) {
      std::string_view list = argument.substr(std::strlen("--targets="));
      while (!list.empty()) {
        options.targets.emplace_back(list.substr(0, list.find(',')));
        list.remove_prefix(std::min(list.size(), options.targets.back().size() + 1));
      }
      continue;
    }
    values[kept++] = values[i];
  }
  count = kept;
  return options;
}

}  // namespace
}  // namespace actinide::benchmark

int main(int argc, char** argv) {
  const actinide::benchmark::Options options = actinide::benchmark::read_options(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    std::fputs(actinide::benchmark::usage, stderr);
    return 1;
  }
  actinide::benchmark::Benchmarks benchmarks(options);
  benchmarks.add_all();
  benchmark::RunSpecifiedBenchmarks();
}
