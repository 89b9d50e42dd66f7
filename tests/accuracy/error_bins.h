// The largest errors by x as a CSV file, which benchmarks/accuracy/plot.py reads.
#pragma once

#include <cstdio>
#include <ostream>
#include <string_view>

#include "sweep.h"

namespace actinide::test {

constexpr std::string_view error_bins_head = "op,type,target,alpha,x_near,x_far,ulp\n";

/// Bins from -2^-30 to -20.
inline void write_error_bins(std::ostream& csv, const SweepLine& line) {
  if (line.tally.bins.empty() || line.tally.rounded == 0) return;
  const Operator& op = *line.parameter.op;
  const std::size_t last = bin_of(op.type, nearest_bits(op.type, -20));
  for (std::size_t bin = bin_of(op.type, nearest_bits(op.type, -0x1p-30)); bin <= last; ++bin) {
    const auto edge = [&](std::size_t b) { return -value_of(op.type, static_cast<std::uint64_t>(b) << bin_shift(op.type)); };
    char text[128];
    std::snprintf(text, sizeof text, ",%g,%.9g,%.9g,%.6f\n", line.attribute, edge(bin), edge(bin + 1), line.tally.bins[bin]);
    csv << op.name << ',' << op.type_name << ",\"" << line.parameter.target << '"' << text;
  }
}

}  // namespace actinide::test
