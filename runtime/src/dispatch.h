// Which of the built-in targets the process uses.
#pragma once

#include <atomic>
#include <cstdint>

namespace actinide::detail {

/// One of the targets that kernels are built for, in the order of cmake/targets.cmake: least demanding first.
struct Target {
  const char* name;
  bool (*is_supported)() noexcept;
};

constexpr int no_target = -1;
constexpr int undecided = -2;

/// An index into the target table, no_target or undecided. Written with the same value by every thread that decides first.
extern std::atomic<int> active_target;

int decide_target() noexcept;

inline int active_target_index() noexcept {
  const int index = active_target.load(std::memory_order_relaxed);
  return index == undecided ? decide_target() : index;
}

/// The choice, as a pure function. `force` and `max` are names from the environment, null if unset; `reason` receives a phrase.
int choose_target(const Target* targets, int count, const char* force, const char* max, const char** reason) noexcept;

}  // namespace actinide::detail
