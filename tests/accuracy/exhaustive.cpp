// accuracy_exhaustive: every input there is against the exact value, on every target that the machine supports.
//
// f16 and bf16: every input with every attribute of the type. f32: every input with some attributes. f64: 2^30 inputs and the
// neighbourhoods of whatever is special. The references: for f32 and the 16-bit types float64 of an error below 2^-51 (2^-26 ULP of f32),
// for f64 pairs of float64 (2^-90); the worst of each line are computed again with pairs and, where it was there at build time, with MPFR.
// Errors are measured against the real value. Fails if something is beyond limits.def, or worse than the worst there that is claimed to be
// known.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mpfr_reference.h"
#include "sweep_arguments.h"

namespace actinide::test {
const char usage[] = R"(accuracy_exhaustive [OPTION VALUE]...
  --op NAME       this operator alone
  --type TYPE     this element type alone
  --target NAME   this target alone
  --alpha A       with this attribute, and others given so, instead of the usual ones
  --shards N      one input in N (of the 16-bit types one attribute in N): 32 makes 2^27 of float32
  --seed S        chooses which; without it, each run has others. It is printed
  --csv FILE      writes the largest error with attribute 1 by bins of x, 16 an octave, from -2^-30 to -20
  --spoil X=Y     takes the results for the bit pattern X for Y: the check must notice
In the environment ACTINIDE_TEST_THREADS is the number of threads, otherwise as many as there are cores. The exit status is 1 if anything is
wrong, 2 if the command is.
)";

namespace {

struct Arguments : SweepArguments {
  std::string_view op, type, target;
  std::vector<float> attributes;
};

Arguments read_arguments(int count, char** values) {
  Arguments arguments;
  arguments.sweep.seed = std::random_device{}();
  arguments.sweep.threads = setting("ACTINIDE_TEST_THREADS", std::max(std::thread::hardware_concurrency(), 1u));
  for (int i = 1; i < count; i += 2) {
    const std::string_view option = values[i];
    if (i + 1 == count) refuse("no value for " + std::string(option));
    const char* value = values[i + 1];
    if (option == "--op") {
      arguments.op = value;
    } else if (option == "--type") {
      arguments.type = value;
    } else if (option == "--target") {
      arguments.target = value;
    } else if (option == "--alpha") {
      char* rest = nullptr;
      arguments.attributes.push_back(std::strtof(value, &rest));
      if (rest == value || *rest != '\0') refuse("not a number: " + std::string(value));
    } else if (option == "--spoil") {
      const char* second = std::strchr(value, '=');
      if (second == nullptr) refuse("--spoil wants X=Y");
      arguments.sweep.spoiled = {number(value, '='), number(second + 1)};
    } else if (!arguments.read(option, value)) {
      refuse("no such option: " + std::string(option));
    }
  }
  return arguments;
}

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr float thresholds[] = {1.0f, 0.1f, -1.0f, 3.3f, 0.0f, -0.0f, inf, -inf, nan, 1e-40f, -1e-40f};

bool is_power_of_two(double value) { return std::isfinite(value) && value != 0 && std::fabs(value) == std::ldexp(1.0, std::ilogb(value)); }

/// Every attribute of a 16-bit type, or 1, the powers of two, and of the others one in `shards`, but 200 at least.
std::vector<float> attributes_of_16_bits(ElementType type, bool is_rounded, const SweepOptions& options) {
  std::vector<float> attributes = {1.0f}, others;
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
    const double value = value_of(type, bits);
    if ((is_rounded && std::isnan(value)) || value == 1) continue;
    (is_power_of_two(value) ? attributes : others).push_back(static_cast<float>(value));
  }
  std::mt19937_64 random(options.seed);
  const std::size_t stride = std::clamp<std::size_t>(options.shards, 1, others.size() / 200);
  for (std::size_t i = random() % stride; i < others.size(); i += stride) attributes.push_back(others[i]);
  return attributes;
}

