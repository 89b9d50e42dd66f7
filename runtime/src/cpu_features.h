// What the CPU and the operating system support. One function `supports_NAME` for every target of cmake/targets.cmake.
#pragma once

#include <cstdint>

namespace actinide::detail {

/// The words that decide on x86-64: CPUID leaves 1, 7 and 0x80000001, and XCR0 (0 where the operating system does not use XSAVE).
struct X86Words {
  std::uint32_t leaf1_ecx;
  std::uint32_t leaf7_ebx;
  std::uint32_t extended1_ecx;
  std::uint64_t xcr0;
};

/// Pure functions of the words, tested by table.
bool has_sse41(const X86Words& words) noexcept;
bool has_avx2(const X86Words& words) noexcept;
bool has_avx512(const X86Words& words) noexcept;

/// The same for ARM, of the word that Linux gives as AT_HWCAP; its bits mean other things on 32-bit machines.
bool has_arm64_neon(std::uint64_t hwcap) noexcept;
bool has_arm64_neon_fp16(std::uint64_t hwcap) noexcept;
bool has_arm32_neon(std::uint64_t hwcap) noexcept;

bool supports_sse41() noexcept;
bool supports_avx2() noexcept;
bool supports_avx512() noexcept;
bool supports_neon() noexcept;
bool supports_neon_fp16() noexcept;

}  // namespace actinide::detail
