#include "case_folder.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "bits.h"

namespace actinide::tools {

namespace {

namespace fs = std::filesystem;

using Lines = std::map<std::string, std::string>;

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

Lines read_lines(const fs::path& path) {
  if (fs::exists(path) && !fs::is_regular_file(path)) throw Error(path.string() + ": not a regular file");
  std::ifstream file(path);
  if (!file) throw Error(path.string() + ": " + std::strerror(errno));
  Lines lines;
  std::string line;
  while (std::getline(file, line)) {
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) throw Error(path.string() + ": '" + line + "' is not a line of the form 'key: value'");
    const std::string key = trimmed(line.substr(0, colon));
    if (!lines.emplace(key, trimmed(line.substr(colon + 1))).second) throw Error(path.string() + ": '" + key + "' stands there twice");
  }
  if (file.bad()) throw Error(path.string() + ": cannot be read");
  return lines;
}

/// Takes the lines that are known; what is left at the end is an error.
class LineReader {
 public:
  explicit LineReader(const fs::path& path) : path_(path), lines_(read_lines(path)) {}

  std::optional<std::string> take(const std::string& key) {
    const auto node = lines_.extract(key);
    if (node.empty()) return std::nullopt;
    return node.mapped();
  }
  std::string require(const std::string& key) {
    std::optional<std::string> value = take(key);
    if (!value) throw Error(path_.string() + ": there is no '" + key + "'");
    return *value;
  }
  void finish() const {
    if (!lines_.empty()) throw error("unknown key", lines_.begin()->first);
  }
  Error error(const std::string& what, const std::string& text) const { return Error(path_.string() + ": " + what + " '" + text + "'"); }

 private:
  fs::path path_;
  Lines lines_;
};

double parse_tolerance(const LineReader& reader, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value < 0) throw reader.error("bad tolerance", text);
  return value;
}

Tolerance read_tolerance(LineReader& reader) {
  Tolerance tolerance;
  if (const auto text = reader.take("max_ulp")) {
    std::uint64_t value = 0;
    const char* last = text->data() + text->size();
    const auto [end, error] = std::from_chars(text->data(), last, value);
    if (error != std::errc() || end != last) throw reader.error("bad tolerance", *text);
    tolerance.max_ulp = value;
  } else {
    tolerance.rtol = parse_tolerance(reader, reader.require("rtol"));
    tolerance.atol = parse_tolerance(reader, reader.require("atol"));
  }
  return tolerance;
}

NpyType storage_of(ElementType type) {
  switch (type) {
    case ElementType::f16: return NpyType::f16;
    case ElementType::bf16: return NpyType::u16;
    case ElementType::f32: return NpyType::f32;
    case ElementType::f64: break;
  }
  return NpyType::f64;
}

Case read_case(const fs::path& folder, std::string name) {
  LineReader reader(folder / "case.txt");
  Case c;
  c.name = std::move(name);
  const std::string op = reader.require("operator"), type = reader.require("type");
  c.op = find_operator(op, type);
  if (c.op == nullptr) throw reader.error("there is no operator of this type:", op + " " + type);
  for (const Attribute& attribute : c.op->attributes) {
    float value = attribute.default_value;
    if (const auto text = reader.take(std::string(attribute.name))) {
      value = parse_float((folder / "case.txt").string() + ": " + std::string(attribute.name), *text);
    }
    c.attributes.push_back(value);
  }
  c.source = reader.require("source");
  if (c.source != "published" && c.source != "ours") throw reader.error("the source is 'published' or 'ours', not", c.source);
  c.origin = reader.require("origin");
  c.tolerance = read_tolerance(reader);
  reader.finish();

  c.x = read_npy(folder / "x.npy");
  c.y = read_npy(folder / "y.npy");
  if (c.x.header.type != storage_of(c.op->type)) throw Error((folder / "x.npy").string() + ": the elements are not " + type);
  if (c.y.header.type != storage_of(c.op->type)) throw Error((folder / "y.npy").string() + ": the elements are not " + type);
  if (c.x.header.shape != c.y.header.shape || c.x.header.fortran_order != c.y.header.fortran_order) {
    throw Error(folder.string() + ": x.npy and y.npy differ in shape or order");
  }
  return c;
}

