/* Actinide, C API: status, version and targets. The operators are in <actinide/NAME.h>; <actinide/actinide.h> includes everything.
 *
 * No function aborts, throws, allocates, starts a thread or changes the floating-point control register. All may be called from any thread;
 * the first call reads the environment, so it must not run while another thread changes that. What is promised of results holds for the
 * default floating-point environment: round to nearest, subnormals kept. */
#ifndef ACTINIDE_CORE_H
#define ACTINIDE_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define ACTINIDE_NOEXCEPT noexcept
extern "C" {
#else
#define ACTINIDE_NOEXCEPT
#endif

/* What every call returns. The numbers are part of the ABI. */
typedef enum actinide_status {
  ACTINIDE_OK = 0,
  ACTINIDE_NULL_POINTER = 1,  /* x or y is null and n is not 0 */
  ACTINIDE_SIZE_MISMATCH = 2, /* x and y differ in size, or n elements do not fit into the address space */
  ACTINIDE_OVERLAP = 3,       /* x and y overlap and are not the same, or two elements of y are the same memory */
  ACTINIDE_ELEMENT_TYPE = 4,  /* the element type is not one of the operator's, or differs between x and y */
  ACTINIDE_DEVICE = 5,        /* the memory is on a device that the function does not serve; CUDA: or there is no context */
  ACTINIDE_LAYOUT = 6,        /* the shape, the strides or the alignment are not ones that the function serves */
  ACTINIDE_UNSUPPORTED = 7,   /* no usable target: an unknown or unsupported one was forced, or the CPU has none of those built in;
                                 CUDA: there is no driver, or the driver or the device cannot use the code */
  ACTINIDE_LAUNCH_FAILED = 8, /* the device's driver refused the call, or an earlier one has failed on the device */
  ACTINIDE_EXECUTOR_FAILED = 9, /* the executor is incomplete, reported a failure, or left out a task */
  ACTINIDE_READ_ONLY = 10       /* y is a DLPack tensor that may not be written */
} actinide_status;

/* A sentence for the status, in static memory; never null, whatever the number. */
const char* actinide_status_string(actinide_status status) ACTINIDE_NOEXCEPT;

/* "major.minor.patch", in static memory. */
const char* actinide_version(void) ACTINIDE_NOEXCEPT;

/* Targets: the instruction sets that kernels are built for. They are numbered from the least to the most demanding one. The best that the
 * CPU and the operating system support is chosen at the first call and stays. The environment is read then, once:
 *   ACTINIDE_FORCE_TARGET=NAME  use this one;  ACTINIDE_MAX_TARGET=NAME  choose none beyond this one. An empty value counts as unset.
 * A name that is unknown, or for FORCE one that the machine does not support, makes every call return ACTINIDE_UNSUPPORTED.
 * A library that was built for one named target uses it and asks neither the CPU nor the environment. */
size_t actinide_target_count(void) ACTINIDE_NOEXCEPT;

/* Name of a target, in static memory; null if index >= actinide_target_count(). */
const char* actinide_target_name(size_t index) ACTINIDE_NOEXCEPT;

/* Name of the target that calls use, in static memory; "none" if they return ACTINIDE_UNSUPPORTED. */
const char* actinide_active_target(void) ACTINIDE_NOEXCEPT;

/* Why that target is the active one, or why there is none: a phrase in static memory. */
const char* actinide_active_target_reason(void) ACTINIDE_NOEXCEPT;

/* Uses the named target from now on, in the whole process; null goes back to the choice at the first call, environment included.
 * Returns ACTINIDE_UNSUPPORTED, as do all calls until the next success, if the name is unknown or the machine lacks the instructions.
 * Calls that run at the same time use the old target or the new one. */
actinide_status actinide_force_target(const char* name) ACTINIDE_NOEXCEPT;

/* Threads: a call uses those that its caller lends through an executor, and no others.
 *
 * actinide_<operator>_<type>_on(executor, x, y, n, ...) does what the function without _on does, with the same results, bit for bit. It
 * divides y into as many pieces as are worth it, one a task, at addresses that are multiples of 1024 bytes, and has the executor run them.
 * Where that is one piece, the calling thread does it and the executor is not called. A null executor is the calling thread alone. */

/* One of a call's tasks. Any thread may run it, also while others run other ones; running one again does nothing. Does not throw. */
typedef void (*actinide_task)(void* context, size_t index);

/* How tasks are run. The library reads it during calls and keeps nothing of it, so it may be on the stack, and constant; calls may share it
 * if parallel_for may run in several threads at the same time. */
typedef struct actinide_executor {
  /* sizeof(actinide_executor): a later version of the library may have more members at the end, and does not read them if this is less. */
  size_t struct_size;
  /* Into how many tasks a call may be divided: how many threads run at once, the calling one included. Beyond 1024 is as 1024. */
  size_t max_tasks;
  /* How many nanoseconds of work a task must hold to be worth it, by the library's estimate for a fast core and tensors in cache. Good is
   * one and a half times what it takes to hand out two empty tasks and to wait for them. 0: 30,000, for threads that are started anew. */
  size_t min_task_ns;
  /* The library does not look at it. */
  void* user;
  /* Calls task(context, index) for each index < count, in any order and in any threads, and returns when all these calls have returned;
   * then none may follow. `self` is the executor that the function was given. Returns 0, or anything else if it could not run them all.
   * Must not throw or longjmp. If it fails or a task was left out, the function returns ACTINIDE_EXECUTOR_FAILED. */
  int (*parallel_for)(const struct actinide_executor* self, actinide_task task, void* context, size_t count) ACTINIDE_NOEXCEPT;
} actinide_executor;

#ifdef __cplusplus
}
#endif

#endif
