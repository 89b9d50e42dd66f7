// The table of peers of one instruction set.
#include "copies.h"
#include "libm.h"
#include "loops.h"
#include "naive_halide.h"
#include "peers.h"
#ifdef ACTINIDE_HAVE_EIGEN
#include "eigen.h"
#endif
#ifdef ACTINIDE_HAVE_SLEEF
#include "sleef.h"
#endif
#ifdef ACTINIDE_HAVE_HIGHWAY
#include "highway.h"
#endif
#ifdef ACTINIDE_HAVE_ONEDNN
#include "onednn.h"
#endif
#ifdef ACTINIDE_HAVE_XNNPACK
#include "xnnpack.h"
#endif

#define JOIN(a, b) JOIN_VALUES(a, b)
#define JOIN_VALUES(a, b) a##b
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)
#define ISA TEXT_OF(ACTINIDE_PEERS_ISA)

#define NAIVE_KERNEL(op, type) JOIN(actinide_k_naive_##op##_##type##_, ACTINIDE_PEERS_ISA)
#define NAIVE_KERNELS(type)                                               \
  int NAIVE_KERNEL(elu, type)(halide_buffer_t*, float, halide_buffer_t*); \
  int NAIVE_KERNEL(thresholded_relu, type)(halide_buffer_t*, float, halide_buffer_t*);
extern "C" {
NAIVE_KERNELS(f16)
NAIVE_KERNELS(bf16)
NAIVE_KERNELS(f32)
NAIVE_KERNELS(f64)
}

