// oneDNN's eltwise_elu, with one thread. It has no ThresholdedRelu: its relu has a slope, but no threshold other than zero.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "prepare.h"

extern "C" [[gnu::weak]] void omp_set_num_threads(int);  // of the OpenMP that oneDNN may be built with

namespace actinide::peers {

class OneDnn {
 public:
  OneDnn(dnnl::memory::data_type type, const void* x, void* y, std::size_t n, float alpha)
      : stream_(engine()),
        arguments_{{DNNL_ARG_SRC, {shape(type, n), engine(), const_cast<void*>(x)}}, {DNNL_ARG_DST, {shape(type, n), engine(), y}}} {
    const auto kind = dnnl::prop_kind::forward_inference;
    const auto elu = dnnl::algorithm::eltwise_elu;
#if DNNL_VERSION_MAJOR >= 3
    primitive_ = dnnl::eltwise_forward({engine(), kind, elu, shape(type, n), shape(type, n), alpha});
#else
    primitive_ = dnnl::eltwise_forward(dnnl::eltwise_forward::primitive_desc({kind, elu, shape(type, n), alpha}, engine()));
#endif
  }

  void operator()() {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  static const dnnl::engine& engine() {
    static const dnnl::engine one = [] {
      if (omp_set_num_threads != nullptr) omp_set_num_threads(1);
#if defined(__AVX512F__)
      dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core);
#elif defined(__AVX2__)
      dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);
#else
      dnnl::set_max_cpu_isa(dnnl::cpu_isa::sse41);
#endif
      return dnnl::engine(dnnl::engine::kind::cpu, 0);
    }();
    return one;
  }

  static dnnl::memory::desc shape(dnnl::memory::data_type type, std::size_t n) {
    return {{static_cast<dnnl::memory::dim>(n)}, type, dnnl::memory::format_tag::a};
  }

  dnnl::stream stream_;
  std::unordered_map<int, dnnl::memory> arguments_;
  dnnl::eltwise_forward primitive_;
};

template <dnnl::memory::data_type type>
Call prepare_onednn(const void* x, void* y, std::size_t n, float alpha) {
  try {
    return own(new OneDnn(type, x, y, n, alpha));
  } catch (const dnnl::error&) {  // not this type with these instructions
    return {};
  }
}

}  // namespace actinide::peers
