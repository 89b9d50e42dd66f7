// Runs one test of this program in a process of its own, where CUDA starts anew. Such tests are DISABLED_, so that they run there alone.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

namespace actinide::test {

/// Passes, fails or skips as the child does.
inline void run_in_child(const std::string& name) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "'" + self + "' --gtest_color=no --gtest_also_run_disabled_tests --gtest_filter=" + name + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output, reason;
  char line[4096];
  // Each line has a mark, so that nobody takes it for this process's.
  for (bool is_reason = false; std::fgets(line, sizeof(line), pipe) != nullptr; is_reason = std::strstr(line, ": Skipped") != nullptr) {
    output += "  | ";
    output += line;
    if (is_reason) reason = line;
  }
  const int status = pclose(pipe);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status << "\n" << output;
  if (!reason.empty()) GTEST_SKIP() << reason;
  ASSERT_NE(output.find("[  PASSED  ] 1 test"), std::string::npos) << output;
}

}  // namespace actinide::test
