// The records of support/write_special.py, which documents them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bits.h"
#include "test_data.h"

namespace actinide::test {

struct Record {
  std::uint64_t x;
  char kind;
  std::uint64_t y;
  int unit;
  double fraction;
};

/// All records of one alpha.
struct Group {
  float alpha;
  std::vector<Record> records;
};

/// Empty if the file cannot be read.
inline std::vector<Group> read_records(const tools::Operator& op) {
  const std::string path = test_data_folder() + "/special/" + std::string(op.name) + "_" + std::string(op.type_name) + ".txt";
  std::vector<Group> groups;
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return groups;
  char line[160];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    char* at = line;
    const auto alpha = static_cast<std::uint32_t>(std::strtoull(at, &at, 16));
    Record record{};
    record.x = std::strtoull(at, &at, 16);
    record.kind = *++at;
    record.y = std::strtoull(++at, &at, 16);
    record.unit = static_cast<int>(std::strtol(at, &at, 10));
    record.fraction = std::strtod(at, &at);
    if (groups.empty() || std::bit_cast<std::uint32_t>(groups.back().alpha) != alpha) groups.push_back({std::bit_cast<float>(alpha), {}});
    groups.back().records.push_back(record);
  }
  std::fclose(file);
  return groups;
}

}  // namespace actinide::test
