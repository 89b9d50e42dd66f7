// The functions of Halide expressions give the bits of the library's kernels, for every target, type and attribute.
#include <Halide.h>
#include <actinide/halide/fusion.h>
#include <actinide/halide/numerics/exp.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "inputs.h"
#include "target_test.h"

namespace actinide::test {
namespace {

using Halide::Expr;

const std::map<std::string, std::string> halide_targets = {HALIDE_TARGETS};

Halide::Type type_of(ElementType type) {
  switch (type) {
    case ElementType::f16: return Halide::Float(16);
    case ElementType::bf16: return Halide::BFloat(16);
    case ElementType::f32: return Halide::Float(32);
    case ElementType::f64: break;
  }
  return Halide::Float(64);
}

constexpr float infinity = std::numeric_limits<float>::infinity();
// Each case of the formulas; beyond f16's range; subnormal in some type; signed zeros.
constexpr float attributes[] = {
    1.0f, 1.7f, -0.75f, 0.0f, -0.0f, infinity, -infinity, 65520.0f, 3e-8f, 1e-40f, std::numeric_limits<float>::quiet_NaN()};

class Fusion : public TargetTest {
 protected:
  static constexpr int n = 1 << 14;

  Expr activation(const Expr& x, const Expr& attribute) const {
    return op().name == "elu" ? halide::elu(x, attribute) : halide::thresholded_relu(x, attribute);
  }
  Expr activation(const Expr& x, const Expr& attribute, const halide::Traits& traits) const {
    return op().name == "elu" ? halide::elu(x, attribute, traits) : halide::thresholded_relu(x, attribute, traits);
  }

  Halide::Target target() const { return Halide::Target(halide_targets.at(GetParam().target)); }

  /// A pipeline with the activation inside: y(i) = activation(x(i)), by vectors.
  Halide::Func pipeline(const std::function<Expr(const Expr&)>& of) {
    const Halide::Type type = type_of(op().type);
    Halide::Var i("i");
    Halide::Func y("y");
    const Halide::Type bits = Halide::UInt(type.bits());
    y(i) = Halide::reinterpret(bits, of(Halide::reinterpret(type, x_(i))));
    y.vectorize(i, 2 * target().natural_vector_size(type));
    return y;
  }

  void expect_library_bits(Halide::Func y, float attribute) {
    Halide::Buffer<> result(Halide::UInt(format_of(op().type).bits), n);
    y.realize(result, target());
    std::vector<std::byte> right(inputs_.size());
    ASSERT_EQ(op().call(inputs_.data(), right.data(), n, &attribute), ACTINIDE_OK);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(load_bits(op().type, result.data(), i), load_bits(op().type, right.data(), i))
          << std::hex << "x bits " << load_bits(op().type, inputs_.data(), i) << ", attribute " << attribute;
    }
  }

