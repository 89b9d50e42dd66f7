// Detection on ARM, from what Linux reports of real machines: the line "Features" of /proc/cpuinfo, which names the bits of AT_HWCAP.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cpu_features.h"
#include "dispatch.h"

namespace actinide::detail {
namespace {

/// Names from bit 0 on: hwcap_str in arch/arm64/kernel/cpuinfo.c and in arch/arm/kernel/setup.c of Linux. The names that follow on real
/// machines are bits of AT_HWCAP2.
constexpr char arm64_names[] =
    "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop sha3 sm3 sm4 asimddp sha512 sve "
    "asimdfhm dit uscat ilrcpc flagm ssbs sb paca pacg";
constexpr char arm32_names[] =
    "swp half thumb 26bit fastmult fpa vfp edsp java iwmmxt crunch thumbee neon vfpv3 vfpv3d16 tls vfpv4 idiva idivt vfpd32 lpae evtstrm";

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

std::uint64_t hwcap(const char* names, const char* features) {
  const std::vector<std::string> all = words(names);
  std::uint64_t bits = 0;
  for (const std::string& feature : words(features)) {
    const auto found = std::find(all.begin(), all.end(), feature);
    EXPECT_NE(found, all.end()) << feature;
    bits |= std::uint64_t{1} << (found - all.begin());
  }
  return bits;
}

std::uint64_t current;
constexpr Target arm64_targets[] = {
    {"neon", []() noexcept { return has_arm64_neon(current); }},
    {"neon_fp16", []() noexcept { return has_arm64_neon_fp16(current); }},
};
constexpr Target arm32_targets[] = {{"neon", []() noexcept { return has_arm32_neon(current); }}};

template <int count>
std::string chosen(const Target (&table)[count], std::uint64_t bits) {
  current = bits;
  const int index = choose_target(table, count, nullptr, nullptr).target;
  return index < 0 ? "none" : table[index].name;
}

struct Machine {
  const char* name;
  const char* features;
  const char* target;
};

constexpr Machine arm64_machines[] = {
    {"Raspberry Pi 3 (Cortex-A53)", "fp asimd evtstrm crc32 cpuid", "neon"},
    {"Raspberry Pi 4 (Cortex-A72)", "fp asimd evtstrm crc32 cpuid", "neon"},
    {"Jetson Nano (Cortex-A57)", "fp asimd evtstrm aes pmull sha1 sha2 crc32", "neon"},
    {"NanoPi R4S (Cortex-A72 and A53)", "fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid", "neon"},
    {"ThunderX2 (ARMv8.1: atomics, no half precision)", "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics cpuid asimdrdm", "neon"},
    {"A64FX", "fp asimd evtstrm sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm fcma dcpop sve", "neon_fp16"},
    {"Raspberry Pi 5 (Cortex-A76)", "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp",
     "neon_fp16"},
    {"Graviton 2 (Neoverse N1)", "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs",
     "neon_fp16"},
    {"Graviton 3 (Neoverse V1)",
     "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop sha3 sm3 sm4 asimddp sha512 "
     "sve "
     "asimdfhm dit uscat ilrcpc flagm ssbs paca pacg",
     "neon_fp16"},
    {"Apple M1",
     "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop sha3 asimddp sha512 asimdfhm "
     "dit "
     "uscat ilrcpc flagm ssbs sb paca pacg",
     "neon_fp16"},
};

constexpr Machine arm32_machines[] = {
    {"Raspberry Pi 1 (ARM1176)", "half thumb fastmult vfp edsp java tls", "none"},
    {"Tegra 2 (Cortex-A9 without NEON)", "swp half thumb fastmult vfp edsp vfpv3 vfpv3d16", "none"},
    {"Armada 370 (Marvell PJ4B)", "swp half thumb fastmult vfp edsp vfpv3 vfpv3d16 tls", "none"},
    {"AST2600 (Cortex-A7 without NEON)", "half thumb fastmult vfp edsp vfpv3 vfpv3d16 tls vfpv4 idiva idivt lpae evtstrm", "none"},
    {"BeagleBone Black (Cortex-A8)", "half thumb fastmult vfp edsp thumbee neon vfpv3 tls vfpd32", "neon"},
    {"DE10-Standard (Cortex-A9)", "half thumb fastmult vfp edsp thumbee neon vfpv3 tls vfpd32", "neon"},
    {"Raspberry Pi 2 (Cortex-A7)", "half thumb fastmult vfp edsp neon vfpv3 tls vfpv4 idiva idivt vfpd32 lpae evtstrm", "neon"},
    {"Raspberry Pi 4 (Cortex-A72) with a 32-bit system",
     "half thumb fastmult vfp edsp neon vfpv3 tls vfpv4 idiva idivt vfpd32 lpae evtstrm", "neon"},
};

TEST(CpuFeaturesArm, RealMachines) {
  for (const Machine& m : arm64_machines) EXPECT_EQ(chosen(arm64_targets, hwcap(arm64_names, m.features)), m.target) << m.name;
  for (const Machine& m : arm32_machines) EXPECT_EQ(chosen(arm32_targets, hwcap(arm32_names, m.features)), m.target) << m.name;
}

// Each bit on its own, cleared in a machine that has all: what the target needs takes it down, and nothing else does.
TEST(CpuFeaturesArm, EachMissingBit) {
  const auto names_it = [](const char* features, const std::string& name) {
    const std::vector<std::string> all = words(features);
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t machine = ~(std::uint64_t{1} << bit);
    const std::vector<std::string> arm64 = words(arm64_names), arm32 = words(arm32_names);
    const auto at = static_cast<std::size_t>(bit);
    const std::string arm64_name = at < arm64.size() ? arm64[at] : "", arm32_name = at < arm32.size() ? arm32[at] : "";
    const bool neon64 = !names_it("fp asimd", arm64_name), fp16 = !names_it("crc32 atomics fphp asimdhp asimdrdm", arm64_name);
    EXPECT_EQ(chosen(arm64_targets, machine), !neon64 ? "none" : fp16 ? "neon_fp16" : "neon") << "arm64 bit " << bit << " " << arm64_name;
    EXPECT_EQ(chosen(arm32_targets, machine), names_it("neon vfpv3", arm32_name) ? "none" : "neon")
        << "arm bit " << bit << " " << arm32_name;
  }
}

TEST(CpuFeaturesArm, NothingAtAll) {
  EXPECT_EQ(chosen(arm64_targets, 0), "none");
  EXPECT_EQ(chosen(arm32_targets, 0), "none");
}

#if defined(__aarch64__) || defined(__arm__)

// The vector that the kernel put on the stack. It is the emulator's where there is one, which /proc/cpuinfo may not be.
TEST(CpuFeaturesArm, ThisMachine) {
  std::ifstream file("/proc/self/auxv", std::ios::binary);
  unsigned long entry[2] = {};
  constexpr unsigned long at_hwcap = 16;
  while (file.read(reinterpret_cast<char*>(entry), sizeof(entry)) && entry[0] != at_hwcap) {
  }
  if (entry[0] != at_hwcap) GTEST_SKIP() << "/proc/self/auxv has no AT_HWCAP";
#if defined(__aarch64__)
  const auto has = [&entry](const char* features) { return (~entry[1] & hwcap(arm64_names, features)) == 0; };
  EXPECT_EQ(supports_neon(), has("fp asimd"));
  EXPECT_EQ(supports_neon_fp16(), has("fp asimd crc32 atomics fphp asimdhp asimdrdm"));
#else
  EXPECT_EQ(supports_neon(), (~entry[1] & hwcap(arm32_names, "neon vfpv3")) == 0);
#endif
}

#endif

}  // namespace
}  // namespace actinide::detail
