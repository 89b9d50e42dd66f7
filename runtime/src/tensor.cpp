// Tensors whose elements do not lie one after the other: which may be served, and in which order.
//
// Nothing here allocates or recurses. Loops that clear or copy stay loops (runtime/CMakeLists.txt): a library for one target has no memcpy.
#include "tensor.h"

#include "divide.h"

namespace actinide::detail {
namespace {

/// coefficient * t with 0 <= t <= limit.
struct Term {
  std::size_t coefficient, limit;
};

/// Is the sum of terms ever `sum`? The largest value of the sum must fit. If that is not decided after so many steps: true.
///
/// A search in depth, the largest coefficient first. What the others can add bounds each t, from both sides: if the strides are those of a
/// view of an array, two values are left at most. What is no multiple of the greatest common divisor of the others is left at once.
class Equation {
 public:
  static constexpr int max_terms = 2 * max_rank;
  static constexpr int max_steps = 4096;

  void add(std::size_t coefficient, std::size_t limit) noexcept {
    if (coefficient == 0 || limit == 0) return;
    int place = count_;
    while (place > 0 && levels_[place - 1].term.coefficient < coefficient) --place;
    if (place > 0 && levels_[place - 1].term.coefficient == coefficient) {
      levels_[place - 1].term.limit += limit;
      return;
    }
    for (int i = count_++; i > place; --i) levels_[i].term = levels_[i - 1].term;
    levels_[place].term = {coefficient, limit};
  }

  bool may_be(std::size_t sum) noexcept {
    if (count_ == 0) return sum == 0;
    std::size_t of_inner = 0, divisor = 0;
    for (int i = count_; i-- > 0;) {
      const Term& term = levels_[i].term;
      levels_[i].of_inner = of_inner;
      of_inner += term.coefficient * term.limit;
      divisor = greatest_common_divisor(term.coefficient, divisor);
      levels_[i].divisor = divisor;
    }
    int i = 0;
    levels_[0].enter(sum);
    for (int steps = 0; i >= 0; ++steps) {
      if (steps == max_steps) return true;
      Level& level = levels_[i];
      if (level.t > level.last) {
        --i;
        continue;
      }
      const std::size_t rest = level.rest - level.term.coefficient * level.t++;
      if (i + 1 == count_) return true;  // enter() has left no t but that of rest 0
      levels_[++i].enter(rest);
    }
    return false;
  }

 private:
  struct Level {
    Term term;
    std::size_t of_inner;  ///< the most that the terms after this one give
    std::size_t divisor;   ///< of the coefficients of this term and those after it
    std::size_t rest;      ///< what this term and those after it have to give
    std::size_t t, last;   ///< the values to be tried

    void enter(std::size_t sum) noexcept {
      rest = sum;
      t = 1;
      last = 0;
      if (divide(rest, divisor).remainder != 0) return;
      const std::size_t most = divide(rest, term.coefficient).quotient;
      if (rest > of_inner) {
        const Quotient least = divide(rest - of_inner, term.coefficient);
        t = least.quotient + (least.remainder != 0);
      } else {
        t = 0;
      }
      last = most < term.limit ? most : term.limit;
    }
  };

  static std::size_t greatest_common_divisor(std::size_t a, std::size_t b) noexcept {
    while (b != 0) {
      const std::size_t remainder = divide(a, b).remainder;
      a = b;
      b = remainder;
    }
    return a;
  }

  int count_ = 0;
  Level levels_[max_terms];
};

std::size_t magnitude(std::ptrdiff_t stride) noexcept {
  return stride < 0 ? 0 - static_cast<std::size_t>(stride) : static_cast<std::size_t>(stride);
}

/// How far a tensor reaches from its first element, in elements: less than PTRDIFF_MAX bytes in all, as every object does.
class Reach {
 public:
  Reach(const void* first, std::size_t element_size) noexcept
      : first_(reinterpret_cast<std::uintptr_t>(first)), shift_(__builtin_ctz(static_cast<unsigned>(element_size))) {}

