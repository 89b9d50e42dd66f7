// Dense sweeps against the real function: every pattern of the 16-bit types; for float32 every 256th pattern, or fewer, from an offset that
// differs each run; for float64 samples dense in bits and in value. The limits and the worst inputs known are in limits.def.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "accuracy_limits.h"
#include "references.h"
#include "target_test.h"

namespace actinide::test {
namespace {

constexpr float usual_attributes[] = {2.0f, 0.5f, 1.6732632f, 0.1f, -1.0f, 3.3f};

// Where roundings weigh most: just under a power of two, and where alpha / 4 - alpha is one; tiny and huge. One more differs each run.
constexpr float other_attributes[] = {1.99470317f, 1.97571528f, 1.50287f, 1.51265f, -1.5f, 1e-10f, 1e-40f, 3e38f};

/// Is the worst of all inputs known, so that nothing worse may turn up?
bool worst_is_known(const Limit& limit) { return limit.type != "f64" && (limit.attributes == Attributes::one || limit.type != "f32"); }

/// Where float32 and float64 results are subnormal, alpha 2^k is rounded to the same few bits: the promise is 2 units there.
bool has_loose_subnormals(ElementType type, float attribute) { return format_of(type).bits > 16 && attribute != 1.0f; }

long double smallest_normal(ElementType type) {
  const auto format = format_of(type);
  return std::ldexp(1.0L, format.smallest_exponent + format.fraction);
}

std::uint64_t seed() {
  const char* given = std::getenv("ACTINIDE_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
}

std::vector<std::byte> sweep_inputs(ElementType type, float attribute, int thinning, std::mt19937_64& random) {
  const std::size_t size = static_cast<std::size_t>(format_of(type).bits) / 8;
  std::vector<std::uint64_t> patterns;
  if (size == 2) {
    for (std::uint64_t x = 0; x < 0x10000; ++x) patterns.push_back(x);
  } else if (type == ElementType::f32) {
    const std::uint64_t stride = 256 * static_cast<std::uint64_t>(thinning);
    for (std::uint64_t x = random() % stride; x < 0x100000000; x += stride) patterns.push_back(x);
  } else {
    const double ln2 = 0x1.62e42fefa39efp-1;
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < (1 << 18) / thinning; ++i) {
      const double u = unit(random);
      patterns.push_back(random());                                        // anything
      patterns.push_back(std::bit_cast<std::uint64_t>(-u * 40));           // to beyond saturation
      patterns.push_back(std::bit_cast<std::uint64_t>(-u));                // the busiest octaves
      patterns.push_back(std::bit_cast<std::uint64_t>(-0.33 - 0.04 * u));  // the first change of k, where the error peaks
      patterns.push_back(std::bit_cast<std::uint64_t>(-ln2 * (i % 55 + 0.5) * (1 + u * 1e-9)));  // every change of k
      patterns.push_back(std::bit_cast<std::uint64_t>(-std::ldexp(1 + u, -(i % 1074))));         // every octave
    }
  }
  // Where the result crosses a power of two, the exact value's ULP can be half of the result's.
  for (int octave = 0; size > 2 && octave < 3; ++octave) {
    const double crossing = std::log1p(-std::ldexp(1.0, std::ilogb(attribute) - octave) / std::fabs(static_cast<double>(attribute)));
    if (!(crossing < 0) || !std::isfinite(crossing)) continue;
    const std::uint64_t around = nearest_bits(type, crossing);
    for (std::uint64_t d = 0; d < 512; ++d) patterns.push_back(around + d - 256);
  }
  const std::uint64_t threshold = nearest_bits(type, rounded_attribute(type, attribute));
  for (std::uint64_t d = 0; d < 64; ++d) {
    patterns.push_back(threshold + d);
    patterns.push_back(threshold - d);
  }
  std::vector<std::byte> data(patterns.size() * size);
  for (std::size_t i = 0; i < patterns.size(); ++i) store_bits(type, data.data(), i, patterns[i]);
  return data;
}

class Accuracy : public TargetTest {};

TEST_P(Accuracy, Sweep) {
  const ReferenceRow* reference = find_reference(op().name);
  ASSERT_NE(reference, nullptr) << "references.h has no row for " << op().name;
  const std::uint64_t first = seed();
  std::mt19937_64 random(first);
  std::vector<std::pair<float, int>> attributes_to_try = {{1.0f, 1}};  // with the thinning of the sweep
  for (const float attribute : usual_attributes) attributes_to_try.emplace_back(attribute, 2);
  for (const float attribute : other_attributes) attributes_to_try.emplace_back(attribute, 8);
  attributes_to_try.emplace_back(std::ldexp(std::uniform_real_distribution<float>(-2, 2)(random), static_cast<int>(random() % 40) - 20), 8);
  for (const auto& [attribute, thinning] : attributes_to_try) {
    const double rounded = rounded_attribute(op().type, attribute);
    const std::vector<std::byte> x = sweep_inputs(op().type, attribute, thinning, random);
    const std::size_t n = x.size() / op().element_size;
    std::vector<std::byte> y(x.size());
    const std::vector<float> attributes(op().attributes.size(), attribute);
    ASSERT_EQ(op().call(x.data(), y.data(), n, attributes.data()), ACTINIDE_OK);

    double worst = 0, worst_subnormal = 0;
    std::size_t worst_at = 0;
    std::size_t rounded_results = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t in = load_bits(op().type, x.data(), i);
      const std::uint64_t out = load_bits(op().type, y.data(), i);
      const Reference right = reference->function(op().type, in, rounded);
      if (right.is_exact) {
        ASSERT_EQ(out, right.bits) << std::hex << "x bits " << in << ", attribute " << attribute << ", ACTINIDE_TEST_SEED=" << first;
        continue;
      }
      ++rounded_results;
      ASSERT_FALSE(is_nan_bits(op().type, out)) << std::hex << "x bits " << in << ", attribute " << attribute;
      ASSERT_EQ((out & sign_bit(op().type)) != 0, std::signbit(right.value)) << std::hex << "x bits " << in << ", attribute " << attribute;
      const double error = ulp_error(op().type, out, right.value);
      if (has_loose_subnormals(op().type, attribute) && std::fabs(right.value) < smallest_normal(op().type)) {
        worst_subnormal = std::max(worst_subnormal, error);
        continue;
      }
      if (error > worst) {
        worst = error;
        worst_at = i;
      }
    }
    if (rounded_results == 0) continue;
    const Limit* limit = find_limit(GetParam(), attribute == 1.0f ? Attributes::one : Attributes::any);
    ASSERT_NE(limit, nullptr) << "limits.def has no row";
    const std::uint64_t in = load_bits(op().type, x.data(), worst_at);
    const std::uint64_t out = load_bits(op().type, y.data(), worst_at);
    std::printf("attribute %.9g: worst %.6f ULP at x = 0x%" PRIx64 " (%a), returned 0x%" PRIx64 " (%a), exact %.21Lg\n", attribute, worst,
                in, value_of(op().type, in), out, value_of(op().type, out), reference->function(op().type, in, rounded).value);
    EXPECT_LE(worst_subnormal, 2.0) << "subnormal results, attribute " << attribute << ", ACTINIDE_TEST_SEED=" << first;
    EXPECT_LE(worst, limit->limit) << "attribute " << attribute << ", ACTINIDE_TEST_SEED=" << first;
    if (worst_is_known(*limit)) {
      EXPECT_LE(worst, limit->worst + 1e-4) << "worse than the worst in limits.def; attribute " << attribute
                                            << ", ACTINIDE_TEST_SEED=" << first;
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
    EXPECT_EQ(load_bits(op().type, y.data(), 0), limit->returned);
    EXPECT_NEAR(ulp_error(op().type, limit->returned, limit->exact), limit->worst, 1e-3);  // long double has 11 bits more than float64
    EXPECT_LE(limit->worst, limit->limit);
    const Reference right = find_reference(op().name)->function(op().type, limit->x, rounded_attribute(op().type, limit->attribute));
    EXPECT_NEAR(static_cast<double>(right.value / limit->exact), 1, 1e-15);
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
