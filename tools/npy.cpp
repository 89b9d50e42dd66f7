#include "npy.h"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

namespace actinide::tools {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct TypeRow {
  NpyType type;
  std::string_view descr;
  std::size_t size;
};
constexpr TypeRow types[] = {{NpyType::f16, "<f2", 2}, {NpyType::u16, "<u2", 2}, {NpyType::f32, "<f4", 4}, {NpyType::f64, "<f8", 8}};

const TypeRow& row_of(NpyType type) {
  for (const TypeRow& row : types) {
    if (row.type == type) return row;
  }
  throw std::logic_error("NpyType");
}

/// Reads the header's text: a Python dictionary of a string, a truth value and a tuple of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !has_descr) {
        header.type = type();
        has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        header.fortran_order = truth();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = shape();
        has_shape = true;
      } else {
        throw Error("malformed .npy header: unexpected key");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) throw malformed();
    if (!has_descr || !has_order || !has_shape) throw Error("malformed .npy header: it needs descr, fortran_order and shape");
    return header;
  }

 private:
  static Error malformed() { return Error("malformed .npy header"); }

  void skip_space() {
    const std::size_t end = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
  }
  bool accept(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw malformed();
  }
  bool accept(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string_view string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) throw malformed();
    const std::string_view result = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return result;
  }

  NpyType type() {
    skip_space();
    if (rest_.starts_with('[') || rest_.starts_with('(')) throw Error("structured elements are not supported");
    const std::string_view descr = string();
    for (const TypeRow& row : types) {
      if (descr == row.descr) return row.type;
    }
    if (descr.starts_with('>')) throw Error("big-endian elements ('" + std::string(descr) + "') are not supported");
    throw Error(unsupported_type(descr));
  }

  bool truth() {
    if (accept("True")) return true;
    if (accept("False")) return false;
    throw malformed();
  }

  std::vector<std::size_t> shape() {
    std::vector<std::size_t> extents;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::size_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error == std::errc::result_out_of_range) throw Error("absurd shape: an extent does not fit into 64 bits");
      if (error != std::errc()) throw Error("malformed .npy header: the shape is not a tuple of non-negative integers");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // Python 2 wrote long integers like this
      extents.push_back(extent);
      if (!accept(',')) {
        expect(')');
        if (extents.size() == 1) throw Error("malformed .npy header: the shape is not a tuple of non-negative integers");  // "(5)"
        break;
      }
    }
    return extents;
  }

  std::string_view rest_;
};

/// Empty if the product does not fit.
std::optional<std::size_t> checked_size(const NpyHeader& header) {
  std::size_t size = header.element_size();
  for (const std::size_t extent : header.shape) {
    if (extent == 0) return 0;
  }
  for (const std::size_t extent : header.shape) {
    if (__builtin_mul_overflow(size, extent, &size)) return std::nullopt;
  }
  return size;
}

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// A regular file and how much of it is still to be read.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (std::filesystem::is_directory(status)) throw Error("is a directory");
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) throw Error("not a regular file");
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) throw Error(std::strerror(errno));
    rest_ = std::filesystem::file_size(path);
  }

  std::uintmax_t rest() const { return rest_; }

  bool read(void* to, std::size_t size) {
    if (size > rest_) return false;
    rest_ -= size;
    return std::fread(to, 1, size, file_.get()) == size;
  }

 private:
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::uintmax_t rest_ = 0;
};

NpyArray read(const std::filesystem::path& path) {
  InputFile file(path);
  char start[8];
  if (!file.read(start, magic.size()) || std::string_view(start, magic.size()) != magic) throw Error("not an .npy file");
  if (!file.read(start, 2)) throw Error("truncated .npy header");
  const int major = static_cast<unsigned char>(start[0]), minor = static_cast<unsigned char>(start[1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(".npy version " + std::to_string(major) + "." + std::to_string(minor) +
                " is not supported; supported are 1.0, 2.0 and 3.0");
  }
  const std::size_t length_size = major == 1 ? 2 : 4;
  unsigned char length_bytes[4] = {};
  if (!file.read(length_bytes, length_size)) throw Error("truncated .npy header");
  std::size_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | length_bytes[i];
  // The file's size bounds what is allocated, whatever the header says.
  if (length > file.rest()) throw Error("truncated .npy header");
  std::string text(length, '\0');
  if (!file.read(text.data(), length)) throw Error("truncated .npy header");

  NpyArray array;
  array.header = HeaderParser(text).parse();
  const std::optional<std::size_t> size = checked_size(array.header);
  if (!size) throw Error("absurd shape: " + shape_text(array.header.shape) + " does not fit into the address space");
  if (*size > file.rest()) {
    throw Error("truncated data: shape " + shape_text(array.header.shape) + " needs " + std::to_string(*size) + " bytes, the file has " +
                std::to_string(file.rest()));
  }
  if (*size < file.rest()) throw Error("trailing bytes: " + std::to_string(file.rest() - *size) + " after the data");
  array.data = Buffer(*size);
  if (!file.read(array.data.data(), *size)) throw Error("truncated data");
  return array;
}

}  // namespace

std::size_t NpyHeader::element_size() const { return row_of(type).size; }

std::size_t NpyHeader::element_count() const {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

NpyArray read_npy(const std::filesystem::path& path) {
  try {
    return read(path);
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(path.string() + ": " + error.code().message());
  }
}

std::string npy_preamble(const NpyHeader& header) {
  std::string text = "{'descr': '" + std::string(row_of(header.type).descr) +
                     "', 'fortran_order': " + (header.fortran_order ? "True" : "False") + ", 'shape': " + shape_text(header.shape) + ", }";
  // Data begins at a multiple of 64 bytes. A length beyond 16 bits takes version 2.0.
  constexpr std::size_t alignment = 64;
  std::size_t length_size = 2;
  const auto padded = [&] {
    const std::size_t before = magic.size() + 2 + length_size;
    return (before + text.size() + 1 + alignment - 1) / alignment * alignment - before;
  };
  if (padded() > 0xffff) length_size = 4;
  const std::size_t length = padded();
  text.resize(length - 1, ' ');
  text += '\n';

  std::string preamble(magic);
  preamble += length_size == 2 ? '\1' : '\2';
  preamble += '\0';
  for (std::size_t i = 0; i < length_size; ++i) preamble += static_cast<char>(length >> (8 * i) & 0xff);
  return preamble + text;
}

std::string unsupported_type(std::string_view descr) {
  return "element type '" + std::string(descr) + "' is not supported; supported are float16, float32 and float64 ('<f2', '<f4', '<f8')";
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace actinide::tools
