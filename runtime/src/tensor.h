// What the functions for DLPack tensors share: what a pair of tensors is, and how it is walked where it is not contiguous.
#pragma once

#include <actinide/core.h>
#include <dlpack/dlpack.h>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace actinide::detail {

/// In the order of the tables that tensor_function.cpp.in makes.
enum class ElementType { f16, bf16, f32, f64 };

/// NumPy's and PyTorch's limit, too.
constexpr int max_rank = 64;

/// A pair of tensors of one shape and element type. If there are no elements, they are contiguous and the pointers are null.
struct Tensors {
  const void* x;  ///< the element with all indices 0
  void* y;
  std::size_t n;  ///< elements
  std::size_t element_size;
  ElementType type;
  bool is_contiguous;  ///< both are compact and row-major
};

/// The bits of a DLDataType.
constexpr std::uint32_t bits_of(DLDataType type) noexcept { return std::bit_cast<std::uint32_t>(type); }

inline bool find_element_type(DLDataType type, ElementType& result) noexcept {
  switch (bits_of(type)) {
    case bits_of({kDLFloat, 16, 1}): result = ElementType::f16; return true;
    case bits_of({kDLBfloat, 16, 1}): result = ElementType::bf16; return true;
    case bits_of({kDLFloat, 32, 1}): result = ElementType::f32; return true;
    case bits_of({kDLFloat, 64, 1}): result = ElementType::f64; return true;
    default: return false;
  }
}

/// Whether the CPU reaches the memory of such a device at any time.
inline bool is_host(DLDevice device) noexcept {
  return device.device_type == kDLCPU || device.device_type == kDLCUDAHost || device.device_type == kDLROCMHost;
}

/// What can be said of the two without looking at how their elements lie. The devices have been looked at.
inline actinide_status describe(const DLTensor& x, const DLTensor& y, Tensors& result) noexcept {
  if (bits_of(x.dtype) != bits_of(y.dtype) || !find_element_type(x.dtype, result.type)) return ACTINIDE_ELEMENT_TYPE;
  if (x.ndim < 0 || x.ndim > max_rank || y.ndim < 0 || y.ndim > max_rank) return ACTINIDE_LAYOUT;
  if (x.ndim != y.ndim) return ACTINIDE_SIZE_MISMATCH;
  if (x.ndim != 0 && (x.shape == nullptr || y.shape == nullptr)) return ACTINIDE_NULL_POINTER;

  std::size_t n = 1;
  bool is_empty = false, fits = true, is_contiguous = true;
  for (int i = x.ndim; i-- > 0;) {
    const std::int64_t extent = x.shape[i];
    if (extent < 0 || y.shape[i] < 0) return ACTINIDE_LAYOUT;
    if (extent != y.shape[i]) return ACTINIDE_SIZE_MISMATCH;
    if (extent == 1) continue;  // its stride is nobody's concern
    const auto compact = static_cast<std::int64_t>(n);
    if (x.strides != nullptr && x.strides[i] != compact) is_contiguous = false;
    if (y.strides != nullptr && y.strides[i] != compact) is_contiguous = false;
    if (extent == 0) is_empty = true;
    if (static_cast<std::uint64_t>(extent) > SIZE_MAX || __builtin_mul_overflow(n, static_cast<std::size_t>(extent), &n)) fits = false;
  }

  const bool is_16_bit = result.type == ElementType::f16 || result.type == ElementType::bf16;
  const int shift = is_16_bit ? 1 : result.type == ElementType::f32 ? 2 : 3;
  result.element_size = std::size_t{1} << shift;
  result.x = nullptr;
  result.y = nullptr;
  result.n = 0;
  result.is_contiguous = true;
  if (is_empty) return ACTINIDE_OK;
  if (x.data == nullptr || y.data == nullptr) return ACTINIDE_NULL_POINTER;
  const auto from = reinterpret_cast<std::uintptr_t>(x.data), to = reinterpret_cast<std::uintptr_t>(y.data);
  if (!fits || x.byte_offset > UINTPTR_MAX - from || y.byte_offset > UINTPTR_MAX - to) return ACTINIDE_SIZE_MISMATCH;
  result.x = reinterpret_cast<const void*>(from + static_cast<std::uintptr_t>(x.byte_offset));
  result.y = reinterpret_cast<void*>(to + static_cast<std::uintptr_t>(y.byte_offset));
  const std::uintptr_t addresses = reinterpret_cast<std::uintptr_t>(result.x) | reinterpret_cast<std::uintptr_t>(result.y);
  if ((addresses & (result.element_size - 1)) != 0) return ACTINIDE_LAYOUT;
  const auto ends = [&](const void* tensor) { return n > (UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(tensor)) >> shift; };
  if (is_contiguous && (ends(result.x) || ends(result.y))) return ACTINIDE_SIZE_MISMATCH;
  result.n = n;
  result.is_contiguous = is_contiguous;
  return ACTINIDE_OK;
}

/// One dimension of both tensors; strides in elements.
struct Dimension {
  std::size_t extent;
  std::ptrdiff_t x, y;
};

/// Both tensors, with as few dimensions as possible: none of extent 1, none that chains to the next one in both; y's strides are positive
/// and ascend, so the first dimension is the innermost one.
struct Layout {
  const void* x;
  void* y;
  int rank;
  Dimension dimensions[max_rank];

  bool is_contiguous() const noexcept { return rank == 1 && dimensions[0].x == 1 && dimensions[0].y == 1; }
};

/// The layout of tensors that have elements, and whether they may be served: ACTINIDE_OVERLAP, ACTINIDE_SIZE_MISMATCH. Needs 8 KiB of
/// stack.
actinide_status lay_out(const DLTensor& x, const DLTensor& y, const Tensors& tensors, Layout& layout) noexcept;

/// Applies the kernel to n contiguous elements, x to y, which are the same memory or do not overlap.
using Run = void (*)(const void* context, const void* x, void* y, std::size_t n) noexcept;

/// Has all elements of the layout computed. Needs 3 KiB of stack.
void walk(const Layout& layout, std::size_t element_size, Run run, const void* context) noexcept;

}  // namespace actinide::detail
