// What a translated PTX program is compiled with (ptx_machine.py): its instructions as functions, memory that checks every access, and the
// launch.
//
// A register is an unsigned integer of its width. The results are those of PTX ISA 6.3 without .ftz and .sat.
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "HalideRuntime.h"

typedef uint8_t Predicate;

// A call of the kernel object: its tensors, what became of each element, and the first thing that was wrong. ptx_machine.py knows it, too.
struct Call {
  uint64_t x, y, bytes;  // where the tensors begin, and how long they are
  uint32_t element_size;
  int64_t* owner;      // of each element: the number of the thread that has accessed it, from 1 on
  uint8_t* stores;     // of each element of y
  const char* source;  // the device code that the kernel object brings
  int32_t source_size;
  int32_t ends_only;  // of the grid, run this many blocks at its beginning and as many at its end; 0 for all
  int32_t launches, blocks;
  char error[200];
};

struct Thread {
  struct Call* call;
  void** parameters;
  uint32_t block, index;
  int64_t number;
};

static void fail(struct Call* call, const char* format, ...) {
  if (call->error[0] != 0) return;
  va_list values;
  va_start(values, format);
  vsnprintf(call->error, sizeof call->error, format, values);
  va_end(values);
}

// No element may be accessed by two threads, nor read once it is written: then x and y may be the same, in whatever order the threads run.
static bool access_is_valid(const struct Thread* t, uint64_t tensor, uint64_t address, uint64_t size, bool is_store) {
  struct Call* call = t->call;
  const char* what = is_store ? "store" : "load";
  const uint64_t offset = address - tensor;
  if (offset > call->bytes || size > call->bytes - offset || offset % call->element_size != 0 || size % call->element_size != 0) {
    fail(call, "thread %u of block %u: a %s of %u bytes at byte %lld of %llu", t->index, t->block, what, (unsigned)size, (long long)offset,
         (unsigned long long)call->bytes);
    return false;
  }
  if (address % size != 0) {
    fail(call, "thread %u of block %u: a %s of %u bytes that is not aligned, at byte %lld", t->index, t->block, what, (unsigned)size,
         (long long)offset);
    return false;
  }
  for (uint64_t i = offset / call->element_size; i < (offset + size) / call->element_size; ++i) {
    if (call->owner[i] != 0 && call->owner[i] != t->number) fail(call, "element %llu is accessed by two threads", (unsigned long long)i);
    if (call->stores[i] != 0) fail(call, "element %llu is accessed after it was written", (unsigned long long)i);
    call->owner[i] = t->number;
    call->stores[i] += is_store;
  }
  return true;
}

static const void* loaded(const struct Thread* t, uint64_t address, uint64_t size) {
  static const uint64_t nothing[2];
  return access_is_valid(t, t->call->x, address, size, false) ? (const void*)(uintptr_t)address : (const void*)nothing;
}

static void store(const struct Thread* t, uint64_t address, uint64_t size, const void* value) {
  if (access_is_valid(t, t->call->y, address, size, true)) memcpy((void*)(uintptr_t)address, value, size);
}

