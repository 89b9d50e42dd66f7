// Activations inside pipelines of others: functions of Halide expressions, with the bits of the library's kernels.
//
//   #include <actinide/halide/fusion.h>
//   y(c, i) = actinide::halide::elu(actinide::halide::strict::add(x(c, i), bias(c)), 1.0f);
//
// x      Float(32) or Float(64); or Float(16) or BFloat(16), of which only the bits are used: with tensors of UInt(16),
//        Halide::reinterpret(Halide::BFloat(16), x(i)). The result has its type. Other types are an error of Halide's.
// alpha  an expression of any type, rounded to x's type: to float32 first, unless x is float64. Of a constant alpha only its case is
//        compiled. Of any other all are, and each element selects one, which is two or three times the work.
//
// The mathematics depends on the target: whether it has FMA, conversions of f16, subnormals. Without `traits` Halide is asked for the
// target when the pipeline is lowered, so one expression serves every CPU that a pipeline is compiled for. For a stage on a GPU give its
// traits, traits_of(get_target()). A target has to name its features: x86-64-linux-sse41-avx-avx2-f16c-fma has the bits of avx2.
//
// Halide assumes of what is not strict that it is no NaN and that -0.0 is 0.0. If x is the result of arithmetic and these matter, make the
// last operation before the activation strict (numerics/strict.h).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "Halide.h"
#include "activations/cases.h"
#include "activations/elu.h"
#include "activations/thresholded_relu.h"
#include "numerics/element_types.h"
#include "traits.h"

namespace actinide::halide {

namespace detail {

inline ElementType element_type_of(const Halide::Type& type) {
  if (type.element_of() == Halide::Float(16)) return ElementType::f16;
  if (type.element_of() == Halide::BFloat(16)) return ElementType::bf16;
  if (type.element_of() == Halide::Float(64)) return ElementType::f64;
  _halide_user_assert(type.element_of() == Halide::Float(32))
      << "Actinide: an activation of " << type << "; it must be float16, bfloat16, float32 or float64. Reinterpret bit patterns.\n";
  return ElementType::f32;
}

/// A constant rounded to the element type, by its pattern: Halide would take -0.0 for 0.0.
inline Halide::Expr constant_attribute(ElementType type, double value) {
  if (type == ElementType::f64) {
    return Halide::reinterpret(Halide::Float(64), constant_of(Halide::UInt(64), std::bit_cast<uint64_t>(value)));
  }
  float rounded = static_cast<float>(value);
  if (std::isnan(rounded)) return as_f32(u32(std::bit_cast<uint32_t>(rounded)));  // Halide's float16_t would change it
  if (type == ElementType::f16) rounded = static_cast<float>(Halide::float16_t(rounded));
  if (type == ElementType::bf16) rounded = static_cast<float>(Halide::bfloat16_t(rounded));
  return as_f32(u32(std::bit_cast<uint32_t>(rounded)));
}

/// The formula's value: of the first case whose condition holds. Cases that cannot hold are left out.
inline Halide::Expr value_of(const Cases& cases) {
  Halide::Expr value = cases.back().value;
  for (size_t i = cases.size() - 1; i-- > 0;) {
    const Halide::Expr condition = Halide::Internal::simplify(cases[i].condition);
    if (Halide::Internal::is_const_one(condition))
      value = cases[i].value;
    else if (!Halide::Internal::is_const_zero(condition))
      value = Halide::select(condition, cases[i].value, value);
  }
  return value;
}

using Formula = Cases (*)(const Element& x, const Halide::Expr& attribute);

inline Halide::Expr apply(Formula formula, const Halide::Expr& x, const Halide::Expr& given, const Traits& traits) {
  const ElementType type = element_type_of(x.type());
  const Halide::Expr attribute = Halide::cast(Halide::Float(type == ElementType::f64 ? 64 : 32), given);
  const auto constant = Halide::Internal::as_const_float(attribute);
  const Halide::Expr rounded = constant ? constant_attribute(type, *constant) : rounded_attribute(type, traits, attribute);
  const Halide::Expr stored = is_16_bit(type) ? Halide::reinterpret(Halide::UInt(16), x) : x;
  return Halide::reinterpret(x.type(), value_of(formula({type, traits, stored}, rounded)));
}

/// For whatever CPU the pipeline will be compiled for: the questions are answered, and all values but one dropped, when it is lowered.
inline Halide::Expr apply(Formula formula, const Halide::Expr& x, const Halide::Expr& attribute) {
  using Halide::select;
  using Halide::Target;
  using Halide::target_has_feature;
  const auto on = [&](Target::Arch architecture, int bits, const std::vector<Target::Feature>& features) {
    return apply(formula, x, attribute, traits_of(Target(Target::Linux, architecture, bits, features)));
  };
  const Halide::Expr x86 =
      select(target_has_feature(Target::FMA),
             select(target_has_feature(Target::F16C), on(Target::X86, 64, {Target::FMA, Target::F16C}), on(Target::X86, 64, {Target::FMA})),
             select(target_has_feature(Target::F16C), on(Target::X86, 64, {Target::F16C}), on(Target::X86, 64, {})));
  const Halide::Expr arm_64 = select(target_has_feature(Target::ARMFp16),
                                     select(target_has_feature(Target::ARMv82a), on(Target::ARM, 64, {Target::ARMFp16, Target::ARMv82a}),
                                            on(Target::ARM, 64, {Target::ARMFp16})),
                                     on(Target::ARM, 64, {}));
  const Halide::Expr arm = select(Halide::target_bits() == 64, arm_64, on(Target::ARM, 32, {}));
  return select(Halide::target_arch_is(Target::X86), x86,
                select(Halide::target_arch_is(Target::ARM), arm, apply(formula, x, attribute, Traits{})));
}

}  // namespace detail

/// alpha (e^x - 1) for x < 0, else x: ONNX Elu.
inline Halide::Expr elu(const Halide::Expr& x, const Halide::Expr& alpha) { return detail::apply(elu, x, alpha); }
inline Halide::Expr elu(const Halide::Expr& x, const Halide::Expr& alpha, const Traits& traits) {
  return detail::apply(elu, x, alpha, traits);
}

/// x for x > alpha, else 0: ONNX ThresholdedRelu.
inline Halide::Expr thresholded_relu(const Halide::Expr& x, const Halide::Expr& alpha) { return detail::apply(thresholded_relu, x, alpha); }
inline Halide::Expr thresholded_relu(const Halide::Expr& x, const Halide::Expr& alpha, const Traits& traits) {
  return detail::apply(thresholded_relu, x, alpha, traits);
}

}  // namespace actinide::halide
