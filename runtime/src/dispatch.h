// Which of the built-in targets the process uses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace actinide::detail {

/// One of the targets that kernels are built for, in the order of cmake/targets.cmake: least demanding first.
struct Target {
  const char* name;
  bool (*is_supported)() noexcept;
};

enum class Reason {
  only,
  best,
  nothing_supported,
  forced_by_environment,
  forced_by_environment_unknown,
  forced_by_environment_unsupported,
  limited,
  limit_unknown,
  nothing_below_limit,
  forced,
  forced_unknown,
  forced_unsupported,
};

const char* to_string(Reason reason) noexcept;

constexpr int no_target = -1;

/// An index into the target table, or no_target, and why.
struct Choice {
  int target;
  Reason reason;
};

/// The choice, as a pure function. `force` and `max` are names from the environment, null if unset.
Choice choose_target(const Target* targets, int count, const char* force, const char* max) noexcept;

/// The process's choice in one word, so that no thread sees a half of it: the target in the low byte, the reason above; negative without a
/// target. Visible as the functions are: where a program has two copies of the library and the first one's functions win, so must its
/// state.
constexpr std::int32_t undecided = -1;
extern std::atomic<std::int32_t> active_choice;

/// Makes the first choice, if no other thread was faster. Returns what is active then.
std::int32_t decide() noexcept;

constexpr std::int32_t pack(Choice choice) noexcept {
  return static_cast<std::int32_t>(choice.reason) << 8 | (choice.target & 0xff) | (choice.target < 0 ? INT32_MIN : 0);
}
constexpr Reason reason_of(std::int32_t packed) noexcept { return static_cast<Reason>((packed & INT32_MAX) >> 8); }

/// The index of the target in a choice that is not negative.
constexpr std::size_t target_of(std::int32_t packed) noexcept { return static_cast<std::uint8_t>(packed); }

inline std::int32_t active() noexcept {
  const std::int32_t choice = active_choice.load(std::memory_order_relaxed);
  return choice == undecided ? decide() : choice;
}

/// An index into the target table, or no_target.
inline int active_target_index() noexcept { return static_cast<std::int8_t>(active()); }

}  // namespace actinide::detail
