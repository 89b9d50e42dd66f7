// The library on a GPU against copies and against kernels written by hand (peers.cu), in turns within one process; and what a call costs on
// the host against a bare launch of the same kernel. Prints tables in Markdown and a verdict for each of the project's targets.
//
// Exit status: 0 if all targets are met, 1 if not, 77 without a device.
#include <actinide/cuda.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bits.h"
#include "cuda_driver.h"
#include "device_functions.h"

#ifdef ACTINIDE_PEERS
__asm__(".section .rodata\n\t.balign 16\nactinide_peers:\n\t.incbin \"" ACTINIDE_PEERS "\"\n\t.previous");
extern "C" [[gnu::visibility("hidden")]] const unsigned char actinide_peers[];
#endif

namespace actinide::benchmark {
namespace {

using test::device_functions;
using test::DeviceFunction;
using test::cuda::DeviceMemory;
using test::cuda::driver;
using test::cuda::Kernel;
using test::cuda::OwnEvent;
using test::cuda::OwnStream;
using tools::Operator;

constexpr int smallest = 10, largest = 28;  // sizes are powers of two
constexpr int repetitions = 31;
constexpr double batch_microseconds = 300;
constexpr double wanted_of_copy = 0.98, wanted_microseconds = 0.5;

/// Median and best of some times, in microseconds.
struct Times {
  double median = 0, best = 0;
};

Times summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front()};
}

/// The kernels written by hand; null where the build had no nvcc.
class Peers {
 public:
  Peers() {
#ifdef ACTINIDE_PEERS
    driver().cuLibraryLoadData(&library_, actinide_peers, nullptr, nullptr, 0, nullptr, nullptr, 0);
#endif
  }
  Kernel* find(const std::string& name) const {
    Kernel* kernel = nullptr;
    if (library_ != nullptr) driver().cuLibraryGetKernel(&kernel, library_, name.c_str());
    return kernel;
  }

 private:
  test::cuda::Library* library_ = nullptr;
};

void launch_peer(Kernel* kernel, void* x, void* y, std::size_t bytes, float attribute, test::cuda::Stream* stream) {
  auto count = static_cast<unsigned>(bytes / 16);
  void* parameters[] = {&x, &y, &count, &attribute};
  driver().cuLaunchKernel(kernel, (count + 255) / 256, 1, 1, 256, 1, 1, 0, stream, parameters, nullptr);
}

/// Something to measure: one call of it, queued.
struct Contender {
  std::string name;
  std::function<void()> call;
};

/// All of them in turns: batches between two events.
std::vector<Times> measure(const std::vector<Contender>& contenders, test::cuda::Stream* stream) {
  const OwnEvent begin, end;
  const auto time = [&](const Contender& contender, int calls) {
    driver().cuEventRecord(begin, stream);
    for (int i = 0; i < calls; ++i) contender.call();
    driver().cuEventRecord(end, stream);
    driver().cuEventSynchronize(end);
    float milliseconds = 0;
    driver().cuEventElapsedTime(&milliseconds, begin, end);
    return static_cast<double>(milliseconds) * 1000 / calls;
  };
  std::vector<int> calls;
  for (const Contender& contender : contenders) {
    time(contender, 3);
    calls.push_back(static_cast<int>(std::clamp(batch_microseconds / std::max(time(contender, 5), 0.01), 1.0, 300.0)));
  }
  std::vector<std::vector<double>> times(contenders.size());
  for (std::size_t r = 0; r < repetitions; ++r) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::size_t which = (i + r) % contenders.size();
      times[which].push_back(time(contenders[which], calls[which]));
    }
  }
  std::vector<Times> results;
  for (std::vector<double>& t : times) results.push_back(summary(std::move(t)));
  return results;
}

/// Numbers on both sides of zero, down to where Elu saturates.
std::vector<std::byte> inputs(const Operator& op, std::size_t n) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, 2);
  std::vector<std::byte> data(n * op.element_size);
  for (std::size_t i = 0; i < n; ++i) tools::store_bits(op.type, data.data(), i, tools::nearest_bits(op.type, normal(random)));
  return data;
}

/// Do two results agree but for roundings? A kernel that computes something else is no peer.
bool nearly_same(const Operator& op, const DeviceMemory& a, const DeviceMemory& b, std::size_t n) {
  std::vector<std::byte> from_a(n * op.element_size), from_b(from_a.size());
  driver().cuMemcpyDtoH(from_a.data(), a.address(), from_a.size());
  driver().cuMemcpyDtoH(from_b.data(), b.address(), from_b.size());
  for (std::size_t i = 0; i < n; ++i) {
    const double value = tools::value_of(op.type, tools::load_bits(op.type, from_a.data(), i));
    if (!(tools::ulp_error(op.type, tools::load_bits(op.type, from_b.data(), i), value) <= 4)) return false;
  }
  return true;
}

