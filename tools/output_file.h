// A file that appears whole or not at all.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace actinide::tools {

/// Writes to a temporary file in the directory of `path` and renames it; what `path` held stays as it is until then. All throw Error.
class OutputFile {
 public:
  /// Finds out early whether `path` can be written.
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  ///< removes the temporary file unless commit() has succeeded

  void write(const void* data, std::size_t size);
  /// Everything is written; only the renaming is left.
  void close();
  void commit();

 private:
  [[noreturn]] void fail() const;  ///< with the text of errno

  std::filesystem::path given_, final_;
  std::string temporary_;
  int file_ = -1;
};

}  // namespace actinide::tools
