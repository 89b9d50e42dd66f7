// The library with one target: it is used without asking the CPU for it. Takes the place of dispatch.cpp, and of the C library.
#include <actinide/core.h>

#include "dispatch.h"

namespace actinide::detail {

constexpr std::int32_t the_only_one = pack({0, Reason::only});

std::atomic<std::int32_t> active_choice{the_only_one};

std::int32_t decide() noexcept { return the_only_one; }

namespace {

constexpr char name_of_target[] = ACTINIDE_TARGET;

bool is_the_target(const char* name) noexcept {
  for (std::size_t i = 0; i < sizeof(name_of_target); ++i) {
    if (name[i] != name_of_target[i]) return false;
  }
  return true;
}

}  // namespace

}  // namespace actinide::detail

namespace d = actinide::detail;

size_t actinide_target_count(void) noexcept { return 1; }

const char* actinide_target_name(size_t index) noexcept { return index == 0 ? d::name_of_target : nullptr; }

const char* actinide_active_target(void) noexcept { return d::active_target_index() == 0 ? d::name_of_target : "none"; }

const char* actinide_active_target_reason(void) noexcept {
  return d::active_target_index() == 0 ? "the only target that is built in" : "actinide_force_target() was given a name that is not built in";
}

actinide_status actinide_force_target(const char* name) noexcept {
  const bool is_known = name == nullptr || d::is_the_target(name);
  d::active_choice.store(is_known ? d::the_only_one : d::pack({d::no_target, d::Reason::forced_unknown}), std::memory_order_relaxed);
  return is_known ? ACTINIDE_OK : ACTINIDE_UNSUPPORTED;
}
