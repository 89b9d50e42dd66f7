// Highway's contrib math, compiled for the instruction set of this file.
#pragma once

#define HWY_COMPILE_ONLY_STATIC
#include <hwy/highway.h>
#include <hwy/base.h>
#include <hwy/contrib/math/math-inl.h>

#include "prepare.h"

namespace actinide::peers {

namespace hn = hwy::HWY_NAMESPACE;

/// For f32 and f64 in their own type, for 16-bit types in float32.
template <typename T>
void highway_expm1(const T* x, T* y, std::size_t n, float alpha) {
  using Value = std::conditional_t<sizeof(T) == 2, float, T>;
  const hn::ScalableTag<Value> values;
  const hn::Rebind<T, decltype(values)> elements;
  const auto a = hn::Set(values, static_cast<Value>(alpha));
  in_vectors<HWY_MAX_BYTES / sizeof(Value)>(x, y, n, [&](const T* from, T* to) {
    const auto stored = hn::LoadU(elements, from);
    const auto v = [&] {
      if constexpr (sizeof(T) == 2) {
        return hn::PromoteTo(values, stored);
      } else {
        return stored;
      }
    }();
    const auto result = hn::IfThenElse(hn::Lt(v, hn::Zero(values)), hn::Mul(a, hn::Expm1(values, v)), v);
    if constexpr (sizeof(T) == 2) {
      hn::StoreU(hn::DemoteTo(elements, result), elements, to);
    } else {
      hn::StoreU(result, elements, to);
    }
  });
}

template <typename T>
void highway_thresholded_relu(const T* x, T* y, std::size_t n, float alpha) {
  const hn::ScalableTag<T> values;
  const auto a = hn::Set(values, static_cast<T>(alpha));
  in_vectors<HWY_MAX_BYTES / sizeof(T)>(x, y, n, [&](const T* from, T* to) {
    const auto v = hn::LoadU(values, from);
    hn::StoreU(hn::IfThenElseZero(hn::Gt(v, a), v), values, to);
  });
}

}  // namespace actinide::peers