/// The alphas of one operator for one type.
std::vector<float> attributes_for(const Operator& op, const ReferenceRow& reference, const Arguments& arguments) {
  const bool is_rounded = reference.form == Form::scaled_expm1;
  if (op.attributes.empty()) return {1.0f};
  if (!arguments.attributes.empty()) {
    for (const float a : arguments.attributes) {
      if (is_rounded && std::isnan(a)) refuse("NaN is in tests/special");
    }
    return arguments.attributes;
  }
  if (format_of(op.type).bits == 16 && reference.form != Form::other) return attributes_of_16_bits(op.type, is_rounded, arguments.sweep);
  if (reference.form == Form::threshold) return {std::begin(thresholds), std::end(thresholds)};
  return {std::begin(usual_attributes), std::end(usual_attributes)};
}

/// A line of the table: one attribute, or a class of them on a 16-bit type.
struct Row {
  std::string label;
  std::size_t attributes = 0;
  Tally sum;
  Seen worst;
  float worst_attribute = 1;
};

std::string label_of(const Operator& op, float attribute, bool by_classes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", attribute);
  if (!by_classes || attribute == 1.0f) return text;
  return is_power_of_two(rounded_attribute(op.type, attribute)) ? "+-2^k" : "others";
}

std::string exact_text(const Operator& op, const ReferenceRow& reference, std::uint64_t x, double attribute) {
  if (mpfr_knows(op.name)) return MpfrElu(value_of(op.type, x), attribute).text();
  const Reference right = reference.precise(op.type, x, attribute);
  char text[64];
  std::snprintf(text, sizeof text, "%.17g%+.4fu", right.value, right.rest);
  return text;
}

const char head[] =
    "operator         type target    alpha        count        inputs  worst ULP  at x (bits)         returned (bits)    "
    " exact                      subnormal       breaks  wrong roundings (of normal results)\n";

void print(const Operator& op, const ReferenceRow& reference, const std::string& target, const Row& row) {
  std::printf("%-16s %-4s %-9s %-11s %6zu %13" PRIu64, std::string(op.name).c_str(), std::string(op.type_name).c_str(), target.c_str(),
              row.label.c_str(), row.attributes, row.sum.inputs);
  if (row.sum.rounded == 0) {
    std::printf("  exact\n");
    return;
  }
  std::printf("  %.6f  %-19a 0x%-16" PRIx64 " %-27s %9.6f %12" PRIu64 " %6" PRIu64 " (%" PRIu64 ")", row.worst.error,
              value_of(op.type, row.worst.x), row.worst.y,
              exact_text(op, reference, row.worst.x, rounded_attribute(op.type, row.worst_attribute)).c_str(),
              row.sum.worst_subnormal.error, row.sum.breaks.count, row.sum.wrong_roundings.count, row.sum.wrong_normal_roundings.count);
  if (row.attributes > 1) std::printf("  worst at alpha %.9g", row.worst_attribute);
  const auto places = [&](const Count& count, const char* what) {
    if (count.count > 0) std::printf("; %s at 0x%" PRIx64, what, count.first.x);
  };
  places(row.sum.breaks, "break");
  places(row.sum.wrong_roundings, "wrong rounding");
  std::printf("\n");
}

class Exhaustive {
 public:
  explicit Exhaustive(const Arguments& arguments) : arguments_(arguments), csv_(arguments.open_csv()) {}

  /// Is everything right?
  bool run() {
    for (const std::string& target : built_targets()) {
      if (!arguments_.target.empty() && target != arguments_.target) continue;
      if (use_target(target.c_str())) {
        targets_.push_back(target);
      } else {
        std::printf("skipped: this machine does not support %s\n", target.c_str());
      }
    }
    if (targets_.empty()) refuse("no target to run on");
    std::printf("seed %" PRIu64 ", 1 of %" PRIu64 " shards, %zu threads, %s\n%s", arguments_.sweep.seed, arguments_.sweep.shards,
                arguments_.sweep.threads, MpfrElu::is_available ? "the worst by MPFR" : "without MPFR: the worst by pairs of doubles",
                head);
    for (const Operator& op : tools::operators()) {
      if ((arguments_.op.empty() || op.name == arguments_.op) && (arguments_.type.empty() || op.type_name == arguments_.type)) run(op);
    }
    (void)use_target(nullptr);
    if (functions_ == 0) refuse("no such operator and type");
    for (const std::string& complaint : complaints_) std::printf("WRONG: %s\n", complaint.c_str());
    if (MpfrElu::is_available) std::printf("pairs of doubles and MPFR differ by at most %.3g ULP\n", disagreement_);
    if (disagreement_ > 0x1p-30) complaints_.emplace_back("the references disagree");
    if (!arguments_.csv.empty() && !csv_.flush()) complaints_.emplace_back("the CSV file could not be written");
    std::printf("%s\n", complaints_.empty() ? "all within limits.def" : "FAILED");
    return complaints_.empty();
  }

