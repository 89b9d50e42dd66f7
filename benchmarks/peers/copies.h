// Copies: the limit.
#pragma once

#include <immintrin.h>

#include "prepare.h"

namespace actinide::peers {

#if defined(__AVX512F__)
using Vector = __m512i;
inline Vector load(const std::byte* p) { return _mm512_loadu_si512(p); }
inline void store(std::byte* p, Vector v) { _mm512_storeu_si512(p, v); }
inline void stream(std::byte* p, Vector v) { _mm512_stream_si512(reinterpret_cast<Vector*>(p), v); }
#elif defined(__AVX2__)
using Vector = __m256i;
inline Vector load(const std::byte* p) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(p)); }
inline void store(std::byte* p, Vector v) { _mm256_storeu_si256(reinterpret_cast<Vector*>(p), v); }
inline void stream(std::byte* p, Vector v) { _mm256_stream_si256(reinterpret_cast<Vector*>(p), v); }
#else
using Vector = __m128i;
inline Vector load(const std::byte* p) { return _mm_loadu_si128(reinterpret_cast<const Vector*>(p)); }
inline void store(std::byte* p, Vector v) { _mm_storeu_si128(reinterpret_cast<Vector*>(p), v); }
inline void stream(std::byte* p, Vector v) { _mm_stream_si128(reinterpret_cast<Vector*>(p), v); }
#endif

/// Four vectors an iteration, all loaded before the first is stored.
template <auto store_vector>
void copy_vectors(const std::byte* x, std::byte* y, std::size_t bytes) {
  constexpr std::size_t v = sizeof(Vector);
  std::size_t i = 0;
  for (; i + 4 * v <= bytes; i += 4 * v) {
    const Vector v0 = load(x + i), v1 = load(x + i + v), v2 = load(x + i + 2 * v), v3 = load(x + i + 3 * v);
    store_vector(y + i, v0), store_vector(y + i + v, v1), store_vector(y + i + 2 * v, v2), store_vector(y + i + 3 * v, v3);
  }
  for (; i + v <= bytes; i += v) store_vector(y + i, load(x + i));
  if (i != bytes) std::memcpy(y + i, x + i, bytes - i);
}

template <typename T>
void copy_plain(const T* x, T* y, std::size_t n, float) {
  copy_vectors<store>(reinterpret_cast<const std::byte*>(x), reinterpret_cast<std::byte*>(y), n * sizeof(T));
}

/// Past the cache: streaming stores want y at a multiple of the vector's size, so it goes up to there with plain ones.
template <typename T>
void copy_streaming(const T* x, T* y, std::size_t n, float) {
  const auto* from = reinterpret_cast<const std::byte*>(x);
  auto* to = reinterpret_cast<std::byte*>(y);
  const std::size_t bytes = n * sizeof(T), head = std::min(-reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector), bytes);
  std::memcpy(to, from, head);
  copy_vectors<stream>(from + head, to + head, bytes - head);
  _mm_sfence();
}

template <typename T>
void copy_memcpy(const T* x, T* y, std::size_t n, float) {
  std::memcpy(y, x, n * sizeof(T));
}

}  // namespace actinide::peers
