// How peers become calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "peers.h"

namespace actinide::peers {

/// Of a function that needs no preparation.
template <typename T, auto function>
Call prepare(const void* x, void* y, std::size_t n, float alpha) {
  struct Arguments {
    const T* x;
    T* y;
    std::size_t n;
    float alpha;
  };
  return {[](void* state) {
            const Arguments& a = *static_cast<Arguments*>(state);
            function(a.x, a.y, a.n, a.alpha);
          },
          new Arguments{static_cast<const T*>(x), static_cast<T*>(y), n, alpha},
          [](void* state) { delete static_cast<Arguments*>(state); }};
}

/// A call that owns an object with operator().
template <typename Object>
Call own(Object* object) {
  return {[](void* state) { (*static_cast<Object*>(state))(); }, object, [](void* state) { delete static_cast<Object*>(state); }};
}

/// step(from, to) for every `lanes` elements; the last ones, if they are fewer, go through a buffer.
template <std::size_t lanes, typename T, typename Step>
void in_vectors(const T* x, T* y, std::size_t n, const Step& step) {
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) step(x + i, y + i);
  if (i == n) return;
  T rest[lanes] = {};
  std::memcpy(rest, x + i, (n - i) * sizeof(T));
  step(rest, rest);
  std::memcpy(y + i, rest, (n - i) * sizeof(T));
}

#define TEXT_OF(macro) TEXT_OF_VALUE(macro)
#define TEXT_OF_VALUE(value) #value

}  // namespace actinide::peers
