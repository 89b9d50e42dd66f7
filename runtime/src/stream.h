// Tensors that exceed the cache are written past it.
//
// An ordinary store that misses the cache first reads the line that it overwrites, so that a kernel moves three bytes for each two that it
// has to. Non-temporal stores do not read, and leave the cache to others. Halide 21 has none: the kernel computes one tile after the other
// into a buffer on the stack, which stays in the L1 cache, and each tile is copied out by such stores. Halide 22 has Func::stream_stores():
// a second kernel with it will take the place of this buffer and of the copies, and the rest of this file will stay.
//
// It pays where a kernel waits for memory, and costs where it waits for arithmetic: the list in generators/CMakeLists.txt says for which
// kernels it is done. In place it never pays, because the kernel has read the line anyway.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "arguments.h"

namespace actinide::detail {

/// Stores of whole lines leave the CPU at once.
constexpr std::size_t stream_line = 64;

/// A multiple of stream_line, and of every loop of a kernel. Longer tiles make the loads of x wait for the stores, shorter ones cost more
/// calls.
constexpr std::size_t tile_bytes = 512;

/// Copies a tile to y, a multiple of stream_line, by non-temporal stores. Prefetches the next tile of x, which need not be there.
using Stream = void (*)(std::byte* y, const std::byte* tile, const std::byte* next_x) noexcept;

/// x86-64: runtime/src/stream_x86.cpp. None for sse41: with stores of 16 bytes the copies took what they saved.
void stream_avx2(std::byte* y, const std::byte* tile, const std::byte* next_x) noexcept;
void stream_avx512(std::byte* y, const std::byte* tile, const std::byte* next_x) noexcept;

/// y of fewer bytes are never streamed, whatever the cache: short calls need not ask.
constexpr std::size_t min_streamed_bytes = std::size_t{1} << 18;

/// y of so many bytes and more are streamed; 0 until the first call that asks. Tests set it.
extern std::atomic<std::size_t> stream_threshold;

/// What it is for a last-level cache of so many bytes, 0 if nobody knows. A pure function.
std::size_t stream_threshold_for(std::uint64_t cache_bytes) noexcept;

/// Whether a call that writes `bytes` to y is to be streamed: of the whole call, also where it is divided over threads, for the caller
/// finds in the cache what all of them have left there.
bool is_streamed(const void* x, const void* y, std::size_t bytes) noexcept;

/// Orders non-temporal stores before all later stores, as ordinary ones are: whoever sees a flag that is set after the call sees y.
void finish_stream() noexcept;

/// `stream` if the whole call is to be streamed, else null. `may_stream`: the library has kernels that are.
template <bool may_stream, typename T>
inline Stream choose_stream(Stream stream, const T* x, const T* y, std::size_t n) noexcept {
  if constexpr (may_stream) {
    // A y between its elements' places never comes to a line.
    const bool is_possible = stream != nullptr && reinterpret_cast<std::uintptr_t>(y) % sizeof(T) == 0;
    const std::size_t bytes = n * sizeof(T);
    if (is_possible && bytes >= min_streamed_bytes && is_streamed(x, y, bytes)) return stream;
  }
  return nullptr;
}

/// The same bits as kernel(x, y), for any n; x and y do not overlap. Needs 5 KiB of stack.
template <typename Kernel, typename T, typename... Attributes>
[[gnu::noinline]] static void run_streamed(Kernel kernel, Stream stream, const T* x, T* y, std::size_t n,
                                           Attributes... attributes) noexcept {
  constexpr std::uintptr_t page = 4096;
  alignas(stream_line) std::byte room[page - stream_line + tile_bytes];
  const auto ordinary = [&](std::size_t count) {
    if (count == 0) return;
    Arguments arguments(x, y, count);
    kernel(&arguments.x, attributes..., &arguments.y);
    x += count;
    y += count;
    n -= count;
  };
  const std::size_t to_line = (0 - reinterpret_cast<std::uintptr_t>(y)) % stream_line / sizeof(T);
  ordinary(to_line < n ? to_line : n);
  constexpr std::size_t tile = tile_bytes / sizeof(T);
  Arguments arguments(x, room, tile);
  for (; n >= tile; x += tile, y += tile, n -= tile) {
    // A load seems to depend on an earlier store at the same address modulo 4096 and waits for it: the tile's place follows x at a
    // distance.
    constexpr std::uintptr_t distance = 3 * page / 4;
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(x) + distance - reinterpret_cast<std::uintptr_t>(room);
    std::byte* const place = room + offset % page / stream_line * stream_line;
    arguments.set(x, place);
    kernel(&arguments.x, attributes..., &arguments.y);
    stream(reinterpret_cast<std::byte*>(y), place, reinterpret_cast<const std::byte*>(x + tile));
  }
  ordinary(n);
  finish_stream();
}

}  // namespace actinide::detail
