// Sweeps against the real function: every pattern of the 16-bit types; of float32 one in ACTINIDE_TEST_STRIDE, or fewer, from an offset
// that differs each run; for float64 as many samples as for a quarter of that. What they are stands in sweep_inputs.h; the program
// accuracy_exhaustive goes the whole way. The limits and the worst inputs known are in limits.def.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "sweep.h"

namespace actinide::test {
namespace {

// Where roundings weigh most: just under a power of two, and where alpha / 4 - alpha is one; tiny and huge. One more differs each run.
constexpr float other_attributes[] = {1.99470317f, 1.97571528f, 1.50287f, 1.51265f, -1.5f, 1e-10f, 3e-37f, 1e-40f, 3e38f};

class Accuracy : public TargetTest {};

TEST_P(Accuracy, Sweep) {
  const ReferenceRow* reference = find_reference(op().name);
  ASSERT_NE(reference, nullptr) << "references.h has no row for " << op().name;
  const std::uint64_t seed = setting("ACTINIDE_TEST_SEED", std::random_device{}());
  const std::uint64_t stride = std::max<std::uint64_t>(setting("ACTINIDE_TEST_STRIDE", ACTINIDE_TEST_STRIDE), 1);
  const std::string inputs = "ACTINIDE_TEST_SEED=" + std::to_string(seed) + " ACTINIDE_TEST_STRIDE=" + std::to_string(stride);
  std::printf("%s\n", inputs.c_str());
  SCOPED_TRACE(inputs);
  std::mt19937_64 random(seed);
  std::vector<float> others(std::begin(other_attributes), std::end(other_attributes));
  others.push_back(std::ldexp(std::uniform_real_distribution<float>(-2, 2)(random), static_cast<int>(random() % 40) - 20));
  struct Part {
    std::vector<float> attributes;
    std::uint64_t thinning;
  };
  std::vector<Part> parts = {{{1.0f}, 1}, {{std::begin(usual_attributes) + 1, std::end(usual_attributes)}, 2}, {others, 8}};
  if (const char* only = std::getenv("ACTINIDE_TEST_ATTRIBUTE")) parts = {{{std::strtof(only, nullptr)}, 1}};
  for (const Part& part : parts) {
    // One thread, for ctest runs several tests at once.
    SweepOptions options{.shards = stride * part.thinning, .seed = random()};
    options.threads = static_cast<std::size_t>(setting("ACTINIDE_TEST_THREADS", 1));
    if (reference->form == Form::other) options.shards *= 16;  // input by input
    for (const SweepLine& line : Sweep(op(), *reference, {GetParam().target}, part.attributes, options).run()) {
      const Seen worst = worst_of(line, *reference);
      for (const std::string& complaint : complaints(line, worst)) ADD_FAILURE() << "attribute " << line.attribute << ": " << complaint;
      if (line.tally.rounded == 0) continue;
      const Reference right = reference->precise(op().type, worst.x, rounded_attribute(op().type, line.attribute));
      std::printf(
          "attribute %.9g, %" PRIu64 " rounded results: worst %.6f ULP at x = 0x%" PRIx64 " (%a), returned 0x%" PRIx64
          " (%a), exact %.17g%+.6f units; of subnormal ones %.6f; %" PRIu64 " breaks of monotonicity, %" PRIu64 " wrong roundings\n",
          line.attribute, line.tally.rounded, worst.error, worst.x, value_of(op().type, worst.x), worst.y, value_of(op().type, worst.y),
          right.value, right.rest, line.tally.worst_subnormal.error, line.tally.breaks.count, line.tally.wrong_roundings.count);
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