  /// False if that would be too far.
  bool add(std::int64_t stride, std::size_t extent) noexcept {
    const auto distance = stride < 0 ? 0 - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
    std::size_t more;
    if (distance > most() || __builtin_mul_overflow(static_cast<std::size_t>(distance), extent - 1, &more)) return false;
    if (more > most() - below_ - above_) return false;
    (stride < 0 ? below_ : above_) += more;
    return true;
  }

  /// Is all of it inside the address space?
  bool exists() const noexcept { return below_ << shift_ <= first_ && ((above_ + 1) << shift_) - 1 <= UINTPTR_MAX - first_; }

  std::uintptr_t begin() const noexcept { return first_ - (below_ << shift_); }  ///< address of the lowest element
  std::uintptr_t last() const noexcept { return first_ + (above_ << shift_); }   ///< address of the highest one

  /// Elements between two addresses.
  std::size_t elements(std::uintptr_t from, std::uintptr_t to) const noexcept { return (to - from) >> shift_; }

 private:
  std::size_t most() const noexcept { return (static_cast<std::size_t>(PTRDIFF_MAX) >> shift_) - 1; }

  std::uintptr_t first_;
  int shift_;
  std::size_t below_ = 0, above_ = 0;
};

/// Do two indices lead to one element of y?
bool overlaps_itself(const Layout& layout) noexcept {
  // As a rule each stride steps over all that the smaller ones reach.
  std::size_t reached = 0;
  bool is_nested = true;
  for (int i = 0; i < layout.rank; ++i) {
    const auto stride = static_cast<std::size_t>(layout.dimensions[i].y);
    is_nested &= stride > reached;
    reached += stride * (layout.dimensions[i].extent - 1);
  }
  if (is_nested) return false;
  // Two indices that lead to one element: their differences, times the strides, add up to 0. That of `first`, the first dimension in which
  // they differ, is positive: -d_first is in [1 - extent, -1], the others are in [1 - extent, extent - 1]. All moved to begin at 0:
  for (int first = 0; first < layout.rank; ++first) {
    Equation equation;
    std::size_t sum = 0;
    for (int i = first; i < layout.rank; ++i) {
      const auto stride = static_cast<std::size_t>(layout.dimensions[i].y);
      const std::size_t reach = layout.dimensions[i].extent - 1;
      equation.add(stride, i == first ? reach - 1 : 2 * reach);
      sum += stride * reach;
    }
    if (equation.may_be(sum)) return true;
  }
  return false;
}

/// Is an element of x, not all of them at their places in y, an element of y?
bool overlaps(const Layout& layout, const Reach& x, const Reach& y) noexcept {
  if (x.last() < y.begin() || y.last() < x.begin()) return false;
  bool is_in_place = layout.x == layout.y;
  for (int i = 0; i < layout.rank; ++i) is_in_place &= layout.dimensions[i].x == layout.dimensions[i].y;
  if (is_in_place) return false;
  // begin(x) + sum(stride * t) = last(y) - sum(stride * u)
  Equation equation;
  for (int i = 0; i < layout.rank; ++i) {
    const Dimension& dimension = layout.dimensions[i];
    equation.add(magnitude(dimension.x), dimension.extent - 1);
    equation.add(magnitude(dimension.y), dimension.extent - 1);
  }
  return equation.may_be(x.elements(x.begin(), y.last()));
}

/// Joins what chains in both tensors.
void merge(Layout& layout) noexcept {
  int rank = 0;
  for (int i = 0; i < layout.rank; ++i) {
    const Dimension& outer = layout.dimensions[i];
    if (rank > 0) {
      Dimension& inner = layout.dimensions[rank - 1];
      std::ptrdiff_t x, y;
      const auto extent = static_cast<std::ptrdiff_t>(inner.extent);
      const bool chains =
          !__builtin_mul_overflow(inner.x, extent, &x) && !__builtin_mul_overflow(inner.y, extent, &y) && outer.x == x && outer.y == y;
      if (chains) {
        inner.extent *= outer.extent;
        continue;
      }
    }
    layout.dimensions[rank++] = outer;
  }
  layout.rank = rank;
}

}  // namespace

actinide_status lay_out(const DLTensor& x, const DLTensor& y, const Tensors& tensors, Layout& layout) noexcept {
  Reach reach_of_x(tensors.x, tensors.element_size), reach_of_y(tensors.y, tensors.element_size);
  layout.rank = 0;
  std::int64_t compact = 1;
  std::ptrdiff_t to_begin_of_x = 0, to_begin_of_y = 0;  // elements, by dimensions that are turned
  for (int i = x.ndim; i-- > 0;) {
    const std::int64_t extent = x.shape[i];
    if (extent == 1) continue;
    const std::int64_t stride_of_x = x.strides != nullptr ? x.strides[i] : compact,
                       stride_of_y = y.strides != nullptr ? y.strides[i] : compact;
    if (__builtin_mul_overflow(compact, extent, &compact)) return ACTINIDE_SIZE_MISMATCH;
    const auto elements = static_cast<std::size_t>(extent);
    if (!reach_of_x.add(stride_of_x, elements) || !reach_of_y.add(stride_of_y, elements)) return ACTINIDE_SIZE_MISMATCH;
    Dimension dimension{elements, static_cast<std::ptrdiff_t>(stride_of_x), static_cast<std::ptrdiff_t>(stride_of_y)};
    if (dimension.y < 0) {
      to_begin_of_x += dimension.x * static_cast<std::ptrdiff_t>(elements - 1);
      to_begin_of_y += dimension.y * static_cast<std::ptrdiff_t>(elements - 1);
      dimension.x = -dimension.x;
      dimension.y = -dimension.y;
    }
    int place = layout.rank++;
    for (; place > 0 && layout.dimensions[place - 1].y > dimension.y; --place) layout.dimensions[place] = layout.dimensions[place - 1];
    layout.dimensions[place] = dimension;
  }
  if (!reach_of_x.exists() || !reach_of_y.exists()) return ACTINIDE_SIZE_MISMATCH;
  const auto size = static_cast<std::ptrdiff_t>(tensors.element_size);
  layout.x = static_cast<const std::byte*>(tensors.x) + to_begin_of_x * size;
  layout.y = static_cast<std::byte*>(tensors.y) + to_begin_of_y * size;
  merge(layout);
  return overlaps_itself(layout) || overlaps(layout, reach_of_x, reach_of_y) ? ACTINIDE_OVERLAP : ACTINIDE_OK;
}

namespace {

constexpr std::size_t tile_bytes = 1024;

/// Rows of fewer elements are not worth a kernel's call each: several are packed together.
constexpr std::size_t short_row = 8;

// Words of the elements' size, whatever type their owner gives them.
using Word16 [[gnu::may_alias]] = std::uint16_t;
using Word32 [[gnu::may_alias]] = std::uint32_t;
using Word64 [[gnu::may_alias]] = std::uint64_t;

/// Where one of the tensors is: at an element of the innermost dimension of one row after the other. Begins anew after the last.
template <typename Pointer>
class Cursor {
 public:
  Cursor(Pointer begin, const Layout& layout, std::ptrdiff_t Dimension::*stride) noexcept
      : row_(begin), layout_(layout), rank_(layout.rank), stride_(stride) {
    for (int i = 1; i < rank_; ++i) index_[i] = 0;
  }

