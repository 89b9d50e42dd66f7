// The command-line program. Exit codes: 0 success, 1 a case of `verify` failed, 2 bad input, told in one line on standard error.
#include <actinide/actinide.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "commands.h"
#include "error.h"
#include "operator_table.h"
#include "text.h"

namespace {

using namespace actinide::tools;

constexpr int bad_input = 2;

int report(std::string line) {
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  fmt::print(stderr, "actinide: {}\n", line);
  return bad_input;
}

/// CLI11's errors in plain words, where its own are not. `attributes`: the options that take a number.
std::string sentence(const CLI::ParseError& error, const CLI::App& app, const std::map<std::string, CLI::Option*>& attributes) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> rest = app.remaining(true);
    if (rest.empty()) return error.what();
    if (app.get_subcommands().empty() && !rest.front().starts_with('-')) {
      return fmt::format("there is no command '{}': list, run or verify; see --help", rest.front());
    }
    return fmt::format("unexpected argument{} '{}'; see --help", rest.size() == 1 ? "" : "s", fmt::join(rest, "' '"));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string text = error.what();
    for (const auto& [name, option] : attributes) {
      if (text.starts_with("--" + name + ":"))
        return fmt::format("--{} {}", name, option->count() > 1 ? "is given more than once" : "needs a number");
    }
  }
  return error.what();
}

int run_program(int argc, char** argv) {
  CLI::App app("Neural-network activations compiled ahead of time with Halide.", "actinide");
  app.set_version_flag("--version", std::string("actinide ") + actinide_version());
  app.require_subcommand(0, 1);  // that there is one is checked below: CLI11 would not tell a misspelt one from none
  app.footer(
      "The best instruction set of the machine is used. ACTINIDE_FORCE_TARGET=NAME in the\n"
      "environment chooses another, ACTINIDE_MAX_TARGET=NAME an upper end.\n"
      "Exit codes: 0 success, 1 a case of verify failed, 2 bad input.");

  CLI::App* list_command = app.add_subcommand("list", "Show operators, element types, attributes and targets");

  CLI::App* run_command =
      app.add_subcommand("run", "Apply an operator to a NumPy file of float16, float32 or float64, and measure its speed");
  std::string operator_name, in, out;
  run_command->add_option("OPERATOR", operator_name, fmt::format("One of: {}", fmt::join(operator_names(), ", ")))->required();
  run_command->add_option("IN.npy", in, "Input")->required();
  run_command->add_option("OUT.npy", out, "Output, of the same type and shape; may be the input")->required();
  std::map<std::string, std::string> values;
  std::map<std::string, CLI::Option*> options;
  for (const Operator& op : operators()) {
    for (const Attribute& attribute : op.attributes) {
      const std::string name(attribute.name);
      CLI::Option*& option = options[name];
      if (option == nullptr) option = run_command->add_option("--" + name, values[name])->option_text("NUMBER");
      const std::string use = fmt::format("{} of {}, default {}", name, op.name, attribute.default_value);
      if (option->get_description().find(use) == std::string::npos) {
        option->description(option->get_description() + (option->get_description().empty() ? "" : "; ") + use);
      }
    }
  }
  run_command->footer("NUMBER: decimal, hexadecimal (0x1.8p-3), inf, nan; rounded to float32.");

  CLI::App* verify_command = app.add_subcommand("verify", "Run conformance cases and compare with the expected results");
  std::vector<std::string> folders;
  verify_command->add_option("DIR", folders, "A case, or a folder with cases below it")->required();
  verify_command->footer(
      "A case is a folder with x.npy, y.npy (the expected result; '<u2' for bf16) and\n"
      "case.txt, with the lines\n"
      "  operator: elu\n"
      "  type: f16 | bf16 | f32 | f64\n"
      "  alpha: 2.0              each attribute that is given\n"
      "  source: published | ours\n"
      "  origin: free text\n"
      "  max_ulp: 0              or rtol: 1e-6 and atol: 1e-7");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return report(sentence(error, app, options));
    std::ostringstream text;
    app.exit(error, text, text);
    print(text.str());
    return 0;
  }

  if (run_command->parsed()) {
    std::map<std::string, std::string> given;
    for (const auto& [name, option] : options) {
      if (option->count() != 0) given[name] = values[name];
    }
    return run(operator_name, given, in, out);
  }
  if (verify_command->parsed()) return verify(folders);
  if (list_command->parsed()) return list();
  return report("a command is needed: list, run or verify; see --help");
}

}  // namespace

int main(int argc, char** argv) {
  // A closed pipe and a file that grows too large are errors of writing, reported as others are.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    return report("not enough memory");
  } catch (const std::exception& error) {
    return report(error.what());
  }
}
