// actinide list: what is built in and what this machine makes of it.
#include <actinide/actinide.h>
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "operator_table.h"
#include "text.h"

namespace actinide::tools {

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operator& op : operators()) {
    if (std::find(names.begin(), names.end(), op.name) == names.end()) names.emplace_back(op.name);
  }
  return names;
}

int list() {
  std::vector<std::vector<std::string>> rows = {{"operator", "types", "attributes"}};
  for (const std::string& name : operator_names()) {
    std::string types, attributes;
    for (const Operator& op : operators()) {
      if (op.name != name) continue;
      types += fmt::format("{}{}", types.empty() ? "" : " ", op.type_name);
      attributes.clear();
      for (const Attribute& attribute : op.attributes) {
        attributes += fmt::format("{}{} = {}", attributes.empty() ? "" : ", ", attribute.name, attribute.default_value);
      }
    }
    rows.push_back({name, types, attributes});
  }
  std::string text = fmt::format("actinide {}\n\n{}\n", actinide_version(), table_text(rows, "lll"));

  // Before the targets are probed: that changes both.
  const std::string active = actinide_active_target(), reason = actinide_active_target_reason();
  rows = {{"target", "this machine", ""}};
  for (std::size_t i = 0; i < actinide_target_count(); ++i) {
    const char* name = actinide_target_name(i);
    const bool supported = actinide_force_target(name) == ACTINIDE_OK;
    rows.push_back({name, supported ? "supported" : "not supported", name == active ? "active" : ""});
  }
  (void)actinide_force_target(nullptr);
  text += table_text(rows, "lll");
  text += fmt::format("\nactive target: {} ({})\n", active, reason);
  print(text);
  return 0;
}

}  // namespace actinide::tools