struct Element {
  double value;
  std::int64_t rank;  ///< neighbours in the order of the numbers are 1 apart; -0 comes before +0
};

Element element_at(ElementType type, const std::byte* data, std::size_t i) {
  const std::uint64_t bits = load_bits(type, data, i);
  const auto magnitude = static_cast<std::int64_t>(bits & ~sign_bit(type));
  return {value_of(type, bits), bits & sign_bit(type) ? -1 - magnitude : magnitude};
}

std::uint64_t distance(std::int64_t a, std::int64_t b) {
  return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
               : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

}  // namespace

float parse_float(const std::string& what, const std::string& text) {
  const Error no_number(what + ": '" + text + "' is not a number");
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front()))) throw no_number;
  char* end = nullptr;
  errno = 0;
  const float value = std::strtof(text.c_str(), &end);
  if (end != text.c_str() + text.size()) throw no_number;
  if (errno == ERANGE && (value == 0 || std::isinf(value))) throw Error(what + ": '" + text + "' is out of float32's range");
  return value;
}

std::vector<Case> read_cases(const fs::path& folder) {
  std::vector<Case> cases;
  try {
    if (folder.empty()) throw Error("'': No such file or directory");
    if (!fs::exists(folder)) throw Error(folder.string() + ": No such file or directory");
    if (!fs::is_directory(folder)) throw Error(folder.string() + ": not a directory");
    const auto is_case = [](const fs::path& path) { return fs::symlink_status(path / "case.txt").type() != fs::file_type::not_found; };
    if (is_case(folder)) {
      const fs::path absolute = fs::weakly_canonical(folder);
      cases.push_back(read_case(folder, absolute.filename().string()));
    } else {
      std::vector<fs::path> found;
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_directory() && is_case(entry.path())) found.push_back(entry.path());
      }
      std::sort(found.begin(), found.end());
      for (const fs::path& path : found) cases.push_back(read_case(path, path.lexically_relative(folder).string()));
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(error.path1().string() + ": " + error.code().message());
  }
  if (cases.empty()) throw Error(folder.string() + ": no case in it: no folder with a case.txt");
  return cases;
}

CaseResult run_case(const Case& c) {
  const std::size_t n = c.x.header.element_count();
  Buffer y(c.x.data.size());
  std::memset(y.data(), 0xff, y.size());  // NaN in every type: what is not written shows
  const actinide_status status = c.op->call(c.x.data.data(), y.data(), n, c.attributes.data());
  if (status != ACTINIDE_OK) throw_status(*c.op, status);

  CaseResult result;
  result.target = actinide_active_target();
  for (std::size_t i = 0; i < n; ++i) {
    const Element got = element_at(c.op->type, y.data(), i);
    const Element expected = element_at(c.op->type, c.y.data.data(), i);
    if (std::isnan(got.value) && std::isnan(expected.value)) continue;
    const double absolute = got.value == expected.value ? 0 : std::abs(got.value - expected.value);
    const std::uint64_t ulp = distance(got.rank, expected.rank);
    if (std::isnan(absolute) || absolute > result.max_absolute) result.max_absolute = absolute;
    result.max_ulp = std::max(result.max_ulp, ulp);
    const bool close = c.tolerance.max_ulp ? ulp <= *c.tolerance.max_ulp && !std::isnan(absolute)
                                           : absolute == 0 || (std::isfinite(absolute) &&
                                                               absolute <= c.tolerance.atol + c.tolerance.rtol * std::abs(expected.value));
    if (!close && !result.first_failure) {
      result.first_failure = Failure{i, element_at(c.op->type, c.x.data.data(), i).value, got.value, expected.value};
    }
  }
  return result;
}

void throw_status(const Operator& op, actinide_status status) {
  const std::string name = std::string(op.name) + " " + std::string(op.type_name);
  if (status == ACTINIDE_UNSUPPORTED) throw Error(name + ": no usable target: " + actinide_active_target_reason());
  throw Error(name + ": " + actinide_status_string(status));
}

}  // namespace actinide::tools
