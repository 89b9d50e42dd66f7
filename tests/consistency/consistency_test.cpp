// The same value gives the same bits wherever it stands, however many elements stand around it, and on every target that promises it.
#include <cstring>
#include <vector>

#include "inputs.h"
#include "target_test.h"

namespace actinide::test {
namespace {

std::vector<std::byte> run(const Operator& op, const std::byte* x, std::size_t n, float attribute) {
  std::vector<std::byte> y(n * op.element_size);
  const std::vector<float> attributes(op.attributes.size(), attribute);
  EXPECT_EQ(op.call(x, y.data(), n, attributes.data()), ACTINIDE_OK);
  return y;
}

class Consistency : public TargetTest {};

TEST_P(Consistency, EveryPositionAndSize) {
  constexpr std::size_t n = 1000;
  const std::vector<std::byte> x = mixed_inputs(op().type, n, 2);
  for (const float attribute : attribute_kinds) {
    const std::vector<std::byte> whole = run(op(), x.data(), n, attribute);
    for (const std::size_t piece : {1, 2, 3, 5, 8, 13, 16, 31, 33, 64, 65, 127, 200, 500}) {
      for (std::size_t start = 0; start + piece <= n; start += piece) {
        const std::vector<std::byte> part = run(op(), x.data() + start * op().element_size, piece, attribute);
        ASSERT_EQ(std::memcmp(part.data(), whole.data() + start * op().element_size, part.size()), 0)
            << piece << " elements from " << start;
      }
    }
  }
}

TEST_P(Consistency, OneValueInEveryLane) {
  constexpr std::size_t n = 200;
  const std::vector<std::byte> values = mixed_inputs(op().type, 200, 3);
  for (std::size_t v = 0; v < 200; ++v) {
    std::vector<std::byte> x(n * op().element_size);
    for (std::size_t i = 0; i < n; ++i) store_bits(op().type, x.data(), i, load_bits(op().type, values.data(), v));
    for (const float attribute : attribute_kinds) {
      const std::vector<std::byte> y = run(op(), x.data(), n, attribute);
      for (std::size_t i = 1; i < n; ++i) ASSERT_EQ(load_bits(op().type, y.data(), i), load_bits(op().type, y.data(), 0)) << "lane " << i;
    }
  }
}

// Results across targets. With FMA every target rounds at the same places; without it, Elu differs, except where it is correctly rounded:
// 16-bit types at alpha 1.
bool must_agree(const Operator& op, const std::string& a, const std::string& b, float attribute) {
  const bool fma = a != "sse41" && b != "sse41";
  const bool is_16_bit = op.element_size == 2;
  return fma || op.name == "thresholded_relu" || (is_16_bit && attribute == 1.0f);
}

class AcrossTargets : public testing::TestWithParam<const Operator*> {};

TEST_P(AcrossTargets, SameBits) {
  constexpr std::size_t n = 1 << 20;
  const Operator& op = *GetParam();
  const std::vector<std::byte> x = mixed_inputs(op.type, n, 4);
  int compared = 0;
  for (const float attribute : attribute_kinds) {
    std::vector<std::pair<std::string, std::vector<std::byte>>> results;
    for (const std::string& target : built_targets()) {
      if (actinide_force_target(target.c_str()) != ACTINIDE_OK) continue;
      results.emplace_back(target, run(op, x.data(), n, attribute));
    }
    for (std::size_t i = 1; i < results.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!must_agree(op, results[i].first, results[j].first, attribute)) continue;
        ++compared;
        for (std::size_t k = 0; k < n; ++k) {
          ASSERT_EQ(load_bits(op.type, results[i].second.data(), k), load_bits(op.type, results[j].second.data(), k))
              << results[i].first << " and " << results[j].first << " at x bits " << std::hex << load_bits(op.type, x.data(), k)
              << ", attribute " << attribute;
        }
      }
    }
  }
  (void)actinide_force_target(nullptr);
  if (compared == 0) GTEST_SKIP() << "this machine supports no two targets that promise the same bits";
}

std::vector<const Operator*> rows() {
  std::vector<const Operator*> all;
  for (const Operator& op : tools::operators()) all.push_back(&op);
  return all;
}

INSTANTIATE_TEST_SUITE_P(, Consistency, testing::ValuesIn(all_parameters()), full_name);
INSTANTIATE_TEST_SUITE_P(, AcrossTargets, testing::ValuesIn(rows()),
                         [](const auto& info) { return std::string(info.param->name) + "_" + std::string(info.param->type_name); });

}  // namespace
}  // namespace actinide::test
