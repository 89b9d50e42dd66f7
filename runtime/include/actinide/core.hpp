// Actinide, C++20 API: status, element types and targets.
#pragma once

#include <actinide/core.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace actinide {

/// What every call returns; see actinide_status.
enum class [[nodiscard]] status{
    ok = ACTINIDE_OK,           null_pointer = ACTINIDE_NULL_POINTER, size_mismatch = ACTINIDE_SIZE_MISMATCH,
    overlap = ACTINIDE_OVERLAP, element_type = ACTINIDE_ELEMENT_TYPE, device = ACTINIDE_DEVICE,
    layout = ACTINIDE_LAYOUT,   unsupported = ACTINIDE_UNSUPPORTED,
};

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

/// Name of the target that calls use; "none" if they return status::unsupported.
inline const char* active_target() noexcept { return actinide_active_target(); }

/// Uses the named target from now on, in the whole process; nullptr resets. See actinide_force_target.
inline status force_target(const char* name) noexcept { return static_cast<status>(actinide_force_target(name)); }

}  // namespace actinide
