// What happens once in a process is done under one lock. POSIX's own, because the C++ library is not linked.
#pragma once

#include <pthread.h>

namespace actinide::cuda {

[[gnu::visibility("hidden")]] extern pthread_mutex_t mutex;

class Lock {
 public:
  Lock() noexcept { pthread_mutex_lock(&mutex); }
  ~Lock() { pthread_mutex_unlock(&mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

}  // namespace actinide::cuda
