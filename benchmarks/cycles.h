// The processor's count of cycles, where the system lets a program have it.
#pragma once

#include <cstdint>
#include <cstring>

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace actinide::benchmark {

class CycleCounter {
 public:
  CycleCounter() {
    perf_event_attr wanted = {};
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_HARDWARE;
    wanted.config = PERF_COUNT_HW_CPU_CYCLES;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0));
  }
  ~CycleCounter() {
    if (file_ >= 0) close(file_);
  }
  CycleCounter(const CycleCounter&) = delete;
  CycleCounter& operator=(const CycleCounter&) = delete;

  bool is_available() const { return file_ >= 0; }
  std::uint64_t now() const {
    std::uint64_t cycles = 0;
    return read(file_, &cycles, sizeof cycles) == sizeof cycles ? cycles : 0;
  }

 private:
  int file_ = -1;
};

}  // namespace actinide::benchmark
