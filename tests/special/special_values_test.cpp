// Special values alone, at every position among each other, and among ordinary neighbours, which they must not disturb.
#include <cstring>
#include <iomanip>
#include <map>
#include <sstream>

#include "accuracy_limits.h"
#include "flush.h"
#include "records.h"
#include "target_test.h"

namespace actinide::test {
namespace {

double error_in_ulp(ElementType type, const Record& record, std::uint64_t got) {
  return std::fabs(std::ldexp(value_of(type, got) - value_of(type, record.y), -record.unit) - record.fraction);
}

std::string hex(std::uint64_t bits) {
  std::ostringstream out;
  out << "0x" << std::hex << bits;
  return out.str();
}

class SpecialValues : public TargetTest {
 protected:
  void SetUp() override {
    groups_ = read_records(op());
    ASSERT_FALSE(groups_.empty()) << "no records: support/write_special.py did not run";
    TargetTest::SetUp();
  }

  /// The results of one call over elements with these patterns.
  std::vector<std::byte> call(const std::vector<std::byte>& x, float alpha) const {
    std::vector<std::byte> y(x.size());
    const std::vector<float> attributes(op().attributes.size(), alpha);
    EXPECT_EQ(op().call(x.data(), y.data(), x.size() / op().element_size, attributes.data()), ACTINIDE_OK);
    return y;
  }

  std::uint64_t alone(std::uint64_t x, float alpha) const {
    std::vector<std::byte> one(op().element_size);
    store_bits(op().type, one.data(), 0, x);
    return load_bits(op().type, call(one, alpha).data(), 0);
  }

  std::uint64_t get(const std::vector<std::byte>& tensor, std::size_t i) const { return load_bits(op().type, tensor.data(), i); }

  /// Elements in this many vectors of AVX-512, and a tail of three.
  std::size_t elements(std::size_t vectors) const { return vectors * 64 / op().element_size + 3; }

  std::vector<Group> groups_;
};

TEST_P(SpecialValues, Alone) {
  const ElementType type = op().type;
  std::map<char, double> worst;
  int failures = 0;
  for (const Group& group : groups_) {
    for (const Record& record : group.records) {
      const std::uint64_t got = alone(record.x, group.alpha);
      bool right = false;
      std::ostringstream allowed;
      if (record.kind == '=') {
        right = got == record.y;
        allowed << "to the bit";
      } else if (record.kind == 'n') {
        right = is_nan_bits(type, got);
        allowed << "any NaN";
      } else {
        const double error = error_in_ulp(type, record, got);
        const Limit* promise = find_limit(GetParam(), record.kind == '1' ? Attributes::one : Attributes::any);
        ASSERT_NE(promise, nullptr) << "limits.def lacks a row";
        const auto is_subnormal = [&](std::uint64_t bits) { return (bits & ~sign_bit(type)) >> format_of(type).fraction == 0; };
        double limit = promise->limit;
        if (record.kind == '1') {
          if (is_subnormal(record.x)) limit = 0;  // there e^x - 1 is x
        } else if (has_loose_subnormals(type, group.alpha) && is_subnormal(record.y)) {
          limit = subnormal_limit(promise->arithmetic);
        }
        right = error <= limit && ((got ^ record.y) & sign_bit(type)) == 0;
        worst[record.kind] = std::max(worst[record.kind], error);
        allowed << "off by " << error << " ULP, allowed " << limit << ", and the same sign";
      }
      const double exact = value_of(type, record.y) + std::ldexp(record.fraction, record.unit);
      if (right || is_allowed_zero(GetParam(), got, value_of(type, record.x), rounded_attribute(type, group.alpha), exact)) continue;
      ADD_FAILURE() << "alpha " << hex(std::bit_cast<std::uint32_t>(group.alpha)) << " (" << group.alpha << "), x " << hex(record.x) << " ("
                    << value_of(type, record.x) << "): got " << hex(got) << ", right is " << hex(record.y) << ", " << allowed.str();
      if (++failures == 20) FAIL() << "giving up after 20";
    }
  }
  for (const auto& [kind, error] : worst) RecordProperty(kind == '1' ? "worst_ulp_alpha_1" : "worst_ulp", std::to_string(error));
}

// Every record at every position, each time between others: tensor number r starts with record r.
TEST_P(SpecialValues, EveryPosition) {
  const std::size_t n = elements(9);
  for (const Group& group : groups_) {
    const std::size_t count = group.records.size();
    // The records twice and more, and the result that each has alone.
    std::vector<std::byte> inputs((count + n) * op().element_size), results(inputs.size());
    for (std::size_t i = 0; i < count + n; ++i) {
      const std::uint64_t x = group.records[i % count].x;
      store_bits(op().type, inputs.data(), i, x);
      store_bits(op().type, results.data(), i, i < count ? alone(x, group.alpha) : get(results, i - count));
    }
    for (std::size_t first = 0; first < count; ++first) {
      const std::size_t from = first * op().element_size, size = n * op().element_size;
      const std::vector<std::byte> y = call({inputs.data() + from, inputs.data() + from + size}, group.alpha);
      if (std::memcmp(y.data(), results.data() + from, size) == 0) continue;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(get(y, i), get(results, first + i)) << "x " << hex(get(inputs, first + i)) << " at position " << i << " of " << n
                                                      << ", alpha " << group.alpha << ": not the result that it has alone";
      }
    }
  }
}

// One special value in a tensor of ordinary ones, for every size up to several vectors.
TEST_P(SpecialValues, NeighboursUndisturbed) {
  const ElementType type = op().type;
  const std::uint64_t sign = sign_bit(type), infinity = infinity_bits(type), quiet = std::uint64_t{1} << (format_of(type).fraction - 1);
  const std::uint64_t specials[] = {
      infinity | quiet, sign | infinity | quiet, infinity | 1, sign | infinity | 1, infinity, sign | infinity, 0, sign, 1, sign | 1,
      infinity - 1,     sign | (infinity - 1)};
  for (const float alpha : {1.0f, 1.6732632f, -0.5f, 0.0f, INFINITY, NAN}) {
    for (std::size_t n = 1; n <= elements(5); ++n) {
      std::vector<std::byte> ordinary(n * op().element_size);
      for (std::size_t i = 0; i < n; ++i) {
        store_bits(type, ordinary.data(), i, nearest_bits(type, (i % 2 == 0 ? -1 : 1) * (0.25 + 0.125 * static_cast<double>(i % 29))));
      }
      const std::vector<std::byte> clean = call(ordinary, alpha);
      for (const std::uint64_t special : specials) {
        const std::uint64_t result = alone(special, alpha);
        for (std::size_t position = 0; position < n; ++position) {
          std::vector<std::byte> x = ordinary, right = clean;
          store_bits(type, x.data(), position, special);
          store_bits(type, right.data(), position, result);
          const std::vector<std::byte> y = call(x, alpha);
          if (std::memcmp(y.data(), right.data(), y.size()) == 0) continue;
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(get(y, i), get(right, i))
                << "position " << i << " of " << n << ", " << hex(special) << " at " << position << ", alpha " << alpha;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, SpecialValues, testing::ValuesIn(all_parameters()), full_name);

}  // namespace
}  // namespace actinide::test