  Pointer row() const noexcept { return row_; }
  std::ptrdiff_t stride() const noexcept { return layout_.dimensions[0].*stride_; }

  void next_row() noexcept {
    for (int i = 1; i < rank_; ++i) {
      const Dimension& dimension = layout_.dimensions[i];
      if (++index_[i] < dimension.extent) {
        row_ += dimension.*stride_;
        return;
      }
      index_[i] = 0;
      row_ -= dimension.*stride_ * static_cast<std::ptrdiff_t>(dimension.extent - 1);
    }
  }

  /// Calls body(first element, how many) for the next n elements.
  template <typename Body>
  void advance(std::size_t n, const Body& body) noexcept {
    while (n != 0) {
      const std::size_t left = layout_.dimensions[0].extent - column_, count = n < left ? n : left;
      body(row_ + static_cast<std::ptrdiff_t>(column_) * stride(), count);
      n -= count;
      column_ += count;
      if (column_ == layout_.dimensions[0].extent) {
        column_ = 0;
        next_row();
      }
    }
  }

 private:
  Pointer row_;
  const Layout& layout_;
  int rank_;
  std::ptrdiff_t Dimension::*stride_;
  std::size_t column_ = 0;
  std::size_t index_[max_rank];
};

template <typename Word>
void gather(Word* tile, const Word* x, std::ptrdiff_t stride, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i, x += stride) tile[i] = *x;
}

template <typename Word>
void scatter(const Word* tile, Word* y, std::ptrdiff_t stride, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i, y += stride) *y = tile[i];
}

