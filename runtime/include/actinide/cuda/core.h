/* Actinide on CUDA, C API: what is there. The operators are in <actinide/cuda/NAME.h>; <actinide/cuda.h> includes everything.
 *
 * No function aborts, throws, allocates memory of the caller's, starts a thread, waits for the device, or creates or changes a context. All
 * may be called from any thread. The library links nothing of CUDA: the first call opens libcuda.so.1, the driver, which has to be of CUDA
 * 12.0 or newer, and starts it: as with all of CUDA, a process that forks afterwards cannot use it in the child. Devices need compute
 * capability 7.5 or higher. */
#ifndef ACTINIDE_CUDA_CORE_H
#define ACTINIDE_CUDA_CORE_H

#include <actinide/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if there is a driver and a device that serve, else 0: then every call returns ACTINIDE_UNSUPPORTED. Found out once, at the first call. */
int actinide_cuda_available(void) ACTINIDE_NOEXCEPT;

/* Why, or why not: a phrase in static memory. */
const char* actinide_cuda_reason(void) ACTINIDE_NOEXCEPT;

/* Loads the device code of every function that this executable or shared object links, for the device of the current context, so that the
 * first calls there need not, which may make the device wait: once for each device, before something is measured and before a stream is
 * captured. On a device that the library has no binary for (it may have them for compute capability 8.x and 9.0) the driver compiles, which
 * takes tens of milliseconds a function and is cached on disk.
 * Returns ACTINIDE_OK, ACTINIDE_UNSUPPORTED, ACTINIDE_DEVICE (there is no context yet) or ACTINIDE_LAUNCH_FAILED. */
actinide_status actinide_cuda_warm_up(void) ACTINIDE_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