class Benchmark {
 public:
  explicit Benchmark(const std::string& command) {
    char name[256] = "";
    int version = 0;
    driver().cuDeviceGetName(name, sizeof(name), 0);
    driver().cuDriverGetVersion(&version);
    device_ = name;
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%Y-%m-%d", std::localtime(&now));
    std::string release = "unknown", word;
    std::ifstream file("/proc/driver/nvidia/version");
    while (file >> word) {  // "... Kernel Module  580.159.03  Release Build ..."
      if (word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos) {
        release = word;
        break;
      }
    }
    std::printf("%s, driver %s, CUDA %d.%d, %s, `%s`\n", name, release.c_str(), version / 1000, version % 1000 / 10, date, command.c_str());
  }

  /// GB/s of one operator, counting what is read and what is written.
  void bandwidths(std::string_view op_name) {
    std::printf("\nGB/s of %s, attribute 1 unless stated, medians of %d (of the fastest):\n\n", std::string(op_name).c_str(), repetitions);
    std::printf(
        "| type | elements | memcpy | copy kernel | Actinide | attribute 1.7 | unaligned x | by hand | Actinide / copy |\n"
        "|---|---|---|---|---|---|---|---|---|\n");
    for (const DeviceFunction& function : device_functions()) {
      if (function.op->name == op_name) bandwidths(function);
    }
  }

  /// What a call takes of the host's time, beside a launch of the same kernel with the parameters ready.
  void launches() {
    std::printf("\nMicroseconds of the host's time for a call of 1024 elements, 10^5 each, medians of bursts of 500 (fastest):\n\n");
    std::printf("| | bare launch | Actinide | more |\n|---|---|---|---|\n");
    for (const DeviceFunction& function : device_functions()) launches(function);
  }

  /// 0 if everything was as it shall be.
  int finish() const {
    std::printf("\n");
    for (const std::string& verdict : verdicts_) std::printf("%s\n", verdict.c_str());
    return is_good_ ? 0 : 1;
  }

 private:
  void verdict(bool is_met, const std::string& text) {
    verdicts_.push_back((is_met ? "target met: " : "target MISSED: ") + text + ", " + device_);
    is_good_ = is_good_ && is_met;
  }

  void bandwidths(const DeviceFunction& function) {
    const Operator& op = *function.op;
    const std::string name = std::string(op.name) + " " + std::string(op.type_name);
    const std::vector<std::byte> part = inputs(op, std::size_t{1} << 20);
    Kernel* const copy = peers_.find("peer_copy");
    Kernel* const by_hand = peers_.find("peer_" + std::string(op.name) + "_" + std::string(op.type_name));
    std::size_t free = 0, total = 0;
    driver().cuMemGetInfo(&free, &total);
    bool is_measured = false;
    for (int log2 = smallest; log2 <= largest; log2 += 2) {
      const std::size_t n = std::size_t{1} << log2, size = n * op.element_size;
      if (2 * size + (std::size_t{1} << 28) > free) {
        std::printf("| %s | 2^%d | not enough memory |\n", std::string(op.type_name).c_str(), log2);
        continue;
      }
      const DeviceMemory x(size + 256), y(size + 256);
      for (std::size_t at = 0; at < size; at += part.size()) {
        test::cuda::copy_to_device(x.address() + at, part.data(), std::min(part.size(), size - at));
      }
      const auto ours = [&, n](std::size_t offset, float attribute) {
        if (function(x.at(offset), y.at(), n, attribute, static_cast<test::cuda::Stream*>(stream_)) != ACTINIDE_OK) {
          throw test::cuda::Error("a call failed", -1);
        }
      };
      std::vector<Contender> contenders = {{"memcpy", [&] { driver().cuMemcpyDtoDAsync(y.address(), x.address(), size, stream_); }},
                                           {"Actinide", [&] { ours(0, 1.0f); }},
                                           {"attribute 1.7", [&] { ours(0, 1.7f); }},
                                           {"unaligned", [&] { ours(op.element_size, 1.0f); }}};
      if (copy != nullptr) contenders.push_back({"copy", [&] { launch_peer(copy, x.at(), y.at(), size, 1, stream_); }});
      if (by_hand != nullptr) {
        contenders.push_back({"by hand", [&] { launch_peer(by_hand, x.at(), y.at(), size, 1, stream_); }});
        if (log2 == smallest) {
          const DeviceMemory other(size);
          ours(0, 1.0f);
          launch_peer(by_hand, x.at(), other.at(), size, 1, stream_);
          stream_.synchronize();
          if (!nearly_same(op, y, other, n)) verdict(false, name + ": the kernel written by hand computes something else");
        }
      }
      const std::vector<Times> times = measure(contenders, stream_);
      const auto speed = [&](double microseconds) { return 2 * static_cast<double>(size) / microseconds / 1000; };
      const auto of = [&](const char* contender) -> std::optional<Times> {
        for (std::size_t i = 0; i < contenders.size(); ++i) {
          if (contenders[i].name == contender) return times[i];
        }
        return std::nullopt;
      };
      std::printf("| %s | 2^%d |", std::string(op.type_name).c_str(), log2);
      for (const char* column : {"memcpy", "copy", "Actinide", "attribute 1.7", "unaligned", "by hand"}) {
        const std::optional<Times> t = of(column);
        t ? std::printf(" %.0f (%.0f) |", speed(t->median), speed(t->best)) : std::printf(" - |");
      }
      double fastest_copy = of("memcpy")->median;
      if (of("copy")) fastest_copy = std::min(fastest_copy, of("copy")->median);
      const double ratio = fastest_copy / of("Actinide")->median;
      std::printf(" %.3f |\n", ratio);
      std::fflush(stdout);
      if (log2 < largest) continue;
      is_measured = true;
      char text[200];
      std::snprintf(text, sizeof(text), "%s at 2^%d elements has %.1f %% of the faster copy's speed (%.1f %% of memcpy's); wanted %.0f %%",
                    name.c_str(), log2, 100 * ratio, 100 * of("memcpy")->median / of("Actinide")->median, 100 * wanted_of_copy);
      verdict(ratio >= wanted_of_copy, text);
    }
    if (!is_measured) verdicts_.push_back("not measured: " + name + " at 2^28 elements, for want of memory");
  }

