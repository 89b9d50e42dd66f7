// When tensors are written past the cache: its size, from the CPUID words of CPUs whose caches are known, and how a call is cut into tiles.
#include "stream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "cache_size_x86.h"

namespace actinide::detail {
namespace {

constexpr std::uint64_t kib = 1024, mib = 1024 * kib;

struct Cpu {
  const char* name;
  X86CacheWords words;  // EAX, EBX, ECX of each sub-leaf; leaf 0x80000006 ECX, EDX
  std::uint64_t bytes;
};

constexpr Cpu cpus[] = {
    {"Core 2 Duo E6750 (Conroe)",
     {{{0x04000121, 0x01c0003f, 0x3f}, {0x04000122, 0x01c0003f, 0x3f}, {0x04004143, 0x03c0003f, 0xfff}}, 0x10008040, 0},
     4 * mib},
    {"Atom (Silvermont)",
     {{{0x1c000121, 0x0140003f, 0x3f}, {0x1c000122, 0x01c0003f, 0x3f}, {0x1c004143, 0x03c0003f, 0x3ff}}, 0x04008040, 0},
     1 * mib},
    {"Core i7-6700K (Skylake client)",
     {{{0x1c004121, 0x01c0003f, 0x3f}, {0x1c004122, 0x01c0003f, 0x3f}, {0x1c004143, 0x00c0003f, 0x3ff}, {0x1c03c163, 0x03c0003f, 0x1fff}},
      0x01006040,
      0},
     8 * mib},
    {"Xeon E5-2699 v4 (Broadwell)",
     {{{0x7c004121, 0x01c0003f, 0x3f}, {0x7c004122, 0x01c0003f, 0x3f}, {0x7c004143, 0x01c0003f, 0x1ff}, {0x7c0fc163, 0x04c0003f, 0xafff}},
      0x01006040,
      0},
     55 * mib},
    {"Core i9-7980XE (Skylake-X: 24.75 MiB)",
     {{{0x7c004121, 0x01c0003f, 0x3f}, {0x7c004122, 0x01c0003f, 0x3f}, {0x7c004143, 0x03c0003f, 0x3ff}, {0x7c07c163, 0x0280003f, 0x8fff}},
      0x01006040,
      0},
     99 * mib / 4},
    {"Ryzen 7 1800X (Zen: of one core complex)",
     {{{0x00004121, 0x01c0003f, 0x3f}, {0x00004122, 0x00c0003f, 0xff}, {0x00004143, 0x01c0003f, 0x3ff}, {0x0001c163, 0x03c0003f, 0x1fff}},
      0x02006140,
      0x00808140},
     8 * mib},
    {"EPYC (Zen 4, two of the cores, in a virtual machine)",
     {{{0x00000121, 0x01c0003f, 0x3f}, {0x00000122, 0x01c0003f, 0x3f}, {0x00000143, 0x01c0003f, 0x7ff}, {0x00004163, 0x03c0003f, 0x7fff}},
      0x04006140,
      0x0a009140},
     32 * mib},
    {"Phenom II X6 1055T (K10: leaf 0x80000006 alone)", {{}, 0x02008140, 0x0030b140}, 6 * mib},
    {"E-450 (Bobcat: the same, without an L3 cache)", {{}, 0x02008140, 0}, 512 * kib},
    {"nothing at all", {}, 0},
};

TEST(StreamX86, CacheOfRealCpus) {
  for (const Cpu& cpu : cpus) EXPECT_EQ(last_level_cache_bytes(cpu.words), cpu.bytes) << cpu.name;
}

TEST(StreamX86, InstructionCachesAndSmallerLevelsDoNotCount) {
  constexpr X86CacheWords::Cache l2 = {0x143, 0x01c0003f, 0x3ff}, instructions_of_level_3 = {0x162, 0x01c0003f, 0xfff},
                                 l1 = {0x121, 0x01c0003f, 0x3f};
  EXPECT_EQ(last_level_cache_bytes({{l2, instructions_of_level_3, l1}, 0, 0}), 512 * kib);
  constexpr X86CacheWords::Cache two_partitions = {0x143, 0x01c0103f, 0x3ff};
  EXPECT_EQ(last_level_cache_bytes({{two_partitions}, 0, 0}), 1 * mib);
}

// Linux reads the same words, and serves what it found.
TEST(StreamX86, CacheOfThisMachine) {
  std::uint64_t bytes = 0;
  int last_level = 0;
  for (int i = 0;; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i);
    if (!std::filesystem::exists(folder)) break;
    std::uint64_t size = 0;
    int level = 0;
    std::ifstream(folder + "/level") >> level;
    std::ifstream(folder + "/size") >> size;  // "32768K"
    if (level > last_level) {
      last_level = level;
      bytes = size * kib;
    }
  }
  if (last_level == 0) GTEST_SKIP() << "/sys tells nothing of caches";
  EXPECT_EQ(last_level_cache_bytes(), bytes);
}

TEST(StreamX86, Threshold) {
  EXPECT_EQ(stream_threshold_for(32 * mib), 24 * mib);
  EXPECT_EQ(stream_threshold_for(8 * mib), 6 * mib);
  EXPECT_EQ(stream_threshold_for(256 * kib), min_streamed_bytes);
  EXPECT_EQ(stream_threshold_for(0), SIZE_MAX) << "a cache of unknown size";
}

TEST(StreamX86, FromTheThresholdOnAndNeverInPlace) {
  const char x = 0, y = 0;
  stream_threshold = 1 * mib;
  EXPECT_FALSE(is_streamed(&x, &y, 1 * mib - 1));
  EXPECT_TRUE(is_streamed(&x, &y, 1 * mib));
  EXPECT_TRUE(is_streamed(&x, &y, SIZE_MAX - 1));
  EXPECT_FALSE(is_streamed(&x, &x, 1 * mib));
  stream_threshold = 0;
  EXPECT_EQ(is_streamed(&x, &y, 64 * mib), 64 * mib >= stream_threshold_for(last_level_cache_bytes()));
  EXPECT_EQ(stream_threshold, stream_threshold_for(last_level_cache_bytes()));
  stream_threshold = 0;
}

// A kernel and a copy that count.
using Element = std::uint16_t;
struct Counts {
  std::vector<std::int32_t> extents;
  std::size_t copies = 0;
} counts;

int add_one(Buffer* x, Buffer* y) {
  const auto* from = reinterpret_cast<const Element*>(x->host);
  auto* to = reinterpret_cast<Element*>(y->host);
  for (std::int32_t i = 0; i < y->dim->extent; ++i) to[i] = static_cast<Element>(from[i] + 1);
  counts.extents.push_back(y->dim->extent);
  return 0;
}

void counting(std::byte* y, const std::byte* tile, const std::byte* next_x) noexcept {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(y) % stream_line, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tile) % stream_line, 0u);
  // x and the tile are never at the same place of a page.
  const std::uintptr_t apart = (reinterpret_cast<std::uintptr_t>(tile) - reinterpret_cast<std::uintptr_t>(next_x - tile_bytes)) % 4096;
  EXPECT_GE(apart, 2048u);
  EXPECT_LE(apart, 4096u - tile_bytes - stream_line);
  std::memcpy(y, tile, tile_bytes);
  ++counts.copies;
}

