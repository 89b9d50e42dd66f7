// The size of the last-level cache on x86-64.
#pragma once

#include <cstddef>
#include <cstdint>

namespace actinide::detail {

/// The words that tell: CPUID leaf 4 or, on AMD's CPUs, the same in leaf 0x8000001D, one sub-leaf a cache; and leaf 0x80000006.
struct X86CacheWords {
  struct Cache {
    std::uint32_t eax, ebx, ecx;
  };
  static constexpr std::uint32_t max_caches = 8;
  Cache caches[max_caches];
  std::uint32_t extended6_ecx, extended6_edx;
};

/// Bytes of the last-level cache, or 0 if the words do not tell. A pure function, tested by table.
std::uint64_t last_level_cache_bytes(const X86CacheWords& words) noexcept;

/// The same, of this CPU.
std::uint64_t last_level_cache_bytes() noexcept;

}  // namespace actinide::detail
