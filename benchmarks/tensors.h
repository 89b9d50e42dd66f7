// The memory that benchmarks work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "bits.h"

namespace actinide::benchmark {

/// x at a page and room for y at a page and an offset. x is spread over both sides of zero, down to where Elu saturates.
class Tensors {
 public:
  Tensors(tools::ElementType type, std::size_t n)
      : bytes_(n * element_size(type)), memory_(static_cast<std::byte*>(std::aligned_alloc(page, 2 * pages(bytes_) + page))) {
    if (memory_ == nullptr) std::abort();
    std::memset(memory_.get(), 0, 2 * pages(bytes_) + page);
    const std::size_t pattern = std::min<std::size_t>(n, 2000);
    for (std::size_t i = 0; i < pattern; ++i) {
      const double value = (static_cast<double>(i * 7919 % 2000) - 1000) * 0.004;
      tools::store_bits(type, memory_.get(), i, tools::nearest_bits(type, value));
    }
    for (std::size_t done = pattern * element_size(type); done < bytes_; done *= 2) {
      std::memcpy(memory_.get() + done, memory_.get(), std::min(done, bytes_ - done));
    }
  }

  /// Those of this process: made once, because it takes long for the largest.
  static Tensors& of(tools::ElementType type, std::size_t n) {
    static std::map<std::pair<tools::ElementType, std::size_t>, Tensors> all;
    return all.try_emplace({type, n}, type, n).first->second;
  }

  static std::size_t element_size(tools::ElementType type) { return static_cast<std::size_t>(tools::format_of(type).bits) / 8; }
  static std::size_t memory_of(tools::ElementType type, std::size_t n) { return 2 * n * element_size(type); }

  const void* x() const { return memory_.get(); }
  /// y - x is `placement` modulo 4096.
  void* y(std::size_t placement) const { return memory_.get() + pages(bytes_) + placement; }
  /// For a call in place.
  void* copy_of_x() const {
    std::memcpy(y(0), x(), bytes_);
    return y(0);
  }

 private:
  static constexpr std::size_t page = 4096;
  static std::size_t pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace actinide::benchmark