  std::vector<std::byte> inputs_ = mixed_inputs(op().type, n, 5);
  Halide::Buffer<> x_{Halide::UInt(format_of(op().type).bits), inputs_.data(), n};
};

TEST_P(Fusion, ConstantAttribute) {
  for (const float attribute : attributes) {
    expect_library_bits(pipeline([&](const Expr& x) { return activation(x, attribute); }), attribute);
  }
}

TEST_P(Fusion, AttributeAtRunTime) {
  Halide::Param<float> parameter("attribute");
  Halide::Func y = pipeline([&](const Expr& x) { return activation(x, parameter); });
  for (const float attribute : attributes) {
    parameter.set(attribute);
    expect_library_bits(y, attribute);
  }
}

TEST_P(Fusion, AttributeOfAnyType) {
  Halide::Param<double> parameter("attribute");
  parameter.set(1.75);
  for (const Expr& attribute : {Expr(parameter), Expr(Halide::float16_t(1.75f)), Halide::cast(Halide::BFloat(16), 1.75f)}) {
    expect_library_bits(pipeline([&](const Expr& x) { return activation(x, attribute); }), 1.75f);
  }
  expect_library_bits(pipeline([&](const Expr& x) { return activation(x, 2); }), 2.0f);
}

TEST_P(Fusion, GivenTraits) {
  const halide::Traits traits = halide::traits_of(target());
  expect_library_bits(pipeline([&](const Expr& x) { return activation(x, 1.7f, traits); }), 1.7f);
}

TEST_P(Fusion, OneCaseOfAConstant) {
  class Counter : public Halide::Internal::IRGraphVisitor {
   public:
    int multiplications = 0;

   protected:
    using IRGraphVisitor::visit;
    void visit(const Halide::Internal::Mul* op) override {
      ++multiplications;
      IRGraphVisitor::visit(op);
    }
  };
  const auto count = [&](const Expr& attribute) {
    Counter counter;
    activation(Halide::Internal::make_zero(type_of(op().type)), attribute, halide::traits_of(target())).accept(&counter);
    return counter.multiplications;
  };
  EXPECT_EQ(count(0.0f), 0);
  if (op().name != "elu") return;
  const int all = count(Halide::Param<float>());
  for (const float attribute : {1.0f, 1.7f}) EXPECT_LT(count(attribute), all) << attribute;
}

INSTANTIATE_TEST_SUITE_P(, Fusion, testing::ValuesIn(all_parameters()), full_name);

/// What a pipeline with the activation inside is compiled to for a machine that need not be this one.
std::string compiled(const Operator& op, const Halide::Target& target, const halide::Traits* traits) {
  const Halide::Type type = type_of(op.type);
  Halide::Var i("i"), block("block"), thread("thread");
  Halide::Func y("y");
  Halide::ImageParam x(Halide::UInt(type.bits()), 1, "x");
  Halide::Param<float> alpha("alpha");
  const Expr value = Halide::reinterpret(type, x(i));
  const bool is_elu = op.name == "elu";
  Expr result;
  if (traits == nullptr) {
    result = is_elu ? halide::elu(value, alpha) : halide::thresholded_relu(value, alpha);
  } else {
    result = is_elu ? halide::elu(value, alpha, *traits) : halide::thresholded_relu(value, alpha, *traits);
  }
  y(i) = Halide::reinterpret(Halide::UInt(type.bits()), result);
  if (target.has_gpu_feature()) {
    y.gpu_tile(i, block, thread, 64);
  } else {
    y.vectorize(i, target.natural_vector_size(type));
  }
  const std::string file = testing::TempDir() + "fusion_" + std::string(op.name) + "_" + std::string(op.type_name) + ".txt";
  if (target.has_gpu_feature()) {
    y.compile_to_llvm_assembly(file, {x, alpha}, "fused", target);
  } else {
    y.compile_to_assembly(file, {x, alpha}, "fused", target);
  }
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::remove(file.c_str());
  return text;
}

/// How often each instruction of floating-point arithmetic stands in ARM's assembly. What surrounds them may differ.
std::map<std::string, int> arithmetic(const std::string& assembly) {
  std::map<std::string, int> counts;
  const std::regex instruction(R"(\n\t(f(?:add|sub|mul|ml[as]|cvtl2?|cvtn2?|cm\w+)|v(?:add|sub|mul|ml[as]|cvt|cgt)\.f\S+)\s)");
  for (std::sregex_iterator found(assembly.begin(), assembly.end(), instruction), end; found != end; ++found) ++counts[(*found)[1]];
  return counts;
}

class FusionForOthers : public testing::TestWithParam<const Operator*> {};

TEST_P(FusionForOthers, ArmTraitsAreThoseOfTheTarget) {
  std::set<std::map<std::string, int>> different;
  for (const char* name : {"arm-64-linux", "arm-64-linux-arm_fp16", "arm-64-linux-armv82a-arm_fp16", "arm-32-linux"}) {
    const Halide::Target target(std::string(name) + "-no_asserts-no_bounds_query-no_runtime");
    const halide::Traits traits = halide::traits_of(target);
    const std::map<std::string, int> of_target = arithmetic(compiled(*GetParam(), target, nullptr));
    EXPECT_EQ(of_target, arithmetic(compiled(*GetParam(), target, &traits))) << name;
    different.insert(of_target);
  }
  if (GetParam()->name == "elu") {
    EXPECT_GE(different.size(), 2u);
  }
}

TEST_P(FusionForOthers, CudaDeviceCode) {
  const Halide::Target target("x86-64-linux-cuda-cuda_capability_80");
  const halide::Traits traits = halide::traits_of(target);
  const std::string code = compiled(*GetParam(), target, &traits);
  EXPECT_NE(code.find(".target sm_80"), std::string::npos);
  if (GetParam()->name != "elu") return;
  EXPECT_NE(code.find(GetParam()->type == ElementType::f64 ? "fma.rn.f64" : "fma.rn.f32"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(, FusionForOthers, testing::ValuesIn([] {
                           std::vector<const Operator*> all;
                           for (const Operator& op : tools::operators()) all.push_back(&op);
                           return all;
                         }()),
                         [](const auto& info) { return std::string(info.param->name) + "_" + std::string(info.param->type_name); });

TEST(FusionOfOtherTypes, IsAnErrorThatNamesTheType) {
  try {
    (void)halide::elu(Expr(std::uint16_t{1}), 1.0f);
    FAIL() << "accepted";
  } catch (const Halide::CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("an activation of uint16"), std::string::npos) << error.what();
  }
}

/// exp_of_negative, on which own activations build: the limit that its comment states.
template <typename T>
void check_exp(const std::string& name, const std::string& features) {
  constexpr int n = 1 << 19;
  const T lowest = sizeof(T) == 4 ? -87 : -708;
  Halide::Buffer<T> x(n), y(n);
  std::mt19937_64 random(7);
  for (T& value : x) value = lowest * std::generate_canonical<T, 53>(random);
  const T specials[] = {0, -T(0), 1, infinity, std::numeric_limits<T>::quiet_NaN(), lowest, std::nextafter(lowest, T(-1000)), -infinity};
  std::copy(std::begin(specials), std::end(specials), x.begin());
  Halide::Var i("i");
  Halide::Func f("f");
  const Halide::Target target(features);
  f(i) = halide::exp_of_negative(x(i), halide::traits_of(target));
  f.vectorize(i, target.natural_vector_size<T>());
  f.realize(y, target);
  for (int place = 0; place < 5; ++place) EXPECT_EQ(y(place), T(1)) << name;
  for (int place = 6; place < 8; ++place) EXPECT_EQ(y(place), T(0)) << name;
  double worst = 0;
  for (int place = 5; place < n; ++place) {
    if (x(place) < lowest) continue;
    const long double right = std::exp(static_cast<long double>(x(place)));
    const long double unit = std::ldexp(1.0L, std::ilogb(right) - (std::numeric_limits<T>::digits - 1));
    worst = std::max(worst, static_cast<double>(std::fabs(y(place) - right) / unit));
  }
  EXPECT_LT(worst, 1.4) << name;
  EXPECT_GT(worst, 0.6) << name << ": as good as rounded once; the comment says less than it could";
}

TEST(ExpOfNegative, StaysWithinItsLimit) {
  for (const auto& [name, features] : halide_targets) {
    if (!use_target(name.c_str())) continue;
    check_exp<float>(name + " f32", features);
    check_exp<double>(name + " f64", features);
  }
  use_target(nullptr);
}

}  // namespace
}  // namespace actinide::test
