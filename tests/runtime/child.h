// Runs runtime_helper in a process of its own.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace actinide::test {

struct ChildResult {
  int status;  ///< exit status, or minus the signal that ended it
  std::string output;
};

/// The environment is this process's without its ACTINIDE_ variables, and with `variables`.
inline ChildResult run_helper(std::vector<std::string> arguments, std::vector<std::string> variables = {}) {
  std::string program = RUNTIME_HELPER;
  std::vector<char*> argv{program.data()}, env;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  for (char** e = environ; *e != nullptr; ++e) {
    if (!std::string_view(*e).starts_with("ACTINIDE_")) env.push_back(*e);
  }
  for (std::string& variable : variables) env.push_back(variable.data());
  env.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1000, "pipe2 failed"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  pid_t child;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  ChildResult result{-1000, error == 0 ? "" : "posix_spawn failed"};
  if (error == 0) {
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) result.output.append(buffer, static_cast<std::size_t>(n));
    int status = 0;
    waitpid(child, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  close(ends[0]);
  return result;
}

}  // namespace actinide::test
