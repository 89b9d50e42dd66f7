// Eigen: arrays of its own type for each element type.
#pragma once

#include <Eigen/Core>

#include "prepare.h"

namespace actinide::peers {

template <typename T, typename Function>
void with_eigen(const T* x, T* y, std::size_t n, const Function& function) {
  using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::Map<Array> out(y, size);
  function(Eigen::Map<const Array>(x, size), out);
}

/// As TensorFlow writes it.
template <typename T>
void eigen_select(const T* x, T* y, std::size_t n, float alpha) {
  with_eigen(x, y, n, [a = T(alpha)](const auto& in, auto& out) { out = (in < T(0)).select(a * (in.exp() - T(1)), in); });
}

/// The same without a selection, which Eigen 3 does not vectorise.
template <typename T>
void eigen_exp(const T* x, T* y, std::size_t n, float alpha) {
  with_eigen(x, y, n, [a = T(alpha)](const auto& in, auto& out) { out = in.max(T(0)) + a * (in.min(T(0)).exp() - T(1)); });
}

template <typename T>
void eigen_expm1(const T* x, T* y, std::size_t n, float alpha) {
  with_eigen(x, y, n, [a = T(alpha)](const auto& in, auto& out) { out = in.max(T(0)) + a * in.min(T(0)).expm1(); });
}

template <typename T>
void eigen_thresholded_relu(const T* x, T* y, std::size_t n, float alpha) {
  with_eigen(x, y, n, [a = T(alpha)](const auto& in, auto& out) { out = (in > a).select(in, T(0)); });
}

}  // namespace actinide::peers
