#include "xnnpack.h"

#include <dlfcn.h>

namespace actinide::peers {

XnnpackTask& last_xnnpack_task() {
  static XnnpackTask task;
  return task;
}

}  // namespace actinide::peers

/// Stands in front of the pool's own function and looks at what it is given.
extern "C" [[gnu::visibility("default")]] void pthreadpool_parallelize_1d_tile_1d(pthreadpool_t pool,
                                                                                  pthreadpool_task_1d_tile_1d_t function, void* context,
                                                                                  std::size_t range, std::size_t tile,
                                                                                  std::uint32_t flags) {
  using Own = void (*)(pthreadpool_t, pthreadpool_task_1d_tile_1d_t, void*, std::size_t, std::size_t, std::uint32_t);
  static const auto next = reinterpret_cast<Own>(dlsym(RTLD_NEXT, __func__));
  actinide::peers::last_xnnpack_task() = {function, context, range};
  next(pool, function, context, range, tile, flags);
}