 private:
  void run(const Operator& op) {
    ++functions_;
    const ReferenceRow* reference = find_reference(op.name);
    if (reference == nullptr) {
      complaints_.push_back("references.h has no row for " + std::string(op.name));
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    const std::vector<float> attributes = attributes_for(op, *reference, arguments_);
    const bool by_classes = attributes.size() > 100;
    SweepOptions options = arguments_.sweep;
    options.bins = !arguments_.csv.empty();
    options.keep = op.type == ElementType::f64 ? 10000 : op.type == ElementType::f32 ? 1000 : 4;
    if (targets_.size() == 1) (void)use_target(targets_[0].c_str());
    std::vector<std::vector<Row>> rows(targets_.size());
    constexpr std::size_t together = 1024;  // attributes: what is known of each takes memory
    for (std::size_t begin = 0; begin < attributes.size(); begin += together) {
      const std::vector<float> some(attributes.begin() + static_cast<std::ptrdiff_t>(begin),
                                    attributes.begin() + static_cast<std::ptrdiff_t>(std::min(begin + together, attributes.size())));
      const std::vector<SweepLine> lines = Sweep(op, *reference, targets_, some, options).run();
      for (std::size_t i = 0; i < lines.size(); ++i) add(op, *reference, lines[i], by_classes, rows[i / some.size()]);
    }
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      for (const Row& row : rows[t]) print(op, *reference, targets_[t], row);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    std::printf("%s %s: %.1f s\n", std::string(op.name).c_str(), std::string(op.type_name).c_str(), elapsed.count());
    std::fflush(stdout);
  }

  void add(const Operator& op, const ReferenceRow& reference, const SweepLine& line, bool by_classes, std::vector<Row>& rows) {
    const ErrorFunction by_mpfr = [](ElementType type, std::uint64_t x, double attribute, std::uint64_t y) {
      return MpfrElu(value_of(type, x), attribute).ulp_error(type, y);
    };
    const Seen worst = worst_of(line, reference, mpfr_knows(op.name) ? by_mpfr : ErrorFunction(), &disagreement_);
    const std::string label = label_of(op, line.attribute, by_classes);
    for (const std::string& complaint : complaints(line, worst)) {
      char attribute[32];
      std::snprintf(attribute, sizeof attribute, "%.9g", line.attribute);
      complaints_.push_back(std::string(op.name) + " " + std::string(op.type_name) + " on " + line.parameter.target + ", alpha " +
                            attribute + ": " + complaint);
    }
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.label == label; });
    if (row == rows.end()) row = rows.insert(rows.end(), Row{label, 0, Tally(), {}, line.attribute});
    row->sum.add(line.tally);
    ++row->attributes;
    if (worst.error > row->worst.error) {
      row->worst = worst;
      row->worst_attribute = line.attribute;
    }
    if (csv_.is_open()) write_error_bins(csv_, line);
  }

  const Arguments& arguments_;
  std::ofstream csv_;
  std::vector<std::string> targets_, complaints_;
  std::size_t functions_ = 0;
  double disagreement_ = 0;
};

}  // namespace
}  // namespace actinide::test

int main(int count, char** values) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const actinide::test::Arguments arguments = actinide::test::read_arguments(count, values);
  return actinide::test::Exhaustive(arguments).run() ? 0 : 1;
}
