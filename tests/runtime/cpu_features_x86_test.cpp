// Detection on x86-64, from the CPUID words that real CPUs report. XCR0 is what an operating system sets that enables all of the CPU's
// vector state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "cpu_features.h"
#include "dispatch.h"

namespace actinide::detail {
namespace {

X86Words current;
constexpr Target table[] = {
    {"sse41", []() noexcept { return has_sse41(current); }},
    {"avx2", []() noexcept { return has_avx2(current); }},
    {"avx512", []() noexcept { return has_avx512(current); }},
};

std::string chosen(const X86Words& words) {
  current = words;
  const int index = choose_target(table, 3, nullptr, nullptr).target;
  return index < 0 ? "none" : table[index].name;
}

constexpr std::uint64_t sse = 0x3, ymm = 0x7, zmm = 0xe7;

struct Cpu {
  const char* name;
  X86Words words;  // leaf 1 ECX, leaf 7 EBX, leaf 0x80000001 ECX, XCR0
  const char* target;
};

constexpr Cpu cpus[] = {
    {"Phenom II X6 1055T (K10)", {0x00802009, 0, 0x000037ff, 0}, "none"},
    {"E-450 (Bobcat: SSSE3, no SSE4.1)", {0x00802209, 0, 0x000035ff, 0}, "none"},
    {"Core 2 Duo E6750 (Conroe)", {0x0000e3fd, 0, 0x00000001, 0}, "none"},
    {"Core 2 Quad Q9450 (Yorkfield, as Penryn)", {0x0008e3fd, 0, 0x00000001, 0}, "sse41"},
    {"Core i7-920 (Nehalem)", {0x0098e3bd, 0, 0x00000001, 0}, "sse41"},
    {"Atom (Silvermont)", {0x43d8e3bf, 0x00002282, 0x00000101, 0}, "sse41"},
    {"Atom C3958 (Goldmont)", {0x4ff8ebbf, 0x2294e283, 0x00000101, sse}, "sse41"},
    {"Celeron J6412 (Tremont)", {0x4ff8ebbf, 0x2394a2c3, 0x00000101, sse}, "sse41"},
    {"Pentium 4415U (Kaby Lake without AVX)", {0x4ffaebbf, 0x02946687, 0x00000121, sse}, "sse41"},
    {"Core i7-2600 (Sandy Bridge: AVX only)", {0x1fbae3ff, 0, 0x00000001, ymm}, "sse41"},
    {"Core i7-3770K (Ivy Bridge: AVX, F16C)", {0x7f9ae3bf, 0x00000281, 0x00000001, ymm}, "sse41"},
    {"FX-8150 (Bulldozer: AVX, FMA4)", {0x1e98220b, 0, 0x01c9bfff, ymm}, "sse41"},
    {"FX-8350 (Piledriver: AVX, FMA, no AVX2)", {0x3e98320b, 0x00000008, 0x01ebbfff, ymm}, "sse41"},
    {"Athlon 5350 (Jaguar)", {0x3ed8220b, 0x00000008, 0x154037ff, ymm}, "sse41"},
    {"FX-8800P (Excavator)", {0x7ed8320b, 0x000001a9, 0x2febbfff, ymm}, "avx2"},
    {"Core i7-4770 (Haswell)", {0x7ffafbff, 0x000027ab, 0x00000021, ymm}, "avx2"},
    {"Core i7-6700K (Skylake client)", {0x7ffafbbf, 0x029c6fbf, 0x00000121, ymm}, "avx2"},
    {"Core i3-1220P (Alder Lake)", {0x7ffafbbf, 0x239ca7eb, 0x00000121, ymm}, "avx2"},
    {"Core 3 N355 (Gracemont)", {0x7ffafbff, 0x239ca7eb, 0x00000121, ymm}, "avx2"},
    {"Ryzen 7 1800X (Zen)", {0x7ed8320b, 0x209c01a9, 0x35c233ff, ymm}, "avx2"},
    {"Ryzen 9 3900X (Zen 2)", {0x7ed8320b, 0x219c91a9, 0x75c237ff, ymm}, "avx2"},
    {"Ryzen 9 5900X (Zen 3)", {0x7ed8320b, 0x219c97a9, 0x75c237ff, ymm}, "avx2"},
    {"Xeon Phi 7210 (Knights Landing: AVX512F, CD, ER, PF)", {0x7ff8f3bf, 0x1c0d23ab, 0x00000121, zmm}, "avx2"},
    {"Core i9-7980XE (Skylake-X)", {0x7ffefbbf, 0xd39ffffb, 0x00000121, zmm}, "avx512"},
    {"Core i3-8121U (Cannon Lake)", {0x7ffafbbf, 0xf2bf67eb, 0x00000121, zmm}, "avx512"},
    {"Core i3-1005G1 (Ice Lake)", {0x7ffafbbf, 0xf2bf27ef, 0x00000121, zmm}, "avx512"},
    {"Core i7-11700K (Rocket Lake)", {0xfedaf387, 0xf2bf67ab, 0x00000121, zmm}, "avx512"},
    {"Ryzen 5 7600X (Zen 4)", {0x7ef8320b, 0xf1bf97a9, 0x75c237ff, zmm}, "avx512"},
};

TEST(CpuFeaturesX86, RealCpus) {
  for (const Cpu& cpu : cpus) EXPECT_EQ(chosen(cpu.words), cpu.target) << cpu.name;
}

constexpr X86Words skylake_x = {0x7ffefbbf, 0xd39ffffb, 0x00000121, zmm};

X86Words with_xcr0(X86Words words, std::uint64_t xcr0) {
  words.xcr0 = xcr0;
  return words;
}

TEST(CpuFeaturesX86, OperatingSystemSavesNoMore) {
  constexpr std::uint64_t opmask = 0x20, upper_halves = 0x40, upper_sixteen = 0x80;
  EXPECT_EQ(chosen(with_xcr0(skylake_x, ymm)), "avx2");
  EXPECT_EQ(chosen(with_xcr0(skylake_x, ymm | upper_halves | upper_sixteen)), "avx2");
  EXPECT_EQ(chosen(with_xcr0(skylake_x, ymm | opmask | upper_sixteen)), "avx2");
  EXPECT_EQ(chosen(with_xcr0(skylake_x, ymm | opmask | upper_halves)), "avx2");
  EXPECT_EQ(chosen(with_xcr0(skylake_x, sse)), "sse41");
  EXPECT_EQ(chosen(with_xcr0(skylake_x, sse | opmask | upper_halves | upper_sixteen)), "sse41") << "AVX-512 without AVX";
  EXPECT_EQ(chosen(with_xcr0(skylake_x, 0x5)), "sse41") << "AVX without SSE state";
  EXPECT_EQ(chosen(with_xcr0(skylake_x, zmm | 0x60200)), "avx512") << "PKRU and AMX state besides";
  X86Words no_xsave = with_xcr0(skylake_x, 0);
  no_xsave.leaf1_ecx &= ~(std::uint32_t{1} << 27);
  EXPECT_EQ(chosen(no_xsave), "sse41");
  // XCR0 counts only together with OSXSAVE.
  no_xsave.xcr0 = zmm;
  EXPECT_EQ(chosen(no_xsave), "sse41");
}

// Each bit on its own, cleared in a CPU that has all: what the level needs takes it down, and nothing else does.
TEST(CpuFeaturesX86, EachMissingBit) {
  const auto expected = [](int bit, std::initializer_list<int> for_sse41, std::initializer_list<int> for_avx2,
                           std::initializer_list<int> for_avx512) {
    const auto has = [bit](std::initializer_list<int> bits) { return std::find(bits.begin(), bits.end(), bit) != bits.end(); };
    return has(for_sse41) ? "none" : has(for_avx2) ? "sse41" : has(for_avx512) ? "avx2" : "avx512";
  };
  for (int bit = 0; bit < 32; ++bit) {
    const std::uint32_t mask = ~(std::uint32_t{1} << bit);
    X86Words words = skylake_x;
    words.leaf1_ecx &= mask;
    // SSE3, SSSE3, CMPXCHG16B, SSE4.1; FMA, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C
    EXPECT_EQ(chosen(words), expected(bit, {0, 9, 13, 19}, {12, 20, 22, 23, 27, 28, 29}, {})) << "leaf 1 ECX bit " << bit;
    words = skylake_x;
    words.leaf7_ebx &= mask;
    // BMI1, AVX2, BMI2; AVX512F, DQ, CD, BW, VL
    EXPECT_EQ(chosen(words), expected(bit, {}, {3, 5, 8}, {16, 17, 28, 30, 31})) << "leaf 7 EBX bit " << bit;
    words = skylake_x;
    words.extended1_ecx &= mask;
    EXPECT_EQ(chosen(words), expected(bit, {}, {5}, {})) << "leaf 0x80000001 ECX bit " << bit;  // LZCNT
    words = skylake_x;
    words.xcr0 &= mask;
    EXPECT_EQ(chosen(words), expected(bit, {}, {1, 2}, {5, 6, 7})) << "XCR0 bit " << bit;
  }
}

TEST(CpuFeaturesX86, NothingAtAll) { EXPECT_EQ(chosen({}), "none"); }

// The kernel's own list of features, which also knows XCR0.
TEST(CpuFeaturesX86, ThisMachine) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line) && !line.starts_with("flags")) {
  }
  if (!line.starts_with("flags")) GTEST_SKIP() << "/proc/cpuinfo has no flags";
  const auto has = [flags = " " + line + " "](const char* names) {
    std::istringstream words(names);
    for (std::string word; words >> word;) {
      if (flags.find(" " + word + " ") == std::string::npos) return false;
    }
    return true;
  };
  const bool sse41 = has("pni ssse3 cx16 sse4_1");
  const bool avx2 = sse41 && has("sse4_2 movbe popcnt avx fma f16c bmi1 bmi2 avx2 abm");
  EXPECT_EQ(supports_sse41(), sse41);
  EXPECT_EQ(supports_avx2(), avx2);
  EXPECT_EQ(supports_avx512(), avx2 && has("avx512f avx512dq avx512cd avx512bw avx512vl"));
}

}  // namespace
}  // namespace actinide::detail
