// The kernels of naive_halide.cpp.
#pragma once

#include "HalideRuntime.h"
#include "prepare.h"

namespace actinide::peers {

using NaiveKernel = int (*)(halide_buffer_t* x, float alpha, halide_buffer_t* y);

template <NaiveKernel kernel>
class NaiveHalide {
 public:
  NaiveHalide(const void* x, void* y, std::size_t n, float alpha) : dimension_{0, static_cast<std::int32_t>(n), 1, 0}, alpha_(alpha) {
    x_.host = static_cast<std::uint8_t*>(const_cast<void*>(x));
    y_.host = static_cast<std::uint8_t*>(y);
    for (halide_buffer_t* buffer : {&x_, &y_}) {
      buffer->dimensions = 1;
      buffer->dim = &dimension_;
    }
  }

  void operator()() { kernel(&x_, alpha_, &y_); }

 private:
  halide_dimension_t dimension_;
  halide_buffer_t x_ = {}, y_ = {};
  float alpha_;
};

template <NaiveKernel kernel>
Call prepare_naive_halide(const void* x, void* y, std::size_t n, float alpha) {
  return own(new NaiveHalide<kernel>(x, y, n, alpha));
}

}  // namespace actinide::peers
