// What a CUDA programmer writes by hand: 16 bytes a thread, the C library's expm1f, float32 arithmetic for 16-bit types; and a copy.
//
// `count` is the number of 16-byte vectors; sizes are multiples of that.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

__device__ float elu(float x, float alpha) { return x < 0 ? alpha * expm1f(x) : x; }
__device__ double elu(double x, float alpha) { return x < 0 ? alpha * expm1(x) : x; }
__device__ float thresholded_relu(float x, float alpha) { return x > alpha ? x : 0; }
__device__ double thresholded_relu(double x, float alpha) { return x > alpha ? x : 0; }

/// Applies `f` to a vector's elements in the type to compute in.
template <typename F>
__device__ void apply(float4& v, F f) {
  v = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}

template <typename F>
__device__ void apply(double2& v, F f) {
  v = make_double2(f(v.x), f(v.y));
}

struct Half8 {
  __half2 pairs[4];
};

template <typename F>
__device__ void apply(Half8& v, F f) {
  for (__half2& pair : v.pairs) {
    const float2 wide = __half22float2(pair);
    pair = __floats2half2_rn(f(wide.x), f(wide.y));
  }
}

struct Bfloat8 {
  __nv_bfloat162 pairs[4];
};

template <typename F>
__device__ void apply(Bfloat8& v, F f) {
  for (__nv_bfloat162& pair : v.pairs) {
    const float2 wide = __bfloat1622float2(pair);
    pair = __floats2bfloat162_rn(f(wide.x), f(wide.y));
  }
}

template <typename Vector, typename F>
__device__ void map(const uint4* x, uint4* y, unsigned count, F f) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  union {
    uint4 bits;
    Vector vector;
  } v = {x[i]};
  apply(v.vector, f);
  y[i] = v.bits;
}

}  // namespace

#define PEER(op, type, Vector)                                                                           \
  extern "C" __global__ void peer_##op##_##type(const uint4* x, uint4* y, unsigned count, float alpha) { \
    map<Vector>(x, y, count, [alpha](auto value) { return op(value, alpha); });                          \
  }
#define PEERS(op)         \
  PEER(op, f16, Half8)    \
  PEER(op, bf16, Bfloat8) \
  PEER(op, f32, float4)   \
  PEER(op, f64, double2)
PEERS(elu)
PEERS(thresholded_relu)

extern "C" __global__ void peer_copy(const float4* x, float4* y, unsigned count, float) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i];
}
