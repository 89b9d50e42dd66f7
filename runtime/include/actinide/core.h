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
  ACTINIDE_OVERLAP = 3,       /* x and y overlap and are not the same */
  ACTINIDE_ELEMENT_TYPE = 4,  /* the element type is not one of the operator's, or differs between x and y */
  ACTINIDE_DEVICE = 5,        /* the memory is on a device that the function does not serve; CUDA: or there is no context */
  ACTINIDE_LAYOUT = 6,        /* the shape, the strides or the alignment are not ones that the function serves */
  ACTINIDE_UNSUPPORTED = 7,   /* no usable target: an unknown or unsupported one was forced, or the CPU has none of those built in;
                                 CUDA: there is no driver, or the driver or the device cannot use the code */
  ACTINIDE_LAUNCH_FAILED = 8  /* the device's driver refused the call, or an earlier one has failed on the device */
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

#ifdef __cplusplus
}
#endif

#endif
