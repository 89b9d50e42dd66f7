// What is thrown for bad input: one line, without the program's name.
#pragma once

#include <stdexcept>

namespace actinide::tools {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace actinide::tools
