// Bits: Intel SDM volume 2A, CPUID; volume 1, 13.3 (XCR0); AMD APM volume 3, appendix E.
//
// Each level asks for everything that LLVM takes for granted there, since a kernel may contain any of it: Halide compiles for Penryn,
// Haswell and Skylake-AVX512.
#include <cpuid.h>

#include "cpu_features.h"

namespace actinide::detail {

namespace {

constexpr std::uint32_t bit(int n) { return std::uint32_t{1} << n; }

// Leaf 1, ECX.
constexpr std::uint32_t sse3 = bit(0), ssse3 = bit(9), fma = bit(12), cx16 = bit(13), sse41 = bit(19), sse42 = bit(20), movbe = bit(22),
                        popcnt = bit(23), osxsave = bit(27), avx = bit(28), f16c = bit(29);
// Leaf 7, EBX.
constexpr std::uint32_t bmi1 = bit(3), avx2 = bit(5), bmi2 = bit(8), avx512f = bit(16), avx512dq = bit(17), avx512cd = bit(28),
                        avx512bw = bit(30), avx512vl = bit(31);
// Leaf 0x80000001, ECX.
constexpr std::uint32_t lzcnt = bit(5);
// XCR0: the registers that the operating system saves.
constexpr std::uint64_t xmm_ymm = 0x6, opmask_zmm = 0xe0;

constexpr bool all(std::uint64_t word, std::uint64_t bits) { return (word & bits) == bits; }

X86Words read_words() noexcept {
  X86Words words{};
  std::uint32_t eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) words.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) words.leaf7_ebx = ebx;
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx)) words.extended1_ecx = ecx;
  if (all(words.leaf1_ecx, osxsave)) {
    __asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    words.xcr0 = std::uint64_t{edx} << 32 | eax;
  }
  return words;
}

}  // namespace

bool has_sse41(const X86Words& w) noexcept { return all(w.leaf1_ecx, sse3 | ssse3 | cx16 | sse41); }

bool has_avx2(const X86Words& w) noexcept {
  return has_sse41(w) && all(w.leaf1_ecx, sse42 | movbe | popcnt | osxsave | avx | fma | f16c) && all(w.leaf7_ebx, bmi1 | bmi2 | avx2) &&
         all(w.extended1_ecx, lzcnt) && all(w.xcr0, xmm_ymm);
}

bool has_avx512(const X86Words& w) noexcept {
  return has_avx2(w) && all(w.leaf7_ebx, avx512f | avx512dq | avx512cd | avx512bw | avx512vl) && all(w.xcr0, xmm_ymm | opmask_zmm);
}

bool supports_sse41() noexcept { return has_sse41(read_words()); }
bool supports_avx2() noexcept { return has_avx2(read_words()); }
bool supports_avx512() noexcept { return has_avx512(read_words()); }

}  // namespace actinide::detail
