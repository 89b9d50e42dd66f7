#include "output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "error.h"

namespace actinide::tools {

OutputFile::OutputFile(const std::filesystem::path& path) : given_(path), final_(path) {
  // Through a symbolic link, the file that it leads to is replaced, not the link.
  std::error_code error;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) {
    final_ = std::filesystem::canonical(path, error);
    if (error) throw Error(given_.string() + ": cannot write: " + error.message());
  }

  const mode_t mask = umask(0);
  umask(mask);
  mode_t mode = 0666 & ~mask;
  struct stat existing;
  if (stat(final_.c_str(), &existing) == 0) {
    if (S_ISDIR(existing.st_mode)) throw Error(given_.string() + ": is a directory");
    if (!S_ISREG(existing.st_mode)) throw Error(given_.string() + ": not a regular file");
    if (access(final_.c_str(), W_OK) != 0) fail();
    mode = existing.st_mode & 07777;
  } else if (errno != ENOENT) {
    fail();
  }

  temporary_ = (final_.parent_path() / ".actinide-XXXXXX").string();
  file_ = mkstemp(temporary_.data());
  if (file_ < 0) {
    temporary_.clear();
    fail();
  }
  if (fchmod(file_, mode) != 0) {
    const int saved = errno;
    ::close(file_);
    unlink(temporary_.c_str());
    errno = saved;
    fail();
  }
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size != 0) {
    const ssize_t written = ::write(file_, from, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail();
    }
    from += written;
    size -= static_cast<std::size_t>(written);
  }
}

void OutputFile::close() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail();
}

void OutputFile::commit() {
  if (std::rename(temporary_.c_str(), final_.c_str()) != 0) fail();
  temporary_.clear();
}

void OutputFile::fail() const { throw Error(given_.string() + ": cannot write: " + std::strerror(errno)); }

}  // namespace actinide::tools
