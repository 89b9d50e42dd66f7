// The commands of the program. They throw Error for bad input and return the exit code.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace actinide::tools {

int list();

/// `attributes` holds those that were given, as text.
int run(const std::string& operator_name, const std::map<std::string, std::string>& attributes, const std::string& in,
        const std::string& out);

int verify(const std::vector<std::string>& folders);

/// The operators of the list, each once.
std::vector<std::string> operator_names();

}  // namespace actinide::tools
