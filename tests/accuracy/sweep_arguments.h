// What the command lines of accuracy_exhaustive and accuracy_peers have in common.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "error_bins.h"
#include "sweep.h"

namespace actinide::test {

/// Each program's own.
extern const char usage[];

[[noreturn]] inline void refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n%s", why.c_str(), usage);
  std::exit(2);
}

inline std::uint64_t number(const char* text, char end = '\0') {
  char* rest = nullptr;
  const std::uint64_t value = std::strtoull(text, &rest, 0);
  if (rest == text || *rest != end) refuse("not a number: " + std::string(text));
  return value;
}

struct SweepArguments {
  std::string csv;
  SweepOptions sweep;

  /// Is it an option of both?
  bool read(std::string_view option, const char* value) {
    if (option == "--shards") {
      sweep.shards = number(value);
      if (sweep.shards == 0 || sweep.shards > 1 << 20) refuse("--shards is from 1 to 2^20");
    } else if (option == "--seed") {
      sweep.seed = number(value);
    } else if (option == "--csv") {
      csv = value;
    } else {
      return false;
    }
    return true;
  }

  /// The file of --csv, with its head; closed without that option.
  std::ofstream open_csv() const {
    std::ofstream file;
    if (csv.empty()) return file;
    file.open(csv);
    if (!file) refuse("cannot write " + csv);
    file << error_bins_head;
    return file;
  }
};

}  // namespace actinide::test
