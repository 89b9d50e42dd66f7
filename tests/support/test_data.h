// Where the data of the tests lies.
#pragma once

#include <cstdlib>
#include <string>

namespace actinide::test {

/// The build folder's, or what ACTINIDE_TEST_DATA in the environment names: a board has no build folder.
inline std::string test_data_folder() {
  const char* given = std::getenv("ACTINIDE_TEST_DATA");
  return given != nullptr && *given != '\0' ? given : ACTINIDE_TEST_DATA;
}

}  // namespace actinide::test