namespace actinide::peers {
namespace {

// The rows of a peer for one element type; T is what the peer calls it.

template <typename T>
std::vector<Peer> copies(const char* type) {
  return {{"copy", "plain vector copy", "copy", type, ISA, prepare<T, copy_plain<T>>},
          {"copy_nt", "non-temporal copy", "copy", type, ISA, prepare<T, copy_streaming<T>>},
          {"memcpy", "memcpy", "copy", type, ISA, prepare<T, copy_memcpy<T>>}};
}

template <typename T>
std::vector<Peer> libm(const char* type) {
  static const std::string glibc = std::string("glibc ") + gnu_get_libc_version(), expm1 = glibc + " expm1", exp = glibc + " exp(x) - 1";
  return {{"libm_expm1", expm1.c_str(), "elu", type, ISA, prepare<T, libm_expm1<T>>},
          {"libm_exp", exp.c_str(), "elu", type, ISA, prepare<T, libm_exp<T>>}};
}

template <typename T, auto exp, auto expm1, auto thresholded_relu>
std::vector<Peer> loops(const char* type) {
  return {{"libmvec_exp", "gcc -ffast-math, libmvec exp(x) - 1", "elu", type, ISA, prepare<T, exp>},
          {"libmvec_expm1", "gcc -ffast-math, libmvec expm1", "elu", type, ISA, prepare<T, expm1>},
          {"loop", "loop by the compiler", "thresholded_relu", type, ISA, prepare<T, thresholded_relu>}};
}
#define LOOPS(type, T) loops<T, actinide_loop_exp_##type, actinide_loop_expm1_##type, actinide_loop_thresholded_relu_##type>(#type)

template <NaiveKernel elu, NaiveKernel thresholded_relu>
std::vector<Peer> naive_halide(const char* type) {
  return {{"naive_halide", "naive Halide", "elu", type, ISA, prepare_naive_halide<elu>},
          {"naive_halide", "naive Halide", "thresholded_relu", type, ISA, prepare_naive_halide<thresholded_relu>}};
}
#define NAIVE_HALIDE(type) naive_halide<NAIVE_KERNEL(elu, type), NAIVE_KERNEL(thresholded_relu, type)>(#type)

#ifdef ACTINIDE_HAVE_EIGEN
#define EIGEN "Eigen " VERSION(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)
template <typename T>
std::vector<Peer> eigen(const char* type) {
  return {{"eigen_select", EIGEN " select, exp(x) - 1", "elu", type, ISA, prepare<T, eigen_select<T>>},
          {"eigen_exp", EIGEN " exp(x) - 1", "elu", type, ISA, prepare<T, eigen_exp<T>>},
          {"eigen_expm1", EIGEN " expm1", "elu", type, ISA, prepare<T, eigen_expm1<T>>},
          {"eigen", EIGEN " select", "thresholded_relu", type, ISA, prepare<T, eigen_thresholded_relu<T>>}};
}
#endif

#ifdef ACTINIDE_HAVE_SLEEF
#define SLEEF "SLEEF " VERSION(SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR, SLEEF_VERSION_PATCHLEVEL)
template <typename T>
std::vector<Peer> sleef(const char* type) {
  return {{"sleef", SLEEF " expm1 u10", "elu", type, ISA, prepare<T, sleef_expm1<T>>}};
}
#endif

#ifdef ACTINIDE_HAVE_HIGHWAY
#define HIGHWAY "Highway " VERSION(HWY_MAJOR, HWY_MINOR, HWY_PATCH)
template <typename T>
std::vector<Peer> highway(const char* type) {
  std::vector<Peer> rows = {{"highway_expm1", HIGHWAY " Expm1", "elu", type, ISA, prepare<T, highway_expm1<T>>}};
  if constexpr (sizeof(T) > 2) rows.push_back({"highway", HIGHWAY, "thresholded_relu", type, ISA, prepare<T, highway_thresholded_relu<T>>});
  return rows;
}
#endif

#ifdef ACTINIDE_HAVE_ONEDNN
#define ONEDNN "oneDNN " VERSION(DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH)
template <dnnl::memory::data_type T>
std::vector<Peer> onednn(const char* type) {
  return {{"onednn", ONEDNN " eltwise_elu", "elu", type, ISA, prepare_onednn<T>}};
}
#endif

#ifdef ACTINIDE_HAVE_XNNPACK
std::vector<Peer> xnnpack() {
  return {{"xnnpack", "XNNPACK elu", "elu", "f32", ISA, prepare_xnnpack<Xnnpack>},
          {"xnnpack_microkernel", "XNNPACK elu, microkernel", "elu", "f32", ISA, prepare_xnnpack<XnnpackMicrokernel>}};
}
#endif

std::vector<Peer> all() {
  std::vector<Peer> rows;
  const auto add = [&rows](const std::vector<Peer>& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  add(copies<std::uint16_t>("f16"));
  add(copies<std::uint16_t>("bf16"));
  add(copies<float>("f32"));
  add(copies<double>("f64"));
  add(libm<float>("f32"));
  add(libm<double>("f64"));
#ifdef ACTINIDE_HAVE_FLOAT16
  add(LOOPS(f16, std::uint16_t));
#endif
  add(LOOPS(bf16, std::uint16_t));
  add(LOOPS(f32, float));
  add(LOOPS(f64, double));
  add(NAIVE_HALIDE(f16));
  add(NAIVE_HALIDE(bf16));
  add(NAIVE_HALIDE(f32));
  add(NAIVE_HALIDE(f64));
#ifdef ACTINIDE_HAVE_EIGEN
  add(eigen<Eigen::half>("f16"));
  add(eigen<Eigen::bfloat16>("bf16"));
  add(eigen<float>("f32"));
  add(eigen<double>("f64"));
#endif
#ifdef ACTINIDE_HAVE_SLEEF
  add(sleef<float>("f32"));
  add(sleef<double>("f64"));
#endif
#ifdef ACTINIDE_HAVE_HIGHWAY
  add(highway<hwy::float16_t>("f16"));
  add(highway<hwy::bfloat16_t>("bf16"));
  add(highway<float>("f32"));
  add(highway<double>("f64"));
#endif
#ifdef ACTINIDE_HAVE_ONEDNN
  add(onednn<dnnl::memory::data_type::f16>("f16"));
  add(onednn<dnnl::memory::data_type::bf16>("bf16"));
  add(onednn<dnnl::memory::data_type::f32>("f32"));
#endif
#ifdef ACTINIDE_HAVE_XNNPACK
  add(xnnpack());
#endif
  return rows;
}

Table table() {
  static const std::vector<Peer> peers = all();
  static const Missing missing[] = {
#ifndef ACTINIDE_HAVE_FLOAT16
      {"loops over f16", "a C compiler with _Float16"},
#endif
#ifndef ACTINIDE_HAVE_EIGEN
      {"Eigen", "libeigen3-dev"},
#endif
#ifndef ACTINIDE_HAVE_SLEEF
      {"SLEEF", "libsleef-dev"},
#endif
#ifndef ACTINIDE_HAVE_HIGHWAY
      {"Highway", "libhwy-dev"},
#endif
#ifndef ACTINIDE_HAVE_ONEDNN
      {"oneDNN", "libdnnl-dev"},
#endif
#ifndef ACTINIDE_HAVE_XNNPACK
      {"XNNPACK", "libxnnpack-dev, libpthreadpool-dev and libcpuinfo-dev"},
#endif
      {nullptr, nullptr},  // an array has an element
  };
  return {peers.data(), peers.size(), missing, std::size(missing) - 1};
}

}  // namespace
}  // namespace actinide::peers

extern "C" [[gnu::visibility("default")]] actinide::peers::Table actinide_peers() { return actinide::peers::table(); }
