// Bits: arch/arm64/include/uapi/asm/hwcap.h and arch/arm/include/uapi/asm/hwcap.h of Linux, part of its ABI.
//
// The pure functions are for both and compile anywhere, so that their tests run on any machine.
#include <sys/auxv.h>

#include "cpu_features.h"

namespace actinide::detail {

namespace {

constexpr std::uint64_t bit(int n) { return std::uint64_t{1} << n; }
constexpr bool all(std::uint64_t word, std::uint64_t bits) { return (word & bits) == bits; }

// arm64
constexpr std::uint64_t fp = bit(0), asimd = bit(1), crc32 = bit(7), atomics = bit(8), fphp = bit(9), asimdhp = bit(10), asimdrdm = bit(12);
// arm
constexpr std::uint64_t neon = bit(12), vfpv3 = bit(13);

}  // namespace

bool has_arm64_neon(std::uint64_t hwcap) noexcept { return all(hwcap, fp | asimd); }

// ARMv8.2 with half precision. The others come with ARMv8.1, and LLVM takes them for granted.
bool has_arm64_neon_fp16(std::uint64_t hwcap) noexcept {
  return has_arm64_neon(hwcap) && all(hwcap, fphp | asimdhp | crc32 | atomics | asimdrdm);
}

bool has_arm32_neon(std::uint64_t hwcap) noexcept { return all(hwcap, neon | vfpv3); }

#if defined(__aarch64__)
bool supports_neon() noexcept { return has_arm64_neon(getauxval(AT_HWCAP)); }
bool supports_neon_fp16() noexcept { return has_arm64_neon_fp16(getauxval(AT_HWCAP)); }
#elif defined(__arm__)
bool supports_neon() noexcept { return has_arm32_neon(getauxval(AT_HWCAP)); }
#endif

}  // namespace actinide::detail
