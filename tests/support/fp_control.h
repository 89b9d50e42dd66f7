// The floating-point unit's control register and its sticky flags, by the same names on every architecture.
//
// x86-64: both are in MXCSR (Intel SDM volume 1, 10.2.3). AArch64: FPCR and FPSR. AArch32: both are in FPSCR, beside the flags of the last
// comparison (Arm ARM, DDI 0487). On AArch32 the register governs VFP instructions alone: Advanced SIMD always uses the standard FPSCR
// value (StandardFPSCRValue() there), which rounds to nearest, flushes subnormals and gives the default NaN.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace actinide::test::fp {

#if defined(__x86_64__)

using Word = std::uint32_t;

constexpr Word round_down = 0x2000, round_up = 0x4000, round_to_zero = 0x6000, flush_to_zero = 0x8000, denormals_are_zero = 0x40;
/// Round to nearest, subnormals kept, no exception traps: what a program starts with.
constexpr Word initial = 0x1f80;
constexpr Word all_trap = 0;
constexpr Word all_flags = 0x3f;

inline Word control() { return _mm_getcsr() & ~all_flags; }
inline Word flags() { return _mm_getcsr() & all_flags; }
inline void set_control(Word word) { _mm_setcsr(word | flags()); }
inline void set_flags(Word word) { _mm_setcsr(control() | word); }

#elif defined(__aarch64__) || defined(__arm__)

constexpr unsigned round_down = 2u << 22, round_up = 1u << 22, round_to_zero = 3u << 22, flush_to_zero = 1u << 24, default_nan = 1u << 25;
constexpr unsigned initial = 0;
/// Where no exception can trap, which is usual, these bits read back as zero.
constexpr unsigned all_trap = 0x9f00;
/// Five exceptions, input denormal, and saturation.
constexpr unsigned all_flags = 0x0800009f;

#if defined(__aarch64__)

using Word = std::uint64_t;

inline Word control() {
  Word word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word)::"memory");
  return word;
}
inline Word flags() {
  Word word;
  __asm__ volatile("mrs %0, fpsr" : "=r"(word)::"memory");
  return word & all_flags;
}
inline void set_control(Word word) { __asm__ volatile("msr fpcr, %0" ::"r"(word) : "memory"); }
inline void set_flags(Word word) { __asm__ volatile("msr fpsr, %0" ::"r"(word) : "memory"); }

#else

using Word = std::uint32_t;

constexpr Word flags_of_comparison = 0xf0000000;

inline Word fpscr() {
  Word word;
  __asm__ volatile("vmrs %0, fpscr" : "=r"(word)::"memory");
  return word;
}
inline void set_fpscr(Word word) { __asm__ volatile("vmsr fpscr, %0" ::"r"(word) : "memory"); }

inline Word control() { return fpscr() & ~(all_flags | flags_of_comparison); }
inline Word flags() { return fpscr() & all_flags; }
inline void set_control(Word word) { set_fpscr(word | flags()); }
inline void set_flags(Word word) { set_fpscr(control() | word); }

#endif
#endif

/// Control words under which a program may call the library.
constexpr Word controls[] = {
    initial,
    initial | round_down,
    initial | round_up,
    initial | round_to_zero,
    initial | flush_to_zero,
#if defined(__x86_64__)
    initial | denormals_are_zero,
    initial | flush_to_zero | denormals_are_zero,
#else
    initial | default_nan,
    initial | flush_to_zero | default_nan | round_up,
#endif
};

/// Sets the control register, and puts it and the flags back.
class WithControl {
 public:
  explicit WithControl(Word word) { set_control(word); }
  ~WithControl() {
    set_control(control_);
    set_flags(flags_);
  }
  WithControl(const WithControl&) = delete;
  WithControl& operator=(const WithControl&) = delete;

 private:
  Word control_ = control(), flags_ = flags();
};

}  // namespace actinide::test::fp
