// The sweep itself: that it sees what is wrong, and that whole blocks are judged as single inputs are.
#include "sweep.h"

#include <gtest/gtest.h>

#include <random>

namespace actinide::test {
namespace {

constexpr tools::Attribute alpha[] = {{"alpha", 1.0f}};

/// An operator's results, rounded and then, for some patterns of x, moved by a few units.
template <ElementType type, int moved>
actinide_status nearly_elu(const void* x, void* y, std::size_t n, const float* attributes) {
  const double attribute = rounded_attribute(type, attributes[0]);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t in = load_bits(type, x, i);
    const Reference right = elu_reference(type, in, attribute);
    std::uint64_t out = right.is_exact ? in : nearest_bits(type, right.value);
    const std::uint64_t hash = in * 0x9e3779b97f4a7c15;
    if (hash >> 56 == 0) out += (hash >> 48 & 7) * moved;
    store_bits(type, y, i, out);
  }
  return ACTINIDE_OK;
}

Tally tally_of(const Operator& op, Form form, float attribute, std::size_t threads) {
  ReferenceRow row = *find_reference("elu");
  row.form = form;
  const SweepOptions options{.shards = 1 << 14, .seed = 7, .threads = threads};
  return Sweep(op, row, {"none"}, {attribute}, options).run().at(0).tally;
}

Seen worst_seen(const Tally& tally) {
  Seen worst;
  for (const Seen& w : tally.worst.list()) {
    if (w.error > worst.error) worst = w;
  }
  return worst;
}

class Blocks : public testing::TestWithParam<Parameter> {};

TEST_P(Blocks, AreJudgedAsSingleInputsAre) {
  const Operator& op = *GetParam().op;
  EXPECT_GT(tally_of(op, Form::scaled_expm1, 1.0f, 1).rounded, 0x7000);
  for (const float attribute : {1.0f, -0.1f, 1e-37f, 1e-41f, 3e38f}) {
    SCOPED_TRACE(attribute);
    const Tally fast = tally_of(op, Form::scaled_expm1, attribute, 3), slow = tally_of(op, Form::other, attribute, 1);
    EXPECT_EQ(fast.inputs, slow.inputs);
    EXPECT_EQ(fast.rounded, slow.rounded);
    EXPECT_EQ(fast.wrong_bits.count, slow.wrong_bits.count);
    EXPECT_EQ(fast.wrong_signs.count, slow.wrong_signs.count);
    EXPECT_EQ(fast.wrong_roundings.count, slow.wrong_roundings.count);
    EXPECT_EQ(fast.wrong_normal_roundings.count, slow.wrong_normal_roundings.count);
    EXPECT_NEAR(worst_seen(fast).error, worst_seen(slow).error, 0x1p-26);
    EXPECT_NEAR(fast.worst_subnormal.error, slow.worst_subnormal.error, 0x1p-26);
  }
}

template <ElementType type, int moved>
constexpr Operator nearly(const char* type_name) {
  return {"elu", type_name, type, sizeof(Pattern<type>), alpha, nearly_elu<type, moved>};
}

constexpr Operator operators[] = {nearly<ElementType::f16, 1>("f16"),   nearly<ElementType::bf16, 1>("bf16"),
                                  nearly<ElementType::f32, 1>("f32"),   nearly<ElementType::f64, 1>("f64"),
                                  nearly<ElementType::bf16, 0>("bf16"), nearly<ElementType::f32, -1>("f32"),
                                  nearly<ElementType::f64, -1>("f64")};

INSTANTIATE_TEST_SUITE_P(, Blocks,
                         testing::Values(Parameter{&operators[0], "farther"}, Parameter{&operators[1], "farther"},
                                         Parameter{&operators[2], "farther"}, Parameter{&operators[3], "farther"},
                                         Parameter{&operators[4], "right"}, Parameter{&operators[5], "nearer"},
                                         Parameter{&operators[6], "nearer"}),
                         full_name);

}  // namespace
}  // namespace actinide::test
