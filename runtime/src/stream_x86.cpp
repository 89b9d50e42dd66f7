#include <immintrin.h>

#include "cache_size_x86.h"
#include "stream.h"

namespace actinide::detail {

[[gnu::target("avx2")]] void stream_avx2(std::byte* y, const std::byte* tile, const std::byte* next_x) noexcept {
  for (std::size_t line = 0; line < tile_bytes; line += stream_line) {
    _mm_prefetch(next_x + line, _MM_HINT_T0);
    for (std::size_t i = line; i < line + stream_line; i += sizeof(__m256i))
      _mm256_stream_si256(reinterpret_cast<__m256i*>(y + i), _mm256_load_si256(reinterpret_cast<const __m256i*>(tile + i)));
  }
}

[[gnu::target("avx512f")]] void stream_avx512(std::byte* y, const std::byte* tile, const std::byte* next_x) noexcept {
  for (std::size_t line = 0; line < tile_bytes; line += stream_line) {
    _mm_prefetch(next_x + line, _MM_HINT_T0);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(y + line), _mm512_load_si512(reinterpret_cast<const __m512i*>(tile + line)));
  }
}

// As glibc's memcpy. From there on even a caller that reads y right after the call loses nothing: of y and of x, which went through the
// cache as well, too little would be left (benchmarks/stream.cpp, sizes).
std::size_t stream_threshold_for(std::uint64_t cache_bytes) noexcept {
  const std::uint64_t bytes = cache_bytes / 4 * 3;
  return bytes == 0 ? SIZE_MAX : bytes < min_streamed_bytes ? min_streamed_bytes : bytes;
}

std::atomic<std::size_t> stream_threshold{0};

bool is_streamed(const void* x, const void* y, std::size_t bytes) noexcept {
  std::size_t threshold = stream_threshold.load(std::memory_order_relaxed);
  if (threshold == 0) {
    threshold = stream_threshold_for(last_level_cache_bytes());
    stream_threshold.store(threshold, std::memory_order_relaxed);
  }
  return x != y && bytes >= threshold;
}

void finish_stream() noexcept { _mm_sfence(); }

}  // namespace actinide::detail
