// actinide run: one operator from .npy to .npy, and its speed beside that of a plain copy of the same memory.
#include <actinide/actinide.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>

#include "case_folder.h"
#include "commands.h"
#include "npy.h"
#include "operator_table.h"
#include "output_file.h"
#include "text.h"

namespace actinide::tools {

namespace {

const Operator& find(const std::string& operator_name, const NpyHeader& header, const std::string& in) {
  const std::vector<std::string> names = operator_names();
  if (std::find(names.begin(), names.end(), operator_name) == names.end()) {
    throw Error(fmt::format("there is no operator '{}'; operators: {}", operator_name, fmt::join(names, ", ")));
  }
  std::string_view type;
  switch (header.type) {
    case NpyType::f16: type = "f16"; break;
    case NpyType::f32: type = "f32"; break;
    case NpyType::f64: type = "f64"; break;
    case NpyType::u16: throw Error(in + ": " + unsupported_type("<u2"));
  }
  const Operator* op = find_operator(operator_name, type);
  if (op == nullptr) throw Error(fmt::format("{}: operator {} has no type {}", in, operator_name, type));
  return *op;
}

std::vector<float> attribute_values(const Operator& op, const std::map<std::string, std::string>& given) {
  std::vector<float> values;
  std::size_t used = 0;
  for (const Attribute& attribute : op.attributes) {
    const auto found = given.find(std::string(attribute.name));
    if (found == given.end()) {
      values.push_back(attribute.default_value);
      continue;
    }
    values.push_back(parse_float(fmt::format("--{}", attribute.name), found->second));
    ++used;
  }
  if (used != given.size()) {
    for (const auto& [name, text] : given) {
      const auto is_it = [&name = name](const Attribute& attribute) { return attribute.name == name; };
      if (std::none_of(op.attributes.begin(), op.attributes.end(), is_it))
        throw Error(fmt::format("{} has no attribute {}", op.name, name));
    }
  }
  return values;
}

/// With fewer elements the cost of a call counts most, and to compare with a copy tells nothing.
constexpr std::size_t least_compared = 4096;

using Seconds = std::chrono::duration<double>;

double time_calls(const std::function<void()>& call, std::size_t count) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    call();
    asm volatile("" ::: "memory");  // or the compiler may drop a copy that the next one repeats
  }
  return Seconds(std::chrono::steady_clock::now() - start).count() / static_cast<double>(count);
}

struct Times {
  double first, second;
};

/// Least time of one call of each, measured in turns so that both meet the same state of the machine.
Times fastest(const std::function<void()>& first, const std::function<void()>& second) {
  constexpr double sample = 1e-3, budget = 0.2;
  constexpr int least_samples = 5;
  (void)time_calls(first, 1);  // meets memory never touched
  const double warm = std::max({time_calls(first, 1), time_calls(second, 1), 1e-9});
  const auto count = static_cast<std::size_t>(std::max(1.0, sample / warm));
  Times best{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < least_samples || Seconds(std::chrono::steady_clock::now() - start).count() < budget; ++i) {
    best.first = std::min(best.first, time_calls(first, count));
    best.second = std::min(best.second, time_calls(second, count));
  }
  return best;
}

}  // namespace

int run(const std::string& operator_name, const std::map<std::string, std::string>& attributes, const std::string& in,
        const std::string& out) {
  if (in.empty()) throw Error("IN.npy: '' is no path");
  if (out.empty()) throw Error("OUT.npy: '' is no path");
  const NpyArray x = read_npy(in);
  const Operator& op = find(operator_name, x.header, in);
  const std::vector<float> values = attribute_values(op, attributes);
  OutputFile file(out);

  const std::size_t n = x.header.element_count();
  Buffer y(x.data.size());
  const auto call = [&] {
    const actinide_status status = op.call(x.data.data(), y.data(), n, values.data());
    if (status != ACTINIDE_OK) throw_status(op, status);
  };
  call();

  std::string settings;
  for (std::size_t i = 0; i < values.size(); ++i) settings += fmt::format(", {} = {}", op.attributes[i].name, values[i]);
  std::string text =
      fmt::format("{} {}{}, shape {}, target {}\n", op.name, op.type_name, settings, shape_text(x.header.shape), actinide_active_target());
  if (n == 0) {
    text += "no element, nothing to measure\n";
  } else {
    // The operator comes last, so its result is what stays in y.
    const Times times = fastest([&] { std::memcpy(y.data(), x.data.data(), y.size()); }, call);
    const auto row = [&](std::string_view what, double seconds) -> std::vector<std::string> {
      return {std::string(what), seconds_text(seconds), scaled_text(static_cast<double>(n) / seconds),
              fmt::format("{:.2f}", 2 * static_cast<double>(y.size()) / seconds * 1e-9)};
    };
    text += '\n';
    text +=
        table_text({{"", "time", "elements/s", "GB/s read+written"}, row(op.name, times.second), row("plain copy", times.first)}, "lrrr");
    if (n >= least_compared) {
      text += fmt::format(
          "\nA plain copy of the same memory is about the limit of any element-wise operation; {} reached {:.0f} % of its speed.\n",
          op.name, 100 * times.first / times.second);
    }
  }

  const std::string preamble = npy_preamble(x.header);
  file.write(preamble.data(), preamble.size());
  file.write(y.data(), y.size());
  file.close();
  // The summary comes before the renaming: if it cannot be printed, that is an error too, and those change no file.
  print(text + "output: " + out + "\n");
  file.commit();
  return 0;
}

}  // namespace actinide::tools
