// NumPy's file format, versions 1.0 to 3.0: one array of little-endian floats, or of 16-bit patterns. Needs the C++ library only.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "error.h"

namespace actinide::tools {

enum class NpyType { f16, u16, f32, f64 };  ///< '<f2', '<u2', '<f4', '<f8'

struct NpyHeader {
  NpyType type = NpyType::f32;
  bool fortran_order = false;
  std::vector<std::size_t> shape;  ///< empty for a single number

  std::size_t element_size() const;
  std::size_t element_count() const;
};

/// Memory at the beginning of a cache line, not initialised.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : data_(static_cast<std::byte*>(::operator new(size, alignment))), size_(size) {}

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Deleter {
    void operator()(std::byte* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<std::byte, Deleter> data_;
  std::size_t size_ = 0;
};

struct NpyArray {
  NpyHeader header;
  Buffer data;  ///< in the order of the file
};

/// Throws Error, whose text begins with the path, for anything but one well-formed array of these types that fills the file.
NpyArray read_npy(const std::filesystem::path& path);

/// What stands in a file before the data.
std::string npy_preamble(const NpyHeader& header);

/// What to say of an element type that operators do not have.
std::string unsupported_type(std::string_view descr);

/// As Python writes it: "()", "(5,)", "(2, 3)".
std::string shape_text(const std::vector<std::size_t>& shape);

}  // namespace actinide::tools
