// Bits: Intel SDM volume 2A, CPUID, leaf 4; AMD APM volume 3, appendix E, leaves 0x80000006 and 0x8000001D.
#include "cache_size_x86.h"

#include <cpuid.h>

namespace actinide::detail {

namespace {

constexpr std::uint32_t bits(std::uint32_t word, int first, int count) { return word >> first & ((std::uint32_t{1} << count) - 1); }

constexpr std::uint32_t no_cache = 0, instruction_cache = 2;
std::uint32_t type_of(const X86CacheWords::Cache& c) noexcept { return bits(c.eax, 0, 5); }
std::uint32_t level_of(const X86CacheWords::Cache& c) noexcept { return bits(c.eax, 5, 3); }

/// Returns whether the leaf tells of any cache.
[[gnu::cold]] bool read_caches(std::uint32_t leaf, X86CacheWords& words) noexcept {
  for (std::uint32_t i = 0; i < X86CacheWords::max_caches; ++i) {
    X86CacheWords::Cache& c = words.caches[i];
    std::uint32_t edx;
    if (!__get_cpuid_count(leaf, i, &c.eax, &c.ebx, &c.ecx, &edx)) c = {};
    if (type_of(c) == no_cache) break;
  }
  return type_of(words.caches[0]) != no_cache;
}

[[gnu::cold]] X86CacheWords read_words() noexcept {
  X86CacheWords words{};
  std::uint32_t eax, ebx, ecx, edx;
  if (!read_caches(4, words)) {
    constexpr std::uint32_t topology_extensions = std::uint32_t{1} << 22;  // leaf 0x80000001, ECX
    if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (ecx & topology_extensions) != 0) read_caches(0x8000001d, words);
  }
  if (__get_cpuid(0x80000006, &eax, &ebx, &ecx, &edx)) {
    words.extended6_ecx = ecx;
    words.extended6_edx = edx;
  }
  return words;
}

}  // namespace

[[gnu::cold]] std::uint64_t last_level_cache_bytes(const X86CacheWords& words) noexcept {
  std::uint32_t level = 0;
  std::uint64_t bytes = 0;
  for (const X86CacheWords::Cache& c : words.caches) {
    if (type_of(c) == no_cache) break;
    if (type_of(c) == instruction_cache || level_of(c) <= level) continue;
    level = level_of(c);
    const std::uint64_t line = bits(c.ebx, 0, 12) + 1, partitions = bits(c.ebx, 12, 10) + 1, ways = bits(c.ebx, 22, 10) + 1;
    bytes = line * partitions * ways * (std::uint64_t{c.ecx} + 1);
  }
  if (level != 0) return bytes;
  // Leaf 0x80000006: the L3 cache of the whole package in units of 512 KiB, and the L2 cache in KiB.
  const std::uint64_t l3 = std::uint64_t{bits(words.extended6_edx, 18, 14)} << 19;
  return l3 != 0 ? l3 : std::uint64_t{bits(words.extended6_ecx, 16, 16)} << 10;
}

std::uint64_t last_level_cache_bytes() noexcept { return last_level_cache_bytes(read_words()); }

}  // namespace actinide::detail
