// Actinide, C++20 API: status, version, element types and targets.
#pragma once

#if (defined(_MSVC_LANG) && _MSVC_LANG < 202002L) || (!defined(_MSVC_LANG) && __cplusplus < 202002L)
#error "actinide's C++ interface needs C++20; the C one is <actinide/actinide.h>"
#endif

#include <actinide/core.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace actinide {

/// What every call returns; see actinide_status.
// clang-format off
enum class [[nodiscard]] status {
  ok = ACTINIDE_OK,
  null_pointer = ACTINIDE_NULL_POINTER,
  size_mismatch = ACTINIDE_SIZE_MISMATCH,
  overlap = ACTINIDE_OVERLAP,
  element_type = ACTINIDE_ELEMENT_TYPE,
  device = ACTINIDE_DEVICE,
  layout = ACTINIDE_LAYOUT,
  unsupported = ACTINIDE_UNSUPPORTED,
  launch_failed = ACTINIDE_LAUNCH_FAILED,
  executor_failed = ACTINIDE_EXECUTOR_FAILED,
  read_only = ACTINIDE_READ_ONLY,
};
// clang-format on

/// A sentence for the status.
inline const char* to_string(status s) noexcept { return actinide_status_string(static_cast<actinide_status>(s)); }

/// Storage of an IEEE 754 binary16 number; std::bit_cast to and from other types of that format.
struct float16 {
  std::uint16_t bits;
};

/// Storage of a bfloat16 number, the upper half of a float.
struct bfloat16 {
  std::uint16_t bits;
};

static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);

/// Runs the tasks of a call on more threads than one; see actinide_executor. Ready ones: parallel in <actinide/parallel.hpp>, openmp in
/// <actinide/openmp.hpp>, onetbb in <actinide/onetbb.hpp>.
using executor = actinide_executor;

/// "major.minor.patch".
inline const char* version() noexcept { return actinide_version(); }

/// How many targets are built in; they are numbered from the least to the most demanding one.
inline std::size_t target_count() noexcept { return actinide_target_count(); }

/// Name of a target; nullptr if index >= target_count().
inline const char* target_name(std::size_t index) noexcept { return actinide_target_name(index); }

/// Name of the target that calls use; "none" if they return status::unsupported.
inline const char* active_target() noexcept { return actinide_active_target(); }

/// Why that target is the active one, or why there is none.
inline const char* active_target_reason() noexcept { return actinide_active_target_reason(); }

/// Uses the named target from now on, in the whole process; nullptr resets. See actinide_force_target.
inline status force_target(const char* name) noexcept { return static_cast<status>(actinide_force_target(name)); }

}  // namespace actinide
