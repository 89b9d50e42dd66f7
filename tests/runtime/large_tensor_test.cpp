// More elements than Halide's 32-bit dimensions count, and for two bytes more than 32 bits do. A few megabytes stand for all of a tensor:
// the same file is mapped again and again, and only the places where a piece may begin or end have memory of their own.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

#include "check.h"
#include "target_test.h"

namespace actinide::test {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;
constexpr std::size_t window = 65536;  // elements

constexpr std::size_t piece = std::size_t{1} << 30;  // elements
constexpr bool is_64_bit = sizeof(std::size_t) == 8;

/// 8 GiB and a window: 2^31 elements and more of four bytes, 2^32 and more of two. 32-bit address spaces have room for a little more than
/// one piece of two bytes, used in place.
std::size_t elements(std::size_t element_size) { return is_64_bit ? piece / element_size * 8 + window : piece + window; }

/// What a call may take of the processor. Emulators need minutes for operators with arithmetic.
double longest_seconds() { return std::getenv("ACTINIDE_TEST_EMULATOR") != nullptr ? 5 : 60; }

struct Window {
  std::size_t first, count;
};

/// The beginning, around every multiple of 2^30, and the end, which follows the last multiple.
std::vector<Window> windows(std::size_t n) {
  std::vector<Window> all = {{0, window}};
  for (std::size_t middle = piece; middle < n; middle += piece) all.push_back({middle - window / 2, window});
  all.back().count = n - all.back().first;
  return all;
}

/// A tensor between two guard pages.
class LargeTensor {
 public:
  LargeTensor(std::size_t n, std::size_t element_size) : size_(n * element_size), page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    const int file = memfd_create("actinide-large-tensor", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, block_bytes) != 0) return;
    void* reserved = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved != MAP_FAILED) {
      base_ = static_cast<std::byte*>(reserved);
      complete_ = true;
      for (std::size_t at = 0; at < size_; at += block_bytes)
        complete_ = complete_ && map(at, std::min(block_bytes, size_ - at), MAP_SHARED | MAP_POPULATE, file);
      for (const Window& w : windows(n)) {
        complete_ = complete_ && map(w.first * element_size, w.count * element_size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
      }
    }
    close(file);
  }
  ~LargeTensor() {
    if (base_ != nullptr) munmap(base_, size_ + 2 * page_);
  }
  LargeTensor(const LargeTensor&) = delete;
  LargeTensor& operator=(const LargeTensor&) = delete;

  bool is_complete() const { return complete_; }
  std::byte* data() const { return base_ + page_; }
  /// A mapping of the whole block, clear of the windows.
  std::byte* block() const { return data() + block_bytes * 3; }

 private:
  bool map(std::size_t at, std::size_t size, int flags, int file) {
    return mmap(data() + at, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, 0) != MAP_FAILED;
  }

  std::size_t size_, page_;
  std::byte* base_ = nullptr;
  bool complete_ = false;
};

class LargeTensors : public testing::TestWithParam<const Operator*> {};

TEST_P(LargeTensors, EveryPiece) {
  if (std::string_view(ACTINIDE_SANITIZER).find("thread") != std::string_view::npos) {
    GTEST_SKIP() << "ThreadSanitizer's shadow memory would be several times the tensors' size";
  }
  const Operator& op = *GetParam();
  if (!is_64_bit && op.element_size > 2)
    GTEST_SKIP() << "more than 2^30 elements of " << op.element_size << " bytes exceed 32-bit addresses";
  const std::size_t n = elements(op.element_size);
  const std::vector<float> attributes(op.attributes.size(), 0.75f);

  const std::vector<std::byte> block = some_inputs(op, block_bytes / op.element_size);
  std::vector<std::byte> right(block_bytes);
  double seconds = 0;
  for (int i = 0; i < 2; ++i) {  // the first time memory is new, and an emulator translates
    const std::clock_t start = std::clock();
    ASSERT_EQ(op.call(block.data(), right.data(), block_bytes / op.element_size, attributes.data()), ACTINIDE_OK);
    seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * static_cast<double>(n * op.element_size / block_bytes);
  }
  if (seconds > longest_seconds()) GTEST_SKIP() << n << " elements would take " << seconds << " s of processor time on this machine";

  const LargeTensor x(n, op.element_size);
  std::optional<LargeTensor> separate;
  if (is_64_bit) separate.emplace(n, op.element_size);
  if (!x.is_complete() || (separate && !separate->is_complete()))
    GTEST_SKIP() << "cannot map tensors of " << n * op.element_size << " bytes: " << std::strerror(errno);
  std::byte* const y = separate ? separate->data() : x.data();

  std::memcpy(x.block(), block.data(), block_bytes);
  std::vector<std::vector<std::byte>> inputs;
  const std::vector<Window> places = windows(n);
  for (const Window& w : places) {
    std::vector<std::byte> input = some_inputs(op, w.count);
    // Each window is unlike the block and the other windows.
    std::rotate(input.begin(), input.begin() + static_cast<std::ptrdiff_t>((inputs.size() * 7 + 5) * op.element_size), input.end());
    std::memcpy(x.data() + w.first * op.element_size, input.data(), input.size());
    inputs.push_back(std::move(input));
  }

  ASSERT_EQ(op.call(x.data(), y, n, attributes.data()), ACTINIDE_OK);

  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::byte* from = y + places[i].first * op.element_size;
    EXPECT_TRUE(is_right(op, inputs[i], {from, from + inputs[i].size()}, 0.75f)) << "from element " << places[i].first;
  }
  // In place, the block that stands for many has been through all of them.
  if (separate) {
    EXPECT_EQ(std::memcmp(separate->block(), right.data(), block_bytes), 0);
  }
}

std::vector<const Operator*> rows() {
  std::vector<const Operator*> all;
  for (const Operator& op : tools::operators()) {
    if (op.element_size <= 4) all.push_back(&op);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(, LargeTensors, testing::ValuesIn(rows()),
                         [](const auto& info) { return std::string(info.param->name) + "_" + std::string(info.param->type_name); });

}  // namespace
}  // namespace actinide::test
