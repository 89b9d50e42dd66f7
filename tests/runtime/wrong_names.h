// Names that are close to a target's and not one.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "target_test.h"

namespace actinide::test {

inline std::vector<std::string> wrong_names() {
  const std::vector<std::string> built = built_targets();
  std::vector<std::string> names = {"nonsense", " ", "none"};
  for (const std::string& target : built) {
    std::string upper = target;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    names.insert(names.end(), {upper, target.substr(1), target.substr(0, target.size() - 1), target + " ", " " + target});
  }
  // Another architecture's.
  names.push_back(std::find(built.begin(), built.end(), "neon") == built.end() ? "neon" : "avx2");
  return names;
}

}  // namespace actinide::test
