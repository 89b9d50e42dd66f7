#include "dispatch.h"

#include <actinide/core.h>

#include <cstdlib>
#include <cstring>

#include "cpu_features.h"

namespace actinide::detail {

std::atomic<int> active_target{undecided};

namespace {

constexpr Target targets[] = {
#define ACTINIDE_TARGET(name) {#name, supports_##name},
#include "targets.inc"
#undef ACTINIDE_TARGET
};
constexpr int target_count = static_cast<int>(sizeof(targets) / sizeof(targets[0]));

std::atomic<const char*> active_reason{"not decided yet"};

const char* from_environment(const char* variable) noexcept {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

int find(const Target* table, int count, const char* name) noexcept {
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(table[i].name, name) == 0) return i;
  }
  return no_target;
}

}  // namespace

int choose_target(const Target* table, int count, const char* force, const char* max, const char** reason) noexcept {
  if (force != nullptr) {
    const int forced = find(table, count, force);
    if (forced == no_target) {
      *reason = "ACTINIDE_FORCE_TARGET names no target that is built in";
      return no_target;
    }
    if (!table[forced].is_supported()) {
      *reason = "ACTINIDE_FORCE_TARGET names a target that this machine does not support";
      return no_target;
    }
    *reason = "ACTINIDE_FORCE_TARGET";
    return forced;
  }
  int last = count - 1;
  if (max != nullptr) {
    last = find(table, count, max);
    if (last == no_target) {
      *reason = "ACTINIDE_MAX_TARGET names no target that is built in";
      return no_target;
    }
  }
  for (int i = last; i >= 0; --i) {
    if (!table[i].is_supported()) continue;
    *reason = i == last && max != nullptr ? "ACTINIDE_MAX_TARGET" : "the best that this machine supports";
    return i;
  }
  *reason =
      max != nullptr ? "this machine supports no target up to ACTINIDE_MAX_TARGET" : "this machine supports no target that is built in";
  return no_target;
}

int decide_target() noexcept {
  const char* reason = nullptr;
  const int chosen =
      choose_target(targets, target_count, from_environment("ACTINIDE_FORCE_TARGET"), from_environment("ACTINIDE_MAX_TARGET"), &reason);
  // A target that is forced meanwhile wins.
  int expected = undecided;
  if (!active_target.compare_exchange_strong(expected, chosen, std::memory_order_relaxed)) return expected;
  active_reason.store(reason, std::memory_order_relaxed);
  return chosen;
}

}  // namespace actinide::detail

namespace d = actinide::detail;

size_t actinide_target_count(void) noexcept { return d::target_count; }

const char* actinide_target_name(size_t index) noexcept { return index < d::target_count ? d::targets[index].name : nullptr; }

const char* actinide_active_target(void) noexcept {
  const int index = d::active_target_index();
  return index < 0 ? "none" : d::targets[index].name;
}

const char* actinide_active_target_reason(void) noexcept {
  d::active_target_index();
  return d::active_reason.load(std::memory_order_relaxed);
}

actinide_status actinide_force_target(const char* name) noexcept {
  if (name == nullptr) {
    d::active_target.store(d::undecided, std::memory_order_relaxed);
    return d::decide_target() < 0 ? ACTINIDE_UNSUPPORTED : ACTINIDE_OK;
  }
  int index = d::find(d::targets, d::target_count, name);
  const char* reason = "actinide_force_target()";
  if (index == d::no_target) {
    reason = "actinide_force_target() was given a name that is not built in";
  } else if (!d::targets[index].is_supported()) {
    index = d::no_target;
    reason = "actinide_force_target() was given a target that this machine does not support";
  }
  d::active_reason.store(reason, std::memory_order_relaxed);
  d::active_target.store(index, std::memory_order_relaxed);
  return index < 0 ? ACTINIDE_UNSUPPORTED : ACTINIDE_OK;
}