// The elements before the first whole line and those after the last whole tile are stored as usual, all others by copies.
TEST(StreamX86, HeadTilesAndTail) {
  constexpr std::int32_t tile = tile_bytes / sizeof(Element);
  std::vector<Element> x(14000), memory(14064);
  std::iota(x.begin(), x.end(), Element{1000});
  Element* const y_line = memory.data() + (0 - reinterpret_cast<std::uintptr_t>(memory.data())) % stream_line / sizeof(Element);
  for (const std::int32_t head : {0, 1, 31}) {
    for (const std::int32_t tiles : {0, 1, 50}) {
      for (const std::int32_t tail : {0, 1, tile - 1}) {
        const std::int32_t n = head + tiles * tile + tail;
        Element* const y = y_line + (head == 0 ? 0 : 32 - head);
        counts = {};
        run_streamed(add_one, counting, x.data(), y, static_cast<std::size_t>(n));
        std::vector<std::int32_t> extents;
        if (head != 0) extents.push_back(head);
        extents.insert(extents.end(), static_cast<std::size_t>(tiles), tile);
        if (tail != 0) extents.push_back(tail);
        EXPECT_EQ(counts.extents, extents) << head << " " << tiles << " " << tail;
        EXPECT_EQ(counts.copies, static_cast<std::size_t>(tiles));
        for (std::int32_t i = 0; i < n; ++i) ASSERT_EQ(y[i], static_cast<Element>(1001 + i)) << i;
      }
    }
  }
  // A part of a call may end before the first whole line.
  counts = {};
  run_streamed(add_one, counting, x.data(), y_line + 1, 5);
  EXPECT_EQ(counts.extents, std::vector<std::int32_t>{5});
}

}  // namespace
}  // namespace actinide::detail
