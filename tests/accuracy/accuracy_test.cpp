// Dense sweeps against the real function: every pattern of the 16-bit types; for float32 every 256th pattern, or fewer, from an offset that
// differs each run; for float64 samples dense in bits and in value. ACTINIDE_TEST_STRIDE in the environment makes both denser or thinner.
// The limits and the worst inputs known are in limits.def.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "accuracy_limits.h"
#include "flush.h"
#include "references.h"
#include "target_test.h"

namespace actinide::test {
namespace {

constexpr float usual_attributes[] = {2.0f, 0.5f, 1.6732632f, 0.1f, -1.0f, 3.3f};

// Where roundings weigh most: just under a power of two, and where alpha / 4 - alpha is one; tiny and huge. One more differs each run.
constexpr float other_attributes[] = {1.99470317f, 1.97571528f, 1.50287f, 1.51265f, -1.5f, 1e-10f, 3e-37f, 1e-40f, 3e38f};

/// Is the worst of all inputs known, so that nothing worse may turn up?
bool worst_is_known(const Limit& limit) { return limit.type != "f64" && (limit.attributes == Attributes::one || limit.type != "f32"); }

/// Where float32 and float64 results are subnormal, each operation rounds to the same units. Half a unit for alpha 2^k, which counts up to
/// 1.41 times, and for each product and sum: two with FMA, four without, that make less than 2 and 3 units.
double subnormal_limit(Arithmetic arithmetic) { return arithmetic == Arithmetic::fma ? 2.0 : 3.0; }

bool has_loose_subnormals(ElementType type, float attribute) { return format_of(type).bits > 16 && attribute != 1.0f; }

double smallest_normal(ElementType type) {
  const auto format = format_of(type);
  return std::ldexp(1.0, format.smallest_exponent + format.fraction);
}

/// A number from the environment.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 0) : otherwise;
}

/// The inputs of a sweep, in parts of a million or so. `stride` thins out those of f32 and f64.
template <typename Function>
void for_each_part(ElementType type, float attribute, std::uint64_t stride, std::mt19937_64& random, Function function) {
  std::vector<std::uint64_t> patterns;
  const auto add = [&](std::uint64_t pattern) {
    patterns.push_back(pattern);
    if (patterns.size() < 1 << 20) return;
    function(patterns);
    patterns.clear();
  };
  if (format_of(type).bits == 16) {
    for (std::uint64_t x = 0; x < 0x10000; ++x) add(x);
  } else if (type == ElementType::f32) {
    for (std::uint64_t x = random() % stride; x < 0x100000000; x += stride) add(x);
  } else {
    const double ln2 = 0x1.62e42fefa39efp-1;
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < static_cast<int>((1 << 26) / stride); ++i) {
      const double u = unit(random);
      add(random());                                                              // anything
      add(std::bit_cast<std::uint64_t>(-u * 40));                                 // to beyond saturation
      add(std::bit_cast<std::uint64_t>(-u));                                      // the busiest octaves
      add(std::bit_cast<std::uint64_t>(-0.33 - 0.04 * u));                        // the first change of k, where the error peaks
      add(std::bit_cast<std::uint64_t>(-ln2 * (i % 55 + 0.5) * (1 + u * 1e-9)));  // every change of k
      add(std::bit_cast<std::uint64_t>(-std::ldexp(1 + u, -(i % 1074))));         // every octave
    }
  }
  // Where the result crosses a power of two, the exact value's ULP can be half of the result's.
  for (int octave = 0; format_of(type).bits > 16 && octave < 3; ++octave) {
    const double crossing = std::log1p(-std::ldexp(1.0, std::ilogb(attribute) - octave) / std::fabs(static_cast<double>(attribute)));
    if (!(crossing < 0) || !std::isfinite(crossing)) continue;
    const std::uint64_t around = nearest_bits(type, crossing);
    for (std::uint64_t d = 0; d < 512; ++d) add(around + d - 256);
  }
  const std::uint64_t threshold = nearest_bits(type, rounded_attribute(type, attribute));
  for (std::uint64_t d = 0; d < 64; ++d) {
    add(threshold + d);
    add(threshold - d);
  }
  function(patterns);
}

class Accuracy : public TargetTest {
 protected:
  /// The largest error so far, and where.
  struct Worst {
    double error = 0;
    std::uint64_t x = 0, y = 0;
  };

  /// Compares the results of one call with the reference.
  void check(const std::vector<std::uint64_t>& patterns, float attribute) {
    const ElementType type = op().type;
    const double rounded = rounded_attribute(type, attribute);
    const bool loose_subnormals = has_loose_subnormals(type, attribute);
    std::vector<std::byte> x(patterns.size() * op().element_size), y(x.size());
    for (std::size_t i = 0; i < patterns.size(); ++i) store_bits(type, x.data(), i, patterns[i]);
    const std::vector<float> attributes(op().attributes.size(), attribute);
    ASSERT_EQ(op().call(x.data(), y.data(), patterns.size(), attributes.data()), ACTINIDE_OK);

    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const std::uint64_t in = load_bits(type, x.data(), i);
      const std::uint64_t out = load_bits(type, y.data(), i);
      const Reference right = reference_->function(type, in, rounded);
      if (right.is_exact) {
        ASSERT_EQ(out, right.bits) << std::hex << "x bits " << in << ", attribute " << attribute;
        continue;
      }
      ++rounded_results_;
      if (is_allowed_zero(GetParam(), out, value_of(type, in), rounded, right.value)) continue;
      ASSERT_FALSE(is_nan_bits(type, out)) << std::hex << "x bits " << in << ", attribute " << attribute;
      ASSERT_EQ((out & sign_bit(type)) != 0, std::signbit(right.value)) << std::hex << "x bits " << in << ", attribute " << attribute;
      const double error = ulp_error(type, out, right);
      Worst& worst = loose_subnormals && std::fabs(right.value) < smallest_normal(type) ? worst_subnormal_ : worst_;
      if (error > worst.error) worst = {error, in, out};
    }
  }

  const ReferenceRow* reference_ = find_reference(op().name);
  std::size_t rounded_results_ = 0;
  Worst worst_, worst_subnormal_;
};

