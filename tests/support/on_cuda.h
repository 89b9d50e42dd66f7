// The functions behind tools/operator_table.h on a CUDA device, for tests that know only host memory: each call brings its tensors to where
// the device reads them, waits, and brings the result back.
//
// The tensors keep their addresses modulo 64 KiB, and with them their alignment and their distance. Small ones lie in host memory that the
// device reaches, which is fastest for many calls; large ones in device memory. Around each is a margin that must come back as it was.
#pragma once

#include <actinide/cuda.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda_driver.h"

#define ACTINIDE_FUNCTION_OF(operator_, type_) actinide::test::on_cuda<actinide_cuda_##operator_##_##type_>

// What the sources ask the library for by name.
#define actinide_active_target() "cuda"
#define actinide_active_target_reason() actinide_cuda_reason()

namespace actinide::test {

class Staging {
 public:
  /// One for each thread.
  static Staging& instance() {
    static thread_local Staging staging;
    return staging;
  }

  /// Calls function(x, y, stream) with addresses of the device's in place of `x` and `y`, which have `size` bytes each.
  template <typename Function>
  actinide_status run(const void* x, void* y, std::size_t size, Function function) {
    const auto from = reinterpret_cast<std::uintptr_t>(x), to = reinterpret_cast<std::uintptr_t>(y);
    const std::uintptr_t low = std::min(from, to), high = std::max(from, to);
    if (high - low < size) {  // in place, or an overlap, which stays what it is
      const Range both{low, high - low + size};
      Room& room = room_for(0, both);
      room.fill(*this, both, true);
      const actinide_status status = call(function, room.of(both) + (from - low), room.of(both) + (to - low));
      room.fetch(*this, both);
      return status;
    }
    const Range x_range{from, size}, y_range{to, size};
    Room& x_room = room_for(0, x_range);
    Room& y_room = room_for(1, y_range);
    x_room.fill(*this, x_range, true);
    y_room.fill(*this, y_range, false);
    const actinide_status status = call(function, x_room.of(x_range), y_room.of(y_range));
    if (status == ACTINIDE_OK) y_room.fetch(*this, y_range);
    x_room.check(*this, x_range);
    return status;
  }

 private:
  static constexpr std::size_t block = 65536;
  static constexpr std::size_t margin = 1024;
  static constexpr std::size_t small = 4 * block;
  static constexpr std::byte sentinel{0xa5};

  /// Of the caller's.
  struct Range {
    std::uintptr_t begin;
    std::size_t size;
    void* data() const { return reinterpret_cast<void*>(begin); }
  };

  /// Memory for one tensor: a block before it, up to one that its address asks for, the tensor, and a block after.
  struct Room {
    cuda::Address begin;  ///< a multiple of the block
    std::size_t capacity;
    bool is_host;

    cuda::Address of(const Range& range) const { return begin + block + range.begin % block; }

    /// The tensor or, if it is written only, something else; and the margins.
    void fill(Staging& staging, const Range& range, bool is_read) const {
      const cuda::Address at = of(range);
      if (is_host) {
        std::memset(host(at - margin), static_cast<int>(sentinel), margin);
        is_read ? std::memcpy(host(at), range.data(), range.size) : std::memset(host(at), static_cast<int>(sentinel), range.size);
        std::memset(host(at + range.size), static_cast<int>(sentinel), margin);
        return;
      }
      staging.driver_.cuMemsetD8Async(at - margin, static_cast<unsigned char>(sentinel), range.size + 2 * margin, staging.stream_);
      if (is_read) staging.driver_.cuMemcpyHtoDAsync(at, range.data(), range.size, staging.stream_);
    }

    void fetch(Staging& staging, const Range& range) const {
      is_host ? void(std::memcpy(range.data(), host(of(range)), range.size))
              : staging.driver_.cuMemcpyDtoH(range.data(), of(range), range.size);
      check_margins(staging, range);
    }

    /// A tensor that was only read is what it was, and so are its margins.
    void check(Staging& staging, const Range& range) const {
      std::vector<std::byte> copy;
      const std::byte* found = host(of(range));
      if (!is_host) {
        copy.resize(range.size);
        staging.driver_.cuMemcpyDtoH(copy.data(), of(range), range.size);
        found = copy.data();
      }
      if (std::memcmp(found, range.data(), range.size) != 0) ADD_FAILURE() << "x has been written to";
      check_margins(staging, range);
    }

   private:
    static std::byte* host(cuda::Address address) { return reinterpret_cast<std::byte*>(address); }

    void check_margins(Staging& staging, const Range& range) const {
      for (const cuda::Address at : {of(range) - margin, of(range) + range.size}) {
        std::array<std::byte, margin> copy;
        const std::byte* found = host(at);
        if (!is_host) {
          staging.driver_.cuMemcpyDtoH(copy.data(), at, margin);
          found = copy.data();
        }
        if (std::memcmp(found, staging.sentinels_.data(), margin) != 0) ADD_FAILURE() << "something outside the tensor has been written to";
      }
    }
  };

  Staging() {
    sentinels_.fill(sentinel);
    cuda::Address next = reinterpret_cast<cuda::Address>(host_.data());
    next = (next + block - 1) / block * block;
    for (Room& room : host_rooms_) {
      room = {next, small, true};
      next += small + 3 * block;
    }
  }

  Room& room_for(std::size_t which, const Range& range) {
    if (range.size <= small) return host_rooms_[which];
    Room& room = device_rooms_[which];
    if (room.capacity < range.size) {
      device_[which].emplace(range.size + 4 * block);
      room = {(device_[which]->address() + block - 1) / block * block, range.size, false};
    }
    return room;
  }

  template <typename Function>
  actinide_status call(const Function& function, cuda::Address x, cuda::Address y) {
    const actinide_status status =
        function(reinterpret_cast<const void*>(x), reinterpret_cast<void*>(y), static_cast<cuda::Stream*>(stream_));
    driver_.cuStreamSynchronize(stream_);
    return status;
  }

  cuda::Context* const context_ = cuda::use_primary_context();
  const cuda::Driver& driver_ = cuda::driver();
  cuda::OwnStream stream_;
  cuda::PinnedMemory host_{2 * (small + 3 * block) + block};
  std::array<Room, 2> host_rooms_{}, device_rooms_{};
  std::array<std::optional<cuda::DeviceMemory>, 2> device_;
  std::array<std::byte, margin> sentinels_{};
};

template <auto function, typename T, typename... Attributes>
actinide_status on_cuda(const T* x, T* y, std::size_t n, Attributes... attributes) {
  if (n == 0 || x == nullptr || y == nullptr) return function(x, y, n, attributes..., nullptr);
  return Staging::instance().run(x, y, n * sizeof(T), [=](const void* device_x, void* device_y, void* stream) {
    return function(static_cast<const T*>(device_x), static_cast<T*>(device_y), n, attributes..., stream);
  });
}

inline std::vector<std::string> built_targets() { return {"cuda"}; }

/// False where there is no device. A null pointer changes nothing: there is nothing else to choose.
inline bool use_target(const char* name) {
  static const bool is_usable = [] {
    if (actinide_cuda_available() == 0) {
      std::printf("cuda: %s\n", actinide_cuda_reason());
      return false;
    }
    (void)Staging::instance();
    return true;
  }();
  return name == nullptr || (std::string_view(name) == "cuda" && is_usable);
}

}  // namespace actinide::test
