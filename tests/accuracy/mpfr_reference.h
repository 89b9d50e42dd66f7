// The exact values by MPFR, for what is to be sure. Independent of the other references; where MPFR is missing there is none.
#pragma once

#include <string>
#include <string_view>

#include "references.h"

#ifdef ACTINIDE_HAVE_MPFR
#include <mpfr.h>
#endif

namespace actinide::test {

#ifdef ACTINIDE_HAVE_MPFR

/// alpha (e^x - 1) for x < 0, cut off 256 bits on: the magnitude is never above the true one.
class MpfrElu {
 public:
  static constexpr bool is_available = true;

  MpfrElu(double x, double alpha) {
    mpfr_inits2(256, value_, x_, static_cast<mpfr_ptr>(nullptr));
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_expm1(value_, x_, MPFR_RNDZ);
    mpfr_mul_d(value_, value_, alpha, MPFR_RNDZ);
  }
  ~MpfrElu() { mpfr_clears(value_, x_, static_cast<mpfr_ptr>(nullptr)); }
  MpfrElu(const MpfrElu&) = delete;
  MpfrElu& operator=(const MpfrElu&) = delete;

  /// Distance of a finite result, in units in the last place at the exact value.
  double ulp_error(ElementType type, std::uint64_t y) {
    const auto format = tools::format_of(type);
    const auto unit = std::max<long>(mpfr_get_exp(value_) - 1 - format.fraction, format.smallest_exponent);
    mpfr_d_sub(x_, tools::value_of(type, y), value_, MPFR_RNDN);
    mpfr_mul_2si(x_, x_, -unit, MPFR_RNDN);
    return std::fabs(mpfr_get_d(x_, MPFR_RNDN));
  }

  std::string text() const {
    char digits[64];
    mpfr_snprintf(digits, sizeof digits, "%.21Rg", value_);
    return digits;
  }

 private:
  mpfr_t value_, x_;
};

#else

class MpfrElu {
 public:
  static constexpr bool is_available = false;
  MpfrElu(double, double) {}
  double ulp_error(ElementType, std::uint64_t) { return 0; }
  std::string text() const { return {}; }
};

#endif

/// Is there MPFR, and does it know the operator?
inline bool mpfr_knows(std::string_view op) { return MpfrElu::is_available && op == "elu"; }

}  // namespace actinide::test