// Floating point. Every NaN that f32 arithmetic makes is this one.
static inline float f32(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline double f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint32_t of_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return value != value ? 0x7fffffff : bits;
}
static inline uint64_t of_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint32_t fma_rn_f32(uint32_t a, uint32_t b, uint32_t c) { return of_f32(fmaf(f32(a), f32(b), f32(c))); }
static inline uint32_t mul_f32(uint32_t a, uint32_t b) { return of_f32(f32(a) * f32(b)); }
static inline uint32_t add_f32(uint32_t a, uint32_t b) { return of_f32(f32(a) + f32(b)); }
static inline uint32_t sub_f32(uint32_t a, uint32_t b) { return of_f32(f32(a) - f32(b)); }
static inline uint32_t neg_f32(uint32_t a) { return a ^ 0x80000000; }
static inline uint64_t fma_rn_f64(uint64_t a, uint64_t b, uint64_t c) { return of_f64(fma(f64(a), f64(b), f64(c))); }
static inline uint64_t mul_f64(uint64_t a, uint64_t b) { return of_f64(f64(a) * f64(b)); }
static inline uint64_t add_f64(uint64_t a, uint64_t b) { return of_f64(f64(a) + f64(b)); }
static inline uint64_t sub_f64(uint64_t a, uint64_t b) { return of_f64(f64(a) - f64(b)); }
static inline uint64_t neg_f64(uint64_t a) { return a ^ 0x8000000000000000; }
// A NaN loses, and -0.0 is less than +0.0.
static inline uint64_t min_f64(uint64_t a, uint64_t b) {
  if (isnan(f64(a)) || isnan(f64(b))) return isnan(f64(a)) ? b : a;
  return f64(a) == f64(b) ? a | b : f64(a) < f64(b) ? a : b;
}
static inline uint64_t max_f64(uint64_t a, uint64_t b) {
  if (isnan(f64(a)) || isnan(f64(b))) return isnan(f64(a)) ? b : a;
  return f64(a) == f64(b) ? a & b : f64(a) > f64(b) ? a : b;
}
static inline uint64_t cvt_f64_f32(uint32_t a) { return of_f64(f32(a)); }
static inline uint32_t cvt_f32_f16(uint16_t a) {
  const int exponent = a >> 10 & 31, fraction = a & 1023;
  float magnitude = exponent == 0 ? ldexpf((float)fraction, -24) : ldexpf((float)(1024 + fraction), exponent - 25);
  if (exponent == 31) magnitude = fraction == 0 ? INFINITY : NAN;
  return of_f32(a & 0x8000 ? -magnitude : magnitude);
}
static inline uint16_t cvt_rn_f16_f32(uint32_t a) {
  if (isnan(f32(a))) return 0x7fff;
  const float magnitude = fabsf(f32(a));
  uint16_t pattern = 0x7c00;
  if (magnitude < 65536) {
    int exponent;
    frexpf(magnitude, &exponent);
    const int unit = exponent - 11 > -24 ? exponent - 11 : -24;
    // As many units, and a step of the exponent field for every octave: a carry goes where it belongs.
    pattern = (uint16_t)(rintf(ldexpf(magnitude, -unit)) + (float)((unit + 24) * 1024));
  }
  return a & 0x80000000 ? pattern | 0x8000 : pattern;
}

#define COMPARISON(name, type, value)                                                                 \
  static inline Predicate setp_lt_##name(type a, type b) { return (Predicate)(value(a) < value(b)); } \
  static inline Predicate setp_gt_##name(type a, type b) { return (Predicate)(value(a) > value(b)); } \
  static inline Predicate setp_ge_##name(type a, type b) { return (Predicate)(value(a) >= value(b)); }
#define HALF(a) f32(cvt_f32_f16(a))
COMPARISON(f16, uint16_t, HALF)
COMPARISON(f32, uint32_t, f32)
COMPARISON(f64, uint64_t, f64)
COMPARISON(s32, uint32_t, (int32_t))
COMPARISON(u32, uint32_t, )

#define OF_ANY_WIDTH(name, type)                                                                      \
  static inline type mov_##name(type a) { return a; }                                                 \
  static inline type and_##name(type a, type b) { return a & b; }                                     \
  static inline type or_##name(type a, type b) { return a | b; }                                      \
  static inline type xor_##name(type a, type b) { return a ^ b; }                                     \
  static inline type not_##name(type a) { return (type)~a; }                                          \
  static inline type shl_##name(type a, uint32_t b) { return (type)(b < 8 * sizeof a ? a << b : 0); } \
  static inline type selp_##name(type a, type b, Predicate p) { return p ? a : b; }
OF_ANY_WIDTH(b16, uint16_t)
OF_ANY_WIDTH(b32, uint32_t)
OF_ANY_WIDTH(b64, uint64_t)
#define mov_u32 mov_b32
#define selp_f32 selp_b32
#define selp_f64 selp_b64