TEST_P(Accuracy, Sweep) {
  ASSERT_NE(reference_, nullptr) << "references.h has no row for " << op().name;
  const std::uint64_t seed = setting("ACTINIDE_TEST_SEED", std::random_device{}());
  const std::uint64_t stride = std::max<std::uint64_t>(setting("ACTINIDE_TEST_STRIDE", ACTINIDE_TEST_STRIDE), 1);
  SCOPED_TRACE("ACTINIDE_TEST_SEED=" + std::to_string(seed) + " ACTINIDE_TEST_STRIDE=" + std::to_string(stride));
  std::mt19937_64 random(seed);
  std::vector<std::pair<float, int>> attributes_to_try = {{1.0f, 1}};  // with the thinning of the sweep
  for (const float attribute : usual_attributes) attributes_to_try.emplace_back(attribute, 2);
  for (const float attribute : other_attributes) attributes_to_try.emplace_back(attribute, 8);
  attributes_to_try.emplace_back(std::ldexp(std::uniform_real_distribution<float>(-2, 2)(random), static_cast<int>(random() % 40) - 20), 8);
  if (const char* only = std::getenv("ACTINIDE_TEST_ATTRIBUTE")) attributes_to_try = {{std::strtof(only, nullptr), 1}};
  for (const auto& [attribute, thinning] : attributes_to_try) {
    rounded_results_ = 0;
    worst_ = worst_subnormal_ = {};
    for_each_part(op().type, attribute, stride * static_cast<std::uint64_t>(thinning), random,
                  [this, alpha = attribute](const std::vector<std::uint64_t>& patterns) {
                    if (!HasFatalFailure()) check(patterns, alpha);
                  });
    if (HasFatalFailure()) return;
    if (rounded_results_ == 0) continue;
    const Limit* limit = find_limit(GetParam(), attribute == 1.0f ? Attributes::one : Attributes::any);
    ASSERT_NE(limit, nullptr) << "limits.def has no row";
    const Reference right = reference_->function(op().type, worst_.x, rounded_attribute(op().type, attribute));
    std::printf("attribute %.9g, %zu rounded results: worst %.6f ULP at x = 0x%" PRIx64 " (%a), returned 0x%" PRIx64
                " (%a), exact %.17g%+.6f units\n",
                attribute, rounded_results_, worst_.error, worst_.x, value_of(op().type, worst_.x), worst_.y, value_of(op().type, worst_.y),
                right.value, right.rest);
    EXPECT_LE(worst_subnormal_.error, subnormal_limit(arithmetic_of(GetParam().target)))
        << "subnormal results, attribute " << attribute << ", x bits " << std::hex << worst_subnormal_.x;
    EXPECT_LE(worst_.error, limit->limit) << "attribute " << attribute;
    if (worst_is_known(*limit)) {
      EXPECT_LE(worst_.error, limit->worst + 1e-4) << "worse than the worst in limits.def; attribute " << attribute;
    }
  }
}

class Witness : public TargetTest {};

// The worst inputs that are stated give the results and the errors that are stated.
TEST_P(Witness, GivesWhatIsStated) {
  for (const Attributes attributes_of_row : {Attributes::one, Attributes::any}) {
    const Limit* limit = find_limit(GetParam(), attributes_of_row);
    ASSERT_NE(limit, nullptr) << "limits.def lacks a row";
    std::vector<std::byte> x(op().element_size), y(op().element_size);
    store_bits(op().type, x.data(), 0, limit->x);
    const std::vector<float> attributes(op().attributes.size(), limit->attribute);
    ASSERT_EQ(op().call(x.data(), y.data(), 1, attributes.data()), ACTINIDE_OK);
    const std::uint64_t out = load_bits(op().type, y.data(), 0);
    const double alpha = rounded_attribute(op().type, limit->attribute);
    const Reference right = find_reference(op().name)->function(op().type, limit->x, alpha);
    if (!is_allowed_zero(GetParam(), out, value_of(op().type, limit->x), alpha, right.value)) {
      EXPECT_EQ(out, limit->returned);
    }
    EXPECT_NEAR(ulp_error(op().type, limit->returned, about(decimal(limit->exact))), limit->worst, 1e-5);
    EXPECT_NEAR(ulp_error(op().type, limit->returned, right), limit->worst, 1e-5);
    EXPECT_LE(limit->worst, limit->limit);
  }
}

std::vector<Parameter> with_limits() {
  std::vector<Parameter> parameters;
  for (const Parameter& p : all_parameters()) {
    if (find_limit(p, Attributes::one) != nullptr || find_limit(p, Attributes::any) != nullptr) parameters.push_back(p);
  }
  return parameters;
}

INSTANTIATE_TEST_SUITE_P(, Accuracy, testing::ValuesIn(all_parameters()), full_name);
INSTANTIATE_TEST_SUITE_P(, Witness, testing::ValuesIn(with_limits()), full_name);

}  // namespace
}  // namespace actinide::test
