// The same value gives the same bits wherever it stands, however many elements stand around it, and on every target that promises it.
#include <bit>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string>
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

/// Where n elements of y first differ from those that are right; empty if nowhere.
std::string first_difference(const Operator& op, const std::byte* x, const std::byte* y, const std::byte* right, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t found = load_bits(op.type, y, i), wanted = load_bits(op.type, right, i);
    if (found == wanted) continue;
    std::ostringstream words;
    words << "element " << i << std::hex << ", x bits 0x" << load_bits(op.type, x, i) << ": 0x" << found << ", elsewhere 0x" << wanted
          << ". (In a formula: compilers reassociate ordinary sums and products; make them strict.)";
    return words.str();
  }
  return {};
}

class Consistency : public TargetTest {};

TEST_P(Consistency, EveryPositionAndSize) {
  constexpr std::size_t n = 1000;
  const std::vector<std::byte> x = mixed_inputs(op().type, n, 2);
  for (const float attribute : attribute_kinds) {
    const std::vector<std::byte> whole = run(op(), x.data(), n, attribute);
    for (const std::size_t piece : {1, 2, 3, 5, 8, 13, 16, 31, 33, 64, 65, 127, 200, 500}) {
      for (std::size_t start = 0; start + piece <= n; start += piece) {
        const std::byte* const from = x.data() + start * op().element_size;
        const std::vector<std::byte> part = run(op(), from, piece, attribute);
        ASSERT_EQ(first_difference(op(), from, part.data(), whole.data() + start * op().element_size, piece), "")
            << piece << " elements from " << start << ", attribute " << attribute;
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

// Results across targets. Elu differs with FMA and without, except where it is correctly rounded: 16-bit types at alpha 1.
bool must_agree(const Operator& op, const std::string& a, const std::string& b, float attribute) {
  const bool is_16_bit = op.element_size == 2;
  return arithmetic_of(a) == arithmetic_of(b) || op.name == "thresholded_relu" || (op.name == "elu" && is_16_bit && attribute == 1.0f);
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
      if (!use_target(target.c_str())) continue;
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
  (void)use_target(nullptr);
  if (compared == 0) GTEST_SKIP() << "this machine supports no two targets that promise the same bits";
}

// Results across architectures, which no machine can compare: hashes over the results of the same inputs everywhere.
struct Hashes {
  std::string_view op, type;
  Arithmetic arithmetic;
  std::uint64_t of_attribute[std::size(attribute_kinds)];
};

constexpr Hashes hashes[] = {
#define HASHES(op, type, arithmetic, ...) {#op, #type, Arithmetic::arithmetic, {__VA_ARGS__}},
#include "hashes.def"
#undef HASHES
};

const Hashes* find_hashes(const Parameter& p) {
  for (const Hashes& h : hashes) {
    if (h.op == p.op->name && h.type == p.op->type_name && h.arithmetic == arithmetic_of(p.target)) return &h;
  }
  return nullptr;
}

class AcrossArchitectures : public TargetTest {
 protected:
  int log2_inputs() const { return op().type == ElementType::f32 ? 24 : op().type == ElementType::f64 ? 22 : 16; }

  /// Input `i`: all patterns are divided into as many ranges as there are inputs, and each gives one.
  std::uint64_t input(std::uint64_t i) const {
    const int width = format_of(op().type).bits - log2_inputs();
    return width == 0 ? i : i << width | (i * 0x9e3779b97f4a7c15) >> (64 - width);
  }

  /// Where x < 0 is nearer to zero than this, Elu's bits without FMA differ: 32-bit NEON flushes subnormals, and avoids them on the way to
  /// results that are not far from them. The limits hold for both.
  double left_out_below(float attribute) const {
    if (op().name != "elu" || arithmetic_of(GetParam().target) == Arithmetic::fma || attribute == 1.0f) return 0;
    return op().type == ElementType::f32 || op().type == ElementType::bf16 ? 0x1p-100 : 0;
  }
};

TEST_P(AcrossArchitectures, SameBits) {
  constexpr std::size_t part = 1 << 16;
  std::vector<std::byte> x(part * op().element_size);
  std::uint64_t found[std::size(attribute_kinds)] = {};
  for (std::uint64_t first = 0; first < std::uint64_t{1} << log2_inputs(); first += part) {
    for (std::size_t i = 0; i < part; ++i) store_bits(op().type, x.data(), i, input(first + i));
    for (std::size_t a = 0; a < std::size(attribute_kinds); ++a) {
      const std::vector<std::byte> y = run(op(), x.data(), part, attribute_kinds[a]);
      const double left_out = left_out_below(attribute_kinds[a]);
      for (std::size_t i = 0; i < part; ++i) {
        if (left_out != 0) {
          const double value = value_of(op().type, load_bits(op().type, x.data(), i));
          if (value < 0 && value > -left_out) continue;
        }
        found[a] = std::rotl(found[a] ^ load_bits(op().type, y.data(), i), 29) * 0x9e3779b97f4a7c15;
      }
    }
  }
  std::ostringstream row;
  row << "HASHES(" << op().name << ", " << op().type_name << (arithmetic_of(GetParam().target) == Arithmetic::fma ? ", fma" : ", no_fma");
  for (const std::uint64_t hash : found) row << ", 0x" << std::hex << hash;
  row << ")";
  const Hashes* stated = find_hashes(GetParam());
  ASSERT_NE(stated, nullptr) << "hashes.def lacks a row: " << row.str();
  for (std::size_t a = 0; a < std::size(attribute_kinds); ++a) {
    EXPECT_EQ(found[a], stated->of_attribute[a]) << "attribute " << attribute_kinds[a] << ": " << row.str();
  }
}

std::vector<const Operator*> rows() {
  std::vector<const Operator*> all;
  for (const Operator& op : tools::operators()) all.push_back(&op);
  return all;
}

INSTANTIATE_TEST_SUITE_P(, Consistency, testing::ValuesIn(all_parameters()), full_name);
INSTANTIATE_TEST_SUITE_P(, AcrossArchitectures, testing::ValuesIn(all_parameters()), full_name);
INSTANTIATE_TEST_SUITE_P(, AcrossTargets, testing::ValuesIn(rows()),
                         [](const auto& info) { return std::string(info.param->name) + "_" + std::string(info.param->type_name); });

}  // namespace
}  // namespace actinide::test
