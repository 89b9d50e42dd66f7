// The C library's scalar functions.
#pragma once

#include <gnu/libc-version.h>

#include <cmath>

#include "prepare.h"

namespace actinide::peers {

template <typename T>
void libm_expm1(const T* x, T* y, std::size_t n, float alpha) {
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? static_cast<T>(alpha) * std::expm1(x[i]) : x[i];
}

template <typename T>
void libm_exp(const T* x, T* y, std::size_t n, float alpha) {
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? static_cast<T>(alpha) * (std::exp(x[i]) - 1) : x[i];
}

}  // namespace actinide::peers
