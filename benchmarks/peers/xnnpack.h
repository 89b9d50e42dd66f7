// XNNPACK's operator, and what it runs on one thread called directly: its microkernel, through one function more.
#pragma once

#include <cpuinfo.h>
#include <pthreadpool.h>
#include <xnnpack.h>

#include "prepare.h"

namespace actinide::peers {

/// What an operator handed to the pool of threads last; the microkernels themselves have no names in the shared library.
struct XnnpackTask {
  pthreadpool_task_1d_tile_1d_t function = nullptr;
  void* context = nullptr;
  std::size_t range = 0;
};
XnnpackTask& last_xnnpack_task();

class Xnnpack {
 public:
  Xnnpack(const void* x, void* y, std::size_t n, float alpha) {
    is_ready_ = is_initialized() && xnn_create_elu_nc_f32(1, 1, 1, alpha, 0, &elu_) == xnn_status_success &&
                xnn_setup_elu_nc_f32(elu_, n, static_cast<const float*>(x), static_cast<float*>(y), nullptr) == xnn_status_success;
  }
  ~Xnnpack() { (void)xnn_delete_operator(elu_); }
  Xnnpack(const Xnnpack&) = delete;
  Xnnpack& operator=(const Xnnpack&) = delete;

  bool is_ready() const { return is_ready_; }
  void operator()() const { (void)xnn_run_operator(elu_, nullptr); }

 private:
  static bool is_initialized() {
    static const bool done = [] {
      if (!cpuinfo_initialize()) return false;
#ifndef __AVX512F__
      cpuinfo_isa.avx512f = cpuinfo_isa.avx512bw = cpuinfo_isa.avx512cd = cpuinfo_isa.avx512dq = cpuinfo_isa.avx512vl = false;
#endif
#ifndef __AVX2__
      cpuinfo_isa.avx = cpuinfo_isa.avx2 = cpuinfo_isa.fma3 = cpuinfo_isa.f16c = false;
#endif
      return xnn_initialize(nullptr) == xnn_status_success;
    }();
    return done;
  }

  xnn_operator_t elu_ = nullptr;
  bool is_ready_ = false;
};

class XnnpackMicrokernel {
 public:
  XnnpackMicrokernel(const void* x, void* y, std::size_t n, float alpha) : elu_(x, y, n, alpha) {
    if (!elu_.is_ready()) return;
    elu_();
    task_ = last_xnnpack_task();
  }

  bool is_ready() const { return elu_.is_ready() && task_.function != nullptr; }
  void operator()() const { task_.function(task_.context, 0, task_.range); }

 private:
  Xnnpack elu_;
  XnnpackTask task_;
};

template <typename Form>
Call prepare_xnnpack(const void* x, void* y, std::size_t n, float alpha) {
  auto* form = new Form(x, y, n, alpha);
  if (form->is_ready()) return own(form);
  delete form;
  return {};
}

}  // namespace actinide::peers
