// An activation of somebody's own against its reference: special values, and errors in ULP, with a report.
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string_view>

#include "bits.h"
#include "target_test.h"

extern "C" long double OWN_REFERENCE(long double x, const long double* attributes);

namespace actinide::test {
namespace {

using tools::format_of;
using tools::infinity_bits;
using tools::is_nan_bits;
using tools::load_bits;
using tools::nearest_bits;
using tools::sign_bit;
using tools::store_bits;
using tools::value_of;

const std::map<std::string_view, double> limits = {OWN_LIMITS};

class Own : public TargetTest {
 protected:
  double limit() const { return limits.contains(op().type_name) ? limits.at(op().type_name) : 1.0; }

  /// The defaults, and all attributes alike.
  std::vector<std::vector<float>> attributes() const {
    std::vector<std::vector<float>> all(1);
    for (const tools::Attribute& attribute : op().attributes) all[0].push_back(attribute.default_value);
    if (op().attributes.empty()) return all;
    for (const float value : {1.7f, -0.75f}) all.emplace_back(op().attributes.size(), value);
    return all;
  }

  std::vector<std::uint64_t> run(const std::vector<std::uint64_t>& x, const std::vector<float>& values) const {
    std::vector<std::byte> in(x.size() * op().element_size), out(in.size());
    for (std::size_t i = 0; i < x.size(); ++i) store_bits(op().type, in.data(), i, x[i]);
    EXPECT_EQ(op().call(in.data(), out.data(), x.size(), values.data()), ACTINIDE_OK);
    std::vector<std::uint64_t> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = load_bits(op().type, out.data(), i);
    return y;
  }

  long double reference(std::uint64_t x, const std::vector<float>& values) const {
    std::vector<long double> rounded;
    for (const float value : values) rounded.push_back(tools::rounded_attribute(op().type, value));
    return OWN_REFERENCE(value_of(op().type, x), rounded.data());
  }

  /// In ULP; infinite where one is NaN or infinite and the other is not, or where the reference is zero and the result another number.
  double error(std::uint64_t y, long double right) const {
    constexpr double wrong = std::numeric_limits<double>::infinity();
    if (std::isnan(right)) return is_nan_bits(op().type, y) ? 0 : wrong;
    const auto nearest = static_cast<double>(right);
    const std::uint64_t bits = nearest_bits(op().type, nearest);
    if (y == bits) return std::isinf(nearest) || right == 0 ? 0 : std::fmin(ulp(y, right), 0.5);
    // Zeros differ by their sign alone.
    if (right == 0 || std::isinf(right) || is_nan_bits(op().type, y)) return wrong;
    return std::isinf(value_of(op().type, y)) || std::isinf(nearest) ? wrong : ulp(y, right);
  }

  /// Subnormal float32 is zero to 32-bit NEON, in and out.
  bool may_be_flushed(std::uint64_t x, long double right) const {
    const auto is_subnormal = [](long double value) { return value != 0 && std::fabs(value) < 0x1p-126L; };
    if (!is_32_bit_neon(GetParam().target) || op().type == ElementType::f16 || op().type == ElementType::f64) return false;
    return is_subnormal(value_of(op().type, x)) || is_subnormal(right);
  }

  std::string describe(std::uint64_t x, std::uint64_t y, long double right, const std::vector<float>& values) const {
    std::string text(256, '\0');
    text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "x = %a returned %a (%.9g) for %.20Lg",
                                                       value_of(op().type, x), value_of(op().type, y), value_of(op().type, y), right)));
    for (std::size_t i = 0; i < values.size(); ++i) text += ", " + std::string(op().attributes[i].name) + " " + std::to_string(values[i]);
    return text;
  }

 private:
  double ulp(std::uint64_t y, long double right) const {
    const auto nearest = static_cast<double>(right);
    if (nearest == 0 || !std::isfinite(nearest)) return tools::ulp_error(op().type, y, nearest);
    const auto rest = std::ldexp(static_cast<double>(right - nearest), -tools::unit_exponent(ElementType::f64, nearest));
    return tools::ulp_error(op().type, y, nearest, rest);
  }
};

TEST_P(Own, SpecialValues) {
  const ElementType type = op().type;
  std::vector<std::uint64_t> x;
  const std::uint64_t infinity = infinity_bits(type);
  const std::uint64_t smallest_normal = std::uint64_t{1} << format_of(type).fraction;
  for (const std::uint64_t magnitude :
       {std::uint64_t{0}, std::uint64_t{1}, smallest_normal - 1, smallest_normal, nearest_bits(type, 1.0), nearest_bits(type, 50.0),
        nearest_bits(type, 200.0), infinity - 1, infinity, infinity + 1, infinity + smallest_normal / 2}) {
    for (const std::uint64_t sign : {std::uint64_t{0}, sign_bit(type)}) x.push_back(magnitude | sign);
  }
  for (const std::vector<float>& values : attributes()) {
    const std::vector<std::uint64_t> y = run(x, values);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double right = reference(x[i], values);
      if (may_be_flushed(x[i], right)) continue;
      EXPECT_LE(error(y[i], right), limit()) << op().name << " " << op().type_name << " on " << GetParam().target << ": "
                                             << describe(x[i], y[i], right, values);
    }
  }
}

TEST_P(Own, ErrorIsWithinTheLimit) {
  const ElementType type = op().type;
  const int width = format_of(type).bits;
  std::vector<std::uint64_t> x;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> moderate(-20, 20);
  for (std::uint64_t i = 0; i < 1 << 16; ++i) {
    // One of each 2^16th of all patterns, and as many where most tensors are.
    x.push_back(width == 16 ? i : i << (width - 16) | (random() & ((std::uint64_t{1} << (width - 16)) - 1)));
    if (width > 16) {
      for (int k = 0; k < 4; ++k) x.push_back(nearest_bits(type, moderate(random)));
    }
  }
  double worst = -1;
  std::string where;
  for (const std::vector<float>& values : attributes()) {
    const std::vector<std::uint64_t> y = run(x, values);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double right = reference(x[i], values);
      const double e = may_be_flushed(x[i], right) ? 0 : error(y[i], right);
      if (e > worst) {
        worst = e;
        where = describe(x[i], y[i], right, values);
      }
    }
  }
  std::printf("%s %s on %s: worst error %.6f ULP, limit %g: %s\n", std::string(op().name).c_str(), std::string(op().type_name).c_str(),
              GetParam().target.c_str(), worst, limit(), where.c_str());
  EXPECT_LE(worst, limit()) << "the error of " << op().name << " " << op().type_name << " on " << GetParam().target
                            << " is too large. Compute more exactly, or raise its limit in LIMITS. " << where;
}

INSTANTIATE_TEST_SUITE_P(, Own, testing::ValuesIn(all_parameters()), full_name);

}  // namespace
}  // namespace actinide::test