static inline uint32_t add_s32(uint32_t a, uint32_t b) { return a + b; }
static inline uint64_t add_s64(uint64_t a, uint64_t b) { return a + b; }
static inline uint32_t sub_s32(uint32_t a, uint32_t b) { return a - b; }
static inline uint64_t mul_wide_u32(uint32_t a, uint32_t b) { return (uint64_t)a * b; }
static inline uint64_t mul_wide_s32(uint32_t a, uint32_t b) { return (uint64_t)((int64_t)(int32_t)a * (int32_t)b); }
static inline uint32_t min_s32(uint32_t a, uint32_t b) { return (int32_t)a < (int32_t)b ? a : b; }
static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t shr_u32(uint32_t a, uint32_t b) { return b < 32 ? a >> b : 0; }
static inline uint64_t shr_u64(uint64_t a, uint32_t b) { return b < 64 ? a >> b : 0; }
static inline uint32_t bfe_u32(uint32_t a, uint32_t at, uint32_t length) { return (uint32_t)(a >> at & ((UINT64_C(1) << length) - 1)); }
static inline uint16_t cvt_u16_u32(uint32_t a) { return (uint16_t)a; }
static inline uint32_t cvt_u32_u16(uint16_t a) { return a; }
static inline uint32_t cvt_u32_u64(uint64_t a) { return (uint32_t)a; }
static inline uint64_t cvt_u64_u16(uint16_t a) { return a; }
static inline uint64_t cvt_u64_u32(uint32_t a) { return a; }
static inline uint64_t cvta_to_global_u64(uint64_t a) { return a; }

// The launch.
struct Entry {
  const char* name;
  void (*run)(const struct Thread*);
  unsigned parameters;
};

// At the end of the translation; null if there is none of that name.
static const struct Entry* find_entry(const char* name);

int actinide_cuda_initialize_kernels(void* user_context, void** state, const char* source, int size) {
  struct Call* call = user_context;
  (void)state;
  call->source = source;
  call->source_size = size;
  return 0;
}

int actinide_cuda_run(void* user_context, void* state, const char* name, int blocks_x, int blocks_y, int blocks_z, int threads_x,
                      int threads_y, int threads_z, int shared_bytes, size_t sizes[], void* arguments[], int8_t is_buffer[]) {
  struct Call* call = user_context;
  (void)state;
  unsigned count = 0;
  uint64_t addresses[32];
  void* parameters[32];
  for (; count < 32 && sizes[count] != 0; ++count) {
    addresses[count] = is_buffer[count] ? ((halide_buffer_t*)arguments[count])->device : 0;
    parameters[count] = is_buffer[count] ? &addresses[count] : arguments[count];
  }
  ++call->launches;
  call->blocks = blocks_x;
  const struct Entry* entry = find_entry(name);
  if (entry == NULL || entry->parameters != count) {
    fail(call, "there is no entry %s with %u parameters", name, count);
  } else if (blocks_x < 1 || blocks_y != 1 || blocks_z != 1 || threads_x != 256 || threads_y != 1 || threads_z != 1 || shared_bytes != 0) {
    fail(call, "a launch of (%d, %d, %d) blocks of (%d, %d, %d) threads with %d bytes", blocks_x, blocks_y, blocks_z, threads_x, threads_y,
         threads_z, shared_bytes);
  } else {
    for (int block = 0; block < blocks_x; ++block) {
      if (call->ends_only != 0 && block == call->ends_only && block < blocks_x - call->ends_only) block = blocks_x - call->ends_only;
      for (int index = 0; index < threads_x; ++index) {
        const struct Thread thread = {call, parameters, (uint32_t)block, (uint32_t)index, (int64_t)block * threads_x + index + 1};
        entry->run(&thread);
      }
    }
  }
  return call->error[0] != 0;
}

void actinide_cuda_finalize_kernels(void* user_context, void* state) {
  (void)user_context;
  (void)state;
}
