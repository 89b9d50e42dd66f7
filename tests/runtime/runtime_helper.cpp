// What needs a fresh process, by name:
//
//   expect TARGET   exit status 0 if this is the active target ("none": every call is refused) and all results are right
//   keep            the environment counts at the first call only
//   threads         16 threads make the process's first calls at once
//   fork            parent and child make their first calls after fork()
//   destructor      the first call is made by a static destructor, after main
//
// EARLY_CALL in the environment: a static constructor makes the first call, before main. Anything wrong: exit status 1 and a line on
// stderr.
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "check.h"

namespace {

using namespace actinide::test;

int complain(const char* what) {
  std::fprintf(stderr, "runtime_helper: %s (target %s: %s)\n", what, actinide_active_target(), actinide_active_target_reason());
  return 1;
}

struct StaticLifetime {
  StaticLifetime() {
    if (std::getenv("EARLY_CALL") != nullptr && !all_work()) _exit(complain("a static constructor's call went wrong"));
  }
  ~StaticLifetime() {
    if (!calls_at_the_end) return;
    if (!all_work()) _exit(complain("a static destructor's call went wrong"));
    std::puts("destructor called");
    std::fflush(stdout);
  }
  bool calls_at_the_end = false;
} lifetime;

int expect(std::string_view target) {
  std::printf("%s: %s\n", actinide_active_target(), actinide_active_target_reason());
  if (target != actinide_active_target()) return complain("another target was expected");
  if (target == "none" ? !all_unsupported() : !all_work()) return complain("a call went wrong");
  return 0;
}

int keep() {
  if (!all_work()) return complain("a call went wrong");
  if (setenv("ACTINIDE_FORCE_TARGET", "nonsense", 1) != 0 || setenv("ACTINIDE_MAX_TARGET", "nonsense", 1) != 0) return complain("setenv");
  return all_work() ? 0 : complain("the environment was read again");
}

int threads() {
  constexpr std::size_t count = 16;
  const auto operators = actinide::tools::operators();
  std::barrier start(count);
  bool right[count] = {};
  const char* targets[count] = {};
  std::vector<std::thread> pool;
  for (std::size_t i = 0; i < count; ++i) {
    pool.emplace_back([&, i] {
      start.arrive_and_wait();
      right[i] = works(operators[i % operators.size()], 1000);
      targets[i] = actinide_active_target();
    });
  }
  for (std::thread& t : pool) t.join();
  for (std::size_t i = 0; i < count; ++i) {
    if (!right[i]) return complain("a thread's call went wrong");
    if (targets[i] != targets[0]) return complain("two threads saw different targets");
  }
  return 0;
}

int fork_first() {
  const pid_t child = fork();
  if (child < 0) return complain("fork");
  const bool right = all_work();
  if (child == 0) _exit(right ? 0 : 1);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return complain("the child's call went wrong");
  return right ? 0 : complain("the parent's call went wrong");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "expect" && argc == 3) return expect(argv[2]);
  if (mode == "keep") return keep();
  if (mode == "threads") return threads();
  if (mode == "fork") return fork_first();
  if (mode == "destructor") {
    lifetime.calls_at_the_end = true;
    return 0;
  }
  std::fprintf(stderr, "runtime_helper: unknown mode\n");
  return 1;
}
