// Which kernels are worth streaming, and from which size on: ordinary against non-temporal stores, for STREAMED in
// generators/CMakeLists.txt and stream_threshold_for() in runtime/src/stream_x86.cpp.
//
//   actinide_stream_benchmark memory [operator [type]]   tensors far beyond the cache, at several distances of y from x
//   actinide_stream_benchmark sizes [operator [type]]    sizes around the threshold: a call whose y is read next
//
// Only kernels of the list are streamed: those that are not show what noise there is. Ratios are time with ordinary stores / time streamed.
#include <actinide/actinide.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "bits.h"
#include "operator_table.h"
#include "stream.h"

namespace actinide::benchmark {
namespace {

using tools::Operator;

constexpr std::size_t mib = std::size_t{1} << 20;

/// Of this thread, so that what others run in between does not count.
double seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// At a page.
std::byte* allocate(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (p == MAP_FAILED) std::abort();
  return static_cast<std::byte*>(p);
}

void fill(const Operator& op, std::byte* x, std::size_t bytes) {
  constexpr std::size_t period = 8000;
  for (std::size_t i = 0; i < period; ++i) {
    tools::store_bits(op.type, x, i, tools::nearest_bits(op.type, (static_cast<double>(i * 7919 % 2000) - 1000) * 0.004));
  }
  const std::size_t filled = period * op.element_size;
  for (std::size_t at = filled; at < bytes; at += filled) std::memcpy(x + at, x, std::min(filled, bytes - at));
}

void call(const Operator& op, const std::byte* x, std::byte* y, std::size_t bytes, bool streamed) {
  const std::vector<float> attributes(op.attributes.size(), 1.0f);
  detail::stream_threshold = streamed ? 1 : SIZE_MAX;
  if (op.call(x, y, bytes / op.element_size, attributes.data()) != ACTINIDE_OK) std::abort();
}

double fifth(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 5), times.end());
  return times[times.size() / 5];
}

/// Calls of 1 MiB each through a tensor of 64; those of the second half count, when the cache holds what the same stores have left there.
void measure_memory(const Operator& op, std::byte* x, std::byte* y_page) {
  constexpr std::size_t bytes = 64 * mib;
  fill(op, x, bytes);
  for (const std::size_t placement : {0, 16, 64, 128, 1024, 2048, 3072}) {
    std::byte* const y = y_page + placement;
    std::vector<double> times[2];
    for (int round = 0; round < 6; ++round) {
      for (const bool streamed : {false, true}) {
        for (std::size_t at = 0; at < bytes; at += mib) {
          const double start = seconds();
          call(op, x + at, y + at, mib, streamed);
          if (at >= bytes / 2) times[streamed].push_back(seconds() - start);
        }
      }
    }
    const double ordinary = fifth(times[false]);
    if (placement == 0) std::printf(" %.3f |", 1e9 * ordinary / static_cast<double>(mib / op.element_size));
    std::printf(" %.2f |", ordinary / fifth(times[true]));
    std::fflush(stdout);
  }
}

/// x is written, the call, y is read: the time of the last two.
void measure_sizes(const Operator& op, std::byte* x, std::byte* y) {
  fill(op, x, 64 * mib);
  for (const std::size_t bytes : {8 * mib, 12 * mib, 16 * mib, 20 * mib, 24 * mib, 28 * mib, 32 * mib, 48 * mib, 64 * mib}) {
    double best[2] = {1e9, 1e9};
    for (std::size_t round = 0; round < 4 + 64 * mib / bytes; ++round) {
      for (const bool streamed : {false, true}) {
        std::memmove(x, x + 64, bytes - 64);
        const double start = seconds();
        call(op, x, y, bytes, streamed);
        volatile std::uint64_t sum =
            std::accumulate(reinterpret_cast<std::uint64_t*>(y), reinterpret_cast<std::uint64_t*>(y + bytes), std::uint64_t{0});
        best[streamed] = std::min(best[streamed], seconds() - start);
        (void)sum;
      }
    }
    std::printf(" %.2f |", best[false] / best[true]);
    std::fflush(stdout);
  }
}

int run(std::string_view what, std::string_view only, std::string_view only_type) {
  std::byte* const x = allocate(64 * mib);
  std::byte* const y = allocate(64 * mib + 4096);
  if (what == "memory") {
    std::puts(
        "| | ns an element, ordinary | y - x = 0 mod 4096 | 16 | 64 | 128 | 1024 | 2048 | 3072 |\n|---|---|---|---|---|---|---|---|---|");
  } else if (what == "sizes") {
    std::puts("| | y of 8 MiB | 12 | 16 | 20 | 24 | 28 | 32 | 48 | 64 |\n|---|---|---|---|---|---|---|---|---|---|");
  } else {
    std::fputs("usage: actinide_stream_benchmark memory|sizes [operator [type]]\n", stderr);
    return 2;
  }
  for (const Operator& op : tools::operators()) {
    if ((!only.empty() && op.name != only) || (!only_type.empty() && op.type_name != only_type)) continue;
    for (std::size_t i = 0; i < actinide_target_count(); ++i) {
      if (actinide_force_target(actinide_target_name(i)) != ACTINIDE_OK) continue;
      std::printf("| %s %s, %s |", std::string(op.name).c_str(), std::string(op.type_name).c_str(), actinide_target_name(i));
      (what == "memory" ? measure_memory : measure_sizes)(op, x, y);
      std::puts("");
    }
  }
  return 0;
}

}  // namespace
}  // namespace actinide::benchmark

int main(int argc, char** argv) {
  const auto word = [=](int i) { return i < argc ? argv[i] : ""; };
  return actinide::benchmark::run(word(1), word(2), word(3));
}