  void launches(const DeviceFunction& function) {
    constexpr std::size_t n = 1024;
    constexpr int burst = 500, bursts = 200;
    const Operator& op = *function.op;
    const std::string name = std::string(op.name) + " " + std::string(op.type_name);
    const std::vector<std::byte> data = inputs(op, n);
    const DeviceMemory x(data.size()), y(data.size());
    test::cuda::copy_to_device(x.address(), data.data(), data.size());
    const auto ours = [&] {
      if (function(x.at(), y.at(), n, 1.0f, static_cast<test::cuda::Stream*>(stream_)) != ACTINIDE_OK)
        throw test::cuda::Error("a call failed", -1);
    };
    ours();
    stream_.synchronize();

    // A captured call tells which kernel it launches, and with what.
    test::cuda::Graph* graph = nullptr;
    driver().cuStreamBeginCapture(stream_, test::cuda::capture_relaxed);
    ours();
    driver().cuStreamEndCapture(stream_, &graph);
    test::cuda::GraphNode* node = nullptr;
    std::size_t nodes = 1;
    driver().cuGraphGetNodes(graph, &node, &nodes);
    test::cuda::KernelNode k{};
    driver().cuGraphKernelNodeGetParams(node, &k);
    Kernel* const kernel = k.function != nullptr ? k.function : k.kernel;
    const auto bare = [&] {
      driver().cuLaunchKernel(kernel, k.grid[0], k.grid[1], k.grid[2], k.block[0], k.block[1], k.block[2], k.shared_bytes, stream_,
                              k.parameters, nullptr);
    };

    const auto time = [&](const auto& call) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < burst; ++i) call();
      const auto end = std::chrono::steady_clock::now();
      stream_.synchronize();  // the queue never fills
      return std::chrono::duration<double, std::micro>(end - begin).count() / burst;
    };
    std::vector<double> of_bare, of_ours;
    time(bare);
    time(ours);
    for (int i = 0; i < bursts; ++i) {
      of_bare.push_back(time(bare));
      of_ours.push_back(time(ours));
    }
    driver().cuGraphDestroy(graph);
    const Times a = summary(std::move(of_bare)), b = summary(std::move(of_ours));
    std::printf("| %s | %.2f (%.2f) | %.2f (%.2f) | %.2f |\n", name.c_str(), a.median, a.best, b.median, b.best, b.median - a.median);
    char text[200];
    std::snprintf(text, sizeof(text), "a call of %s takes %.2f microseconds more of the host than a bare launch; wanted at most %.1f",
                  name.c_str(), b.median - a.median, wanted_microseconds);
    verdict(b.median - a.median <= wanted_microseconds, text);
  }

  test::cuda::Context* const context_ = test::cuda::use_primary_context();
  const Peers peers_;
  const OwnStream stream_;
  std::string device_;
  std::vector<std::string> verdicts_;
  bool is_good_ = true;
};

int run(const std::string& command) {
  if (actinide_cuda_available() == 0) {
    std::printf("skipped: %s\n", actinide_cuda_reason());
    return 77;
  }
  try {
    Benchmark benchmark(command);
    if (actinide_cuda_warm_up() != ACTINIDE_OK) throw test::cuda::Error("the code cannot be loaded", -1);
    std::vector<std::string_view> names;
    for (const Operator& op : tools::operators()) {
      if (std::find(names.begin(), names.end(), op.name) == names.end()) names.push_back(op.name);
    }
    for (const std::string_view name : names) benchmark.bandwidths(name);
    benchmark.launches();
    return benchmark.finish();
  } catch (const test::cuda::Error& error) {
    std::printf("failed: %s\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace actinide::benchmark

int main(int, char** argv) { return actinide::benchmark::run(argv[0]); }
