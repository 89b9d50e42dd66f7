// actinide verify: conformance cases on the active target, as a table.
#include <fmt/format.h>

#include <cmath>

#include "case_folder.h"
#include "commands.h"
#include "text.h"

namespace actinide::tools {

int verify(const std::vector<std::string>& folders) {
  std::vector<Case> cases;
  for (const std::string& folder : folders) {
    for (Case& c : read_cases(folder)) cases.push_back(std::move(c));
  }

  std::vector<std::vector<std::string>> rows = {{"case", "source", "operator", "type", "shape", "target", "max abs", "max ULP", "result"}};
  std::string failures;
  std::size_t failed = 0;
  for (const Case& c : cases) {
    const CaseResult result = run_case(c);
    const bool comparable = !std::isnan(result.max_absolute);
    rows.push_back({c.name, c.source, std::string(c.op->name), std::string(c.op->type_name), shape_text(c.x.header.shape), result.target,
                    fmt::format("{:.3g}", result.max_absolute), comparable ? fmt::format("{}", result.max_ulp) : "nan",
                    result.passed() ? "pass" : "FAIL"});
    if (const auto& failure = result.first_failure) {
      ++failed;
      failures += fmt::format("FAIL {}: element {}: x = {:.9g}, y = {:.9g}, expected {:.9g}\n", c.name, failure->index, failure->x,
                              failure->y, failure->expected);
    }
  }

  std::string text = table_text(rows, "llllllrrl") + "\n" + failures + (failed == 0 ? "" : "\n");
  text += fmt::format("{} cases: {} passed, {} failed\n", cases.size(), cases.size() - failed, failed);
  print(text);
  return failed == 0 ? 0 : 1;
}

}  // namespace actinide::tools