template <typename Word>
void walk_words(const Layout& layout, Run run, const void* context) noexcept {
  const Dimension& inner = layout.dimensions[0];
  std::size_t rows = 1;
  for (int i = 1; i < layout.rank; ++i) rows *= layout.dimensions[i].extent;
  Cursor<const Word*> from(static_cast<const Word*>(layout.x), layout, &Dimension::x);
  Cursor<Word*> to(static_cast<Word*>(layout.y), layout, &Dimension::y);
  constexpr std::size_t tile_elements = tile_bytes / sizeof(Word);
  alignas(64) Word tile[tile_elements];

  if (inner.x == 1 && inner.y == 1 && inner.extent >= short_row) {
    for (; rows != 0; --rows, from.next_row(), to.next_row()) run(context, from.row(), to.row(), inner.extent);
    return;
  }
  // Through the tile, which in its turn may hold several rows. What lies one after the other on one side needs no copy there.
  const bool reads_directly = inner.x == 1 && inner.extent >= tile_elements,
             writes_directly = inner.y == 1 && inner.extent >= tile_elements;
  if (reads_directly || writes_directly) {
    for (; rows != 0; --rows, from.next_row(), to.next_row()) {
      for (std::size_t column = 0; column < inner.extent; column += tile_elements) {
        const std::size_t left = inner.extent - column, n = left < tile_elements ? left : tile_elements;
        const Word* const x = from.row() + static_cast<std::ptrdiff_t>(column) * inner.x;
        Word* const y = to.row() + static_cast<std::ptrdiff_t>(column) * inner.y;
        if (!reads_directly) gather(tile, x, inner.x, n);
        run(context, reads_directly ? x : tile, writes_directly ? y : tile, n);
        if (!writes_directly) scatter(tile, y, inner.y, n);
      }
    }
    return;
  }
  for (std::size_t left = rows * inner.extent, n; left != 0; left -= n) {
    n = left < tile_elements ? left : tile_elements;
    Word* place = tile;
    from.advance(n, [&](const Word* x, std::size_t count) {
      gather(place, x, inner.x, count);
      place += count;
    });
    run(context, tile, tile, n);
    place = tile;
    to.advance(n, [&](Word* y, std::size_t count) {
      scatter(place, y, inner.y, count);
      place += count;
    });
  }
}

}  // namespace

void walk(const Layout& layout, std::size_t element_size, Run run, const void* context) noexcept {
  switch (element_size) {
    case 2: return walk_words<Word16>(layout, run, context);
    case 4: return walk_words<Word32>(layout, run, context);
    default: return walk_words<Word64>(layout, run, context);
  }
}

}  // namespace actinide::detail
