// Conformance cases on disk: a folder with x.npy, y.npy (the expected result) and case.txt:
//
//   operator: elu
//   type: bf16                  f16, bf16, f32 or f64; bf16 is stored as 16-bit patterns, '<u2'
//   alpha: 0x1p+1               a line for each attribute that is given; others have their defaults
//   source: published           or "ours"
//   origin: where the values come from
//   max_ulp: 0                  either the largest ULP difference,
//   rtol: 1e-6                  or both of these: |y - expected| <= atol + rtol * |expected|
//   atol: 1e-7
//
// Empty lines and lines that begin with # are skipped. Needs the C++ library only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npy.h"
#include "operator_table.h"

namespace actinide::tools {

struct Tolerance {
  std::optional<std::uint64_t> max_ulp;  ///< if there is none, rtol and atol hold
  double rtol = 0, atol = 0;
};

struct Case {
  std::string name;  ///< the folder, relative to the one that was searched
  const Operator* op = nullptr;
  std::vector<float> attributes;
  std::string source, origin;
  Tolerance tolerance;
  NpyArray x, y;
};

/// An element that is out of tolerance.
struct Failure {
  std::size_t index;  ///< in the order of the file
  double x, y, expected;
};

struct CaseResult {
  std::string target;
  double max_absolute = 0;    ///< NaN where one side is NaN and the other is not
  std::uint64_t max_ulp = 0;  ///< 0 is bit for bit, apart from the payload of a NaN; -0 and +0 are 1 apart
  std::optional<Failure> first_failure;

  bool passed() const { return !first_failure; }
};

/// A float32 in the notation of strtof: decimal, hexadecimal, inf, nan. Throws Error if `text` is anything else or out of float32's range;
/// `what` is what the number is for.
float parse_float(const std::string& what, const std::string& text);

/// The cases in `folder`, or below it, sorted by name. Throws Error if there is none or one is malformed.
std::vector<Case> read_cases(const std::filesystem::path& folder);

/// Runs the case on the active target. Throws Error if the call returns anything but success.
CaseResult run_case(const Case& c);

/// Throws Error for a status other than success: operator, type and reason.
[[noreturn]] void throw_status(const Operator& op, actinide_status status);

}  // namespace actinide::tools
