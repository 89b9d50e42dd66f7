#include "dispatch.h"

#include <actinide/core.h>

#include <cstdlib>
#include <cstring>

#include "cpu_features.h"

namespace actinide::detail {

std::atomic<std::int32_t> active_choice{undecided};

namespace {

// The choice at the first call, to which actinide_force_target(NULL) goes back. The environment is read for it and never again.
std::atomic<std::int32_t> first_choice{undecided};

constexpr Target targets[] = {
#define ACTINIDE_TARGET(name) {#name, supports_##name},
#include "targets.inc"
#undef ACTINIDE_TARGET
};
constexpr int target_count = static_cast<int>(sizeof(targets) / sizeof(targets[0]));
static_assert(target_count < 127);

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

const char* to_string(Reason reason) noexcept {
  switch (reason) {
    case Reason::only: return "the only target that is built in";
    case Reason::best: return "the best that this machine supports";
    case Reason::nothing_supported: return "this machine supports no target that is built in";
    case Reason::forced_by_environment: return "ACTINIDE_FORCE_TARGET";
    case Reason::forced_by_environment_unknown: return "ACTINIDE_FORCE_TARGET names no target that is built in";
    case Reason::forced_by_environment_unsupported: return "ACTINIDE_FORCE_TARGET names a target that this machine does not support";
    case Reason::limited: return "ACTINIDE_MAX_TARGET";
    case Reason::limit_unknown: return "ACTINIDE_MAX_TARGET names no target that is built in";
    case Reason::nothing_below_limit: return "this machine supports no target up to ACTINIDE_MAX_TARGET";
    case Reason::forced: return "actinide_force_target()";
    case Reason::forced_unknown: return "actinide_force_target() was given a name that is not built in";
    case Reason::forced_unsupported: return "actinide_force_target() was given a target that this machine does not support";
  }
  return "unknown";
}

Choice choose_target(const Target* table, int count, const char* force, const char* max) noexcept {
  if (force != nullptr) {
    const int forced = find(table, count, force);
    if (forced == no_target) return {no_target, Reason::forced_by_environment_unknown};
    if (!table[forced].is_supported()) return {no_target, Reason::forced_by_environment_unsupported};
    return {forced, Reason::forced_by_environment};
  }
  int last = count - 1;
  if (max != nullptr) {
    last = find(table, count, max);
    if (last == no_target) return {no_target, Reason::limit_unknown};
  }
  for (int i = last; i >= 0; --i) {
    if (table[i].is_supported()) return {i, max != nullptr && i == last ? Reason::limited : Reason::best};
  }
  return {no_target, max != nullptr ? Reason::nothing_below_limit : Reason::nothing_supported};
}

namespace {

/// Stores `choice` unless another thread has stored one. Returns what is stored.
std::int32_t store_if_undecided(std::atomic<std::int32_t>& where, std::int32_t choice) noexcept {
  std::int32_t found = undecided;
  return where.compare_exchange_strong(found, choice, std::memory_order_relaxed) ? choice : found;
}

std::int32_t choose_first() noexcept {
  const std::int32_t choice = first_choice.load(std::memory_order_relaxed);
  if (choice != undecided) return choice;
  const char* force = from_environment("ACTINIDE_FORCE_TARGET");
  const char* max = from_environment("ACTINIDE_MAX_TARGET");
  return store_if_undecided(first_choice, pack(choose_target(targets, target_count, force, max)));
}

}  // namespace

std::int32_t decide() noexcept { return store_if_undecided(active_choice, choose_first()); }

}  // namespace actinide::detail

namespace d = actinide::detail;

size_t actinide_target_count(void) noexcept { return d::target_count; }

const char* actinide_target_name(size_t index) noexcept { return index < d::target_count ? d::targets[index].name : nullptr; }

const char* actinide_active_target(void) noexcept {
  const int index = d::active_target_index();
  return index < 0 ? "none" : d::targets[index].name;
}

const char* actinide_active_target_reason(void) noexcept { return d::to_string(d::reason_of(d::active())); }

actinide_status actinide_force_target(const char* name) noexcept {
  if (name == nullptr) {
    d::active_choice.store(d::choose_first(), std::memory_order_relaxed);
    return d::active_target_index() < 0 ? ACTINIDE_UNSUPPORTED : ACTINIDE_OK;
  }
  d::Choice choice{d::find(d::targets, d::target_count, name), d::Reason::forced};
  if (choice.target == d::no_target) {
    choice.reason = d::Reason::forced_unknown;
  } else if (!d::targets[choice.target].is_supported()) {
    choice = {d::no_target, d::Reason::forced_unsupported};
  }
  d::active_choice.store(d::pack(choice), std::memory_order_relaxed);
  return choice.target < 0 ? ACTINIDE_UNSUPPORTED : ACTINIDE_OK;
}
