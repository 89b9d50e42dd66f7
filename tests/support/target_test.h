// Every test runs on every target that the machine supports: the target is the gtest parameter.
#pragma once

#include <actinide/actinide.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "operator_table.h"

namespace actinide::test {

using tools::ElementType;
using tools::Operator;

struct Parameter {
  const Operator* op;
  std::string target;
};

inline void PrintTo(const Parameter& p, std::ostream* out) { *out << p.op->name << " " << p.op->type_name << " on " << p.target; }

// Tests of a device have a functions header, which says that the device is the only target; that of own functions on the CPU does not.
#if !defined(ACTINIDE_FUNCTIONS_HEADER) || defined(ACTINIDE_HAS_CPU_TARGETS)
inline std::vector<std::string> built_targets() {
  std::vector<std::string> names;
  for (size_t i = 0; i < actinide_target_count(); ++i) names.emplace_back(actinide_target_name(i));
  return names;
}

/// False if this machine does not support the target. A null pointer goes back to the library's choice.
inline bool use_target(const char* name) { return actinide_force_target(name) == ACTINIDE_OK; }
#endif

/// 32-bit ARM: NEON without fused multiplication and addition, which takes subnormal float32 for zero. 64-bit ARM's has the same name.
inline bool is_32_bit_neon(const std::string& target) {
#ifdef __arm__
  return target == "neon";
#else
  (void)target;
  return false;
#endif
}

/// Targets with FMA round at the same places, and so do those without.
enum class Arithmetic { no_fma, fma };

inline Arithmetic arithmetic_of(const std::string& target) {
  return target == "sse41" || target == "opencl" || is_32_bit_neon(target) ? Arithmetic::no_fma : Arithmetic::fma;
}

/// Every row of the operator table, or those of one operator, on every built-in target.
inline std::vector<Parameter> all_parameters(std::string_view only = {}) {
  std::vector<Parameter> parameters;
  for (const Operator& op : tools::operators()) {
    if (!only.empty() && op.name != only) continue;
    for (const std::string& target : built_targets()) parameters.push_back({&op, target});
  }
  return parameters;
}

/// "elu_f32_avx2"
inline std::string full_name(const testing::TestParamInfo<Parameter>& info) {
  return std::string(info.param.op->name) + "_" + std::string(info.param.op->type_name) + "_" + info.param.target;
}

/// "f32_avx2", for suites of one operator
inline std::string short_name(const testing::TestParamInfo<Parameter>& info) {
  return std::string(info.param.op->type_name) + "_" + info.param.target;
}

/// Forces the parameter's target, or skips where the machine lacks it.
class TargetTest : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    if (!use_target(GetParam().target.c_str())) GTEST_SKIP() << "this machine does not support " << GetParam().target;
  }
  void TearDown() override { (void)use_target(nullptr); }

  const Operator& op() const { return *GetParam().op; }
};

}  // namespace actinide::test
