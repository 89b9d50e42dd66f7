// Runs runtime_helper in a process of its own.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace actinide::test {

struct ChildResult {
  int status;  ///< exit status, or minus the signal that ended it
  std::string output;
};

/// How the helper is started. ACTINIDE_TEST_HELPER names it where it does not lie in the build folder, as on a board.
/// ACTINIDE_TEST_EMULATOR is the beginning of the command line, its words separated by spaces or semicolons: an emulated program cannot
/// start another one for its CPU by itself.
inline std::vector<std::string> helper_command() {
  std::vector<std::string> command;
  if (const char* emulator = std::getenv("ACTINIDE_TEST_EMULATOR")) {
    const std::string_view words = emulator;
    for (std::size_t at = 0; (at = words.find_first_not_of(" ;", at)) != words.npos;) {
      const std::size_t end = std::min(words.find_first_of(" ;", at), words.size());
      command.emplace_back(words.substr(at, end - at));
      at = end;
    }
  }
  const char* helper = std::getenv("ACTINIDE_TEST_HELPER");
  command.emplace_back(helper != nullptr && *helper != '\0' ? helper : RUNTIME_HELPER);
  return command;
}

/// The environment is this process's without its ACTINIDE_ variables, and with `variables`.
inline ChildResult run_helper(const std::vector<std::string>& arguments, std::vector<std::string> variables = {}) {
  std::vector<std::string> command = helper_command();
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv, env;
  for (std::string& word : command) argv.push_back(word.data());
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
  const int error = posix_spawnp(&child, argv.front(), &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  ChildResult result{-1000, error == 0 ? "" : "posix_spawnp failed"};
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
