// Tensors of any rank and any strides: every element where it belongs, nothing else touched, whatever cannot be served refused.
//
// The reference is a loop over all indices, with the function for arrays as what is to be computed; its values have their own tests.
#include <actinide/dlpack_tensor.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "check.h"
#include "guarded_buffer.h"
#include "target_test.h"
#include "tensors_on.h"

namespace actinide::test {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Where the elements of a tensor lie: counted in elements, from that with all indices 0.
struct View {
  Sizes shape, strides;

  std::int64_t count() const { return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()); }

  /// Of each element, in row-major order.
  Sizes places() const {
    Sizes result;
    for (std::int64_t i = 0; i < count(); ++i) {
      std::int64_t place = 0, rest = i;
      for (std::size_t d = shape.size(); d-- > 0;) {
        place += rest % shape[d] * strides[d];
        rest /= shape[d];
      }
      result.push_back(place);
    }
    return result;
  }

  std::int64_t lowest() const {
    const Sizes p = places();
    return p.empty() ? 0 : *std::ranges::min_element(p);
  }
  std::int64_t highest() const {
    const Sizes p = places();
    return p.empty() ? -1 : *std::ranges::max_element(p);
  }
};

void PrintTo(const View& view, std::ostream* out) {
  *out << "shape " << testing::PrintToString(view.shape) << " strides " << testing::PrintToString(view.strides);
}

View compact(Sizes shape) {
  View view{shape, Sizes(shape.size())};
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d]) view.strides[d] = stride;
  return view;
}

/// DLPack's structure over a view, which must outlive it.
DLTensor tensor(const Operator& op, const void* data, View& view, std::uint64_t byte_offset = 0) {
  return {const_cast<void*>(data), {kDLCPU, 0}, static_cast<std::int32_t>(view.shape.size()), dlpack_type_of(op), view.shape.data(),
          view.strides.data(),     byte_offset};
}

actinide_status call(const Operator& op, const DLTensor* x, DLTensor* y, float alpha = 0.75f) {
  const std::vector<float> attributes(op.attributes.size(), alpha);
  return call_tensors(op)(x, y, attributes.data());
}

/// What y's memory is to be, by a loop over all indices. x and y are the addresses of the elements with all indices 0 in `before`.
std::vector<std::byte> expected(const Operator& op, const std::byte* x, const View& of_x, std::size_t y, const View& of_y,
                                std::vector<std::byte> before) {
  const std::size_t size = op.element_size;
  const Sizes from = of_x.places(), to = of_y.places();
  std::vector<std::byte> in(from.size() * size), out(in.size());
  for (std::size_t i = 0; i < from.size(); ++i) std::memcpy(&in[i * size], x + from[i] * static_cast<std::int64_t>(size), size);
  const std::vector<float> attributes(op.attributes.size(), 0.75f);
  EXPECT_EQ(op.call(in.data(), out.data(), from.size(), attributes.data()), ACTINIDE_OK);
  for (std::size_t i = 0; i < to.size(); ++i) std::memcpy(&before[y + static_cast<std::size_t>(to[i]) * size], &out[i * size], size);
  return before;
}

constexpr std::byte sentinel{0xa5};

/// Both tensors with no memory but their own, up to an edge behind which every access faults.
void check_between_guards(const Operator& op, View of_x, View of_y, GuardedBuffer::Edge edge) {
  const auto size = static_cast<std::int64_t>(op.element_size);
  const auto bytes = [size](const View& v) { return static_cast<std::size_t>((v.highest() - v.lowest() + 1) * size); };
  const GuardedBuffer x(bytes(of_x), edge), y(bytes(of_y), edge);
  const std::vector<std::byte> inputs = some_inputs(op, bytes(of_x) / op.element_size);
  std::copy(inputs.begin(), inputs.end(), x.data());
  std::fill_n(y.data(), bytes(of_y), sentinel);
  const std::int64_t first_of_x = -of_x.lowest() * size, first_of_y = -of_y.lowest() * size;
  const std::vector<std::byte> wanted =
      expected(op, x.data() + first_of_x, of_x, static_cast<std::size_t>(first_of_y), of_y, std::vector<std::byte>(bytes(of_y), sentinel));
  // The data may be anywhere; byte_offset leads to the first element.
  const DLTensor in = tensor(op, x.data(), of_x, static_cast<std::uint64_t>(first_of_x));
  DLTensor out = tensor(op, y.data(), of_y, static_cast<std::uint64_t>(first_of_y));
  ASSERT_EQ(call(op, &in, &out), ACTINIDE_OK) << testing::PrintToString(of_x) << testing::PrintToString(of_y);
  ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), y.data())) << testing::PrintToString(of_x) << testing::PrintToString(of_y);
  ASSERT_TRUE(std::equal(inputs.begin(), inputs.end(), x.data())) << "x was written";
}

/// All orders of the dimensions in memory, with every choice of turned ones, of gaps and, for x, of broadcast ones.
std::vector<View> layouts(const Sizes& shape, bool may_broadcast, const Sizes& gaps) {
  std::vector<View> result;
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0u);
  const unsigned subsets = 1u << shape.size();
  do {
    for (unsigned turned = 0; turned < subsets; ++turned) {
      for (unsigned repeated = 0; repeated < (may_broadcast ? subsets : 1); ++repeated) {
        for (const std::int64_t gap : gaps) {
          View view{shape, Sizes(shape.size())};
          std::int64_t stride = gap;
          for (const std::size_t d : order) {
            view.strides[d] = (repeated >> d & 1) ? 0 : (turned >> d & 1) ? -stride : stride;
            if (!(repeated >> d & 1)) stride = stride * std::max<std::int64_t>(shape[d], 1) + (gap > 1 ? 1 : 0);
          }
          result.push_back(std::move(view));
        }
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return result;
}

std::vector<Sizes> shapes(std::size_t rank, const Sizes& extents) {
  std::vector<Sizes> result{{}};
  for (std::size_t d = 0; d < rank; ++d) {
    std::vector<Sizes> longer;
    for (const Sizes& shape : result) {
      for (const std::int64_t extent : extents) {
        longer.push_back(shape);
        longer.back().push_back(extent);
      }
    }
    result = std::move(longer);
  }
  return result;
}

/// Every pair of layouts of small shapes, in memory with gaps around it.
TEST(Dlpack, EveryLayoutOfSmallTensors) {
  const Operator& op = *tools::find_operator("elu", "f32");
  const std::vector<std::byte> inputs = some_inputs(op, 1024);
  std::size_t pairs = 0;
  for (std::size_t rank = 0; rank <= 3; ++rank) {
    for (const Sizes& shape : shapes(rank, rank < 3 ? Sizes{0, 1, 2, 3, 18} : Sizes{1, 2, 3})) {
      const std::vector<View> outputs = layouts(shape, false, rank < 3 ? Sizes{1, 2} : Sizes{1, 3});
      for (View of_x : layouts(shape, true, rank < 3 ? Sizes{1, 2} : Sizes{1})) {
        for (View of_y : outputs) {
          const std::int64_t room = of_y.highest() - of_y.lowest() + 3, first = 1 - of_y.lowest();
          std::vector<std::byte> memory(static_cast<std::size_t>(room) * 4, sentinel);
          const std::byte* const x = inputs.data() - of_x.lowest() * 4;
          const auto wanted = expected(op, x, of_x, static_cast<std::size_t>(first) * 4, of_y, memory);
          const DLTensor in = tensor(op, x, of_x);
          DLTensor out = tensor(op, memory.data() + first * 4, of_y);
          ASSERT_EQ(call(op, &in, &out), ACTINIDE_OK) << testing::PrintToString(of_x) << testing::PrintToString(of_y);
          ASSERT_EQ(memory, wanted) << testing::PrintToString(of_x) << testing::PrintToString(of_y);
          ++pairs;
        }
      }
    }
  }
  EXPECT_GT(pairs, 100'000u);
}

class TensorsOnTarget : public TargetTest {};

/// Rows around the lengths at which another way is taken: packed together, one by one, several tiles.
TEST_P(TensorsOnTarget, Rows) {
  const auto tile = static_cast<std::int64_t>(1024 / op().element_size);
  for (const std::int64_t n : {std::int64_t{7}, std::int64_t{8}, tile - 1, tile, tile + 1, 3 * tile + 5}) {
    for (const std::int64_t step_of_x : {1, -1, 3, 0}) {
      for (const std::int64_t step_of_y : {1, -1, 2}) {
        for (const auto edge : {GuardedBuffer::Edge::begin, GuardedBuffer::Edge::end}) {
          const std::int64_t row_of_y = std::abs(step_of_y) * n + 1;
          check_between_guards(op(), {{3, 2, n}, {2 * n + 3, 0, step_of_x}}, {{3, 2, n}, {2 * row_of_y, -row_of_y, step_of_y}}, edge);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// Random shapes and strides of up to 6 dimensions.
TEST_P(TensorsOnTarget, RandomLayouts) {
  std::mt19937 random(20261130);
  const auto up_to = [&random](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(n + 1)); };
  for (int i = 0; i < 600; ++i) {
    const auto rank = static_cast<std::size_t>(up_to(6));
    Sizes shape(rank);
    for (std::int64_t& extent : shape) extent = up_to(9) == 0 ? 0 : 1 + up_to(rank > 3 ? 3 : 30);
    const auto random_view = [&](bool may_broadcast) {
      View view{shape, Sizes(rank)};
      std::vector<std::size_t> order(rank);
      std::iota(order.begin(), order.end(), 0u);
      if (up_to(2) != 0) std::ranges::shuffle(order, random);
      std::int64_t stride = 1 + (up_to(3) == 0 ? up_to(2) : 0);
      for (const std::size_t d : order) {
        view.strides[d] = up_to(3) == 0 ? -stride : stride;
        if (may_broadcast && up_to(5) == 0) view.strides[d] = 0;
        stride = stride * std::max<std::int64_t>(shape[d], 1) + (up_to(3) == 0 ? up_to(3) : 0);
        if (shape[d] == 1 && up_to(1) == 0) view.strides[d] = INT64_MIN + up_to(3);  // nobody's concern
      }
      return view;
    };
    View of_x = random_view(true), of_y = random_view(false);
    for (const auto edge : {GuardedBuffer::Edge::begin, GuardedBuffer::Edge::end}) {
      // In the model, dimensions of extent 1 have index 0 alone.
      check_between_guards(op(), of_x, of_y, edge);
      if (HasFatalFailure()) return;
    }
  }
}

/// x and y somewhere in one memory: served if y's elements are all different and none is one of x elsewhere, else refused. Decided by
/// comparing all places.
TEST_P(TensorsOnTarget, OverlapIsExact) {
  std::mt19937 random(4711);
  const auto up_to = [&random](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(n + 1)); };
  const std::size_t size = op().element_size;
  constexpr std::int64_t room = 400;
  const std::vector<std::byte> inputs = some_inputs(op(), room);
  std::map<actinide_status, int> seen;
  int in_place = 0, interleaved = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto rank = static_cast<std::size_t>(1 + up_to(2));
    Sizes shape(rank);
    for (std::int64_t& extent : shape) extent = 1 + up_to(4);
    const auto random_strides = [&] {
      Sizes strides(rank);
      const std::int64_t largest = up_to(3) == 0 ? 4 : 24;
      for (std::int64_t& stride : strides) stride = up_to(2 * largest) - largest;
      return strides;
    };
    View of_y{shape, random_strides()};
    View of_x{shape, up_to(1) == 0 ? of_y.strides : random_strides()};
    const std::int64_t first_of_y = room / 2, first_of_x = up_to(2) == 0 ? first_of_y : first_of_y + up_to(40) - 20;
    if (first_of_x + of_x.lowest() < 0 || first_of_x + of_x.highest() >= room) continue;
    if (first_of_y + of_y.lowest() < 0 || first_of_y + of_y.highest() >= room) continue;

    Sizes from = of_x.places(), to = of_y.places();
    for (std::int64_t& place : from) place += first_of_x;
    for (std::int64_t& place : to) place += first_of_y;
    const std::set<std::int64_t> written(to.begin(), to.end());
    const bool is_in_place = from == to;
    const bool meets = std::ranges::any_of(from, [&](std::int64_t place) { return written.contains(place); });
    const bool is_legal = written.size() == to.size() && (is_in_place || !meets);

    std::vector<std::byte> memory = inputs;
    const auto place = [&](std::int64_t element) { return memory.data() + static_cast<std::size_t>(element) * size; };
    const auto wanted =
        is_legal ? expected(op(), place(first_of_x), of_x, static_cast<std::size_t>(first_of_y) * size, of_y, memory) : memory;
    const DLTensor in = tensor(op(), place(first_of_x), of_x);
    DLTensor out = tensor(op(), place(first_of_y), of_y);
    const actinide_status status = call(op(), &in, &out);
    ASSERT_EQ(status, is_legal ? ACTINIDE_OK : ACTINIDE_OVERLAP)
        << testing::PrintToString(of_x) << " at " << first_of_x << ", " << testing::PrintToString(of_y) << " at " << first_of_y;
    ASSERT_EQ(memory, wanted);
    ++seen[status];
    in_place += is_legal && is_in_place;
    interleaved +=
        is_legal && !is_in_place && std::ranges::max(from) > std::ranges::min(to) && std::ranges::max(to) > std::ranges::min(from);
  }
  EXPECT_GT(seen[ACTINIDE_OK], 1000);
  EXPECT_GT(seen[ACTINIDE_OVERLAP], 1000);
  EXPECT_GT(in_place, 500);
  EXPECT_GT(interleaved, 500);
}

/// Even and odd elements of one memory, in orders that share no dimension: the search has to see that all distances are even.
TEST_P(TensorsOnTarget, AlternateInManyDimensions) {
  constexpr std::size_t rank = 16;
  View of_x{Sizes(rank, 2), Sizes(rank)}, of_y = of_x;
  for (std::size_t d = 0; d < rank; ++d) {
    of_x.strides[d] = std::int64_t{2} << d;
    of_y.strides[d] = std::int64_t{2} << (rank - 1 - d);
  }
  constexpr std::size_t first_of_x = 2 * 0x5555;  // the distance that most sums come close to
  std::vector<std::byte> memory = some_inputs(op(), first_of_x + (std::size_t{2} << rank));
  const auto wanted = expected(op(), &memory[first_of_x * op().element_size], of_x, op().element_size, of_y, memory);
  const DLTensor in = tensor(op(), memory.data(), of_x, first_of_x * op().element_size);
  DLTensor out = tensor(op(), memory.data(), of_y, op().element_size);
  ASSERT_EQ(call(op(), &in, &out), ACTINIDE_OK);
  EXPECT_EQ(memory, wanted);
  out.byte_offset = 0;
  EXPECT_EQ(call(op(), &in, &out), ACTINIDE_OVERLAP);
}

INSTANTIATE_TEST_SUITE_P(Dlpack, TensorsOnTarget, testing::ValuesIn(all_parameters()), full_name);

/// What each function refuses, with y untouched.
class TensorContract : public testing::TestWithParam<const Operator*> {
 protected:
  const Operator& op() const { return *GetParam(); }
  void SetUp() override {
    x_ = some_inputs(op(), 64);
    y_.assign(x_.size(), sentinel);
  }
  void TearDown() override { EXPECT_EQ(y_, std::vector<std::byte>(x_.size(), sentinel)) << "y was written"; }

  DLTensor x() { return tensor(op(), x_.data(), of_x_); }
  DLTensor y() { return tensor(op(), y_.data(), of_y_); }
  actinide_status run(DLTensor in, DLTensor out) const { return call(op(), &in, &out); }
  /// x() and y() after a change of either or both.
  template <typename Change>
  void expect(actinide_status wanted, Change change) {
    for (const int which : {1, 2, 3}) {
      DLTensor in = x(), out = y();
      if (which & 1) change(in);
      if (which & 2) change(out);
      EXPECT_EQ(run(in, out), wanted) << "of " << (which == 1 ? "x" : which == 2 ? "y" : "both");
    }
  }

  View of_x_ = compact({4, 3, 5}), of_y_ = compact({4, 3, 5});
  std::vector<std::byte> x_, y_;
};

TEST_P(TensorContract, NullPointers) {
  const DLTensor in = x();
  DLTensor out = y();
  EXPECT_EQ(call(op(), nullptr, &out), ACTINIDE_NULL_POINTER);
  EXPECT_EQ(call(op(), &in, nullptr), ACTINIDE_NULL_POINTER);
  EXPECT_EQ(call(op(), nullptr, nullptr), ACTINIDE_NULL_POINTER);
  expect(ACTINIDE_NULL_POINTER, [](DLTensor& t) { t.data = nullptr; });
  expect(ACTINIDE_NULL_POINTER, [](DLTensor& t) { t.shape = nullptr; });
}

TEST_P(TensorContract, Devices) {
  for (int device = 0; device < 32; ++device) {
    if (device == kDLCPU || device == kDLCUDAHost || device == kDLROCMHost) continue;
    expect(ACTINIDE_DEVICE, [device](DLTensor& t) { t.device.device_type = static_cast<DLDeviceType>(device); });
  }
}

TEST_P(TensorContract, ElementTypes) {
  for (unsigned code = 0; code <= 17; ++code) {
    for (const unsigned bits : {0u, 1u, 4u, 8u, 16u, 32u, 64u, 128u}) {
      for (const unsigned lanes : {0u, 1u, 2u, 4u, 0x101u}) {
        const DLDataType type{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes)};
        const bool is_float = code == kDLFloat && (bits == 16 || bits == 32 || bits == 64);
        if (lanes == 1 && (is_float || (code == kDLBfloat && bits == 16))) continue;
        expect(ACTINIDE_ELEMENT_TYPE, [type](DLTensor& t) { t.dtype = type; });
      }
    }
  }
  for (const Operator& other : tools::operators()) {
    if (other.type == op().type) continue;
    DLTensor in = x(), out = y();
    in.dtype = dlpack_type_of(other);
    EXPECT_EQ(run(in, y()), ACTINIDE_ELEMENT_TYPE) << other.type_name;
    out.dtype = dlpack_type_of(other);
    EXPECT_EQ(run(x(), out), ACTINIDE_ELEMENT_TYPE) << other.type_name;
  }
}

TEST_P(TensorContract, Layouts) {
  for (const std::int32_t rank : {-1, INT32_MIN, 65, INT32_MAX}) expect(ACTINIDE_LAYOUT, [rank](DLTensor& t) { t.ndim = rank; });
  for (const std::uint64_t odd : {std::uint64_t{1}, std::uint64_t{op().element_size / 2}})
    expect(ACTINIDE_LAYOUT, [odd](DLTensor& t) { t.byte_offset = odd; });
  for (Sizes shape : {Sizes{-1, 3, 5}, Sizes{4, 3, INT64_MIN}, Sizes{0, -1, 5}})
    expect(ACTINIDE_LAYOUT, [&shape](DLTensor& t) { t.shape = shape.data(); });
}

TEST_P(TensorContract, Shapes) {
  for (Sizes shape : {Sizes{4, 3, 6}, Sizes{3, 3, 5}, Sizes{4, 0, 5}, Sizes{4, 1, 5}, Sizes{3, 4, 5}}) {
    DLTensor other = y();
    other.shape = shape.data();
    EXPECT_EQ(run(x(), other), ACTINIDE_SIZE_MISMATCH);
    other.data = x_.data();
    EXPECT_EQ(run(other, y()), ACTINIDE_SIZE_MISMATCH);
  }
  DLTensor flat = x();
  Sizes shape = {60}, strides = {1};
  flat.ndim = 1;
  flat.shape = shape.data();
  flat.strides = strides.data();
  EXPECT_EQ(run(flat, y()), ACTINIDE_SIZE_MISMATCH) << "as many elements, other dimensions";
}

TEST_P(TensorContract, BeyondTheAddressSpace) {
  constexpr std::int64_t large = std::int64_t{1} << 62;
  for (const Sizes& shape : {Sizes{large, 2, 2}, Sizes{large, large, large}, Sizes{1 << 30, 1 << 30, 1 << 30}, Sizes{3, 1, INT64_MAX}}) {
    of_x_ = of_y_ = {shape, {4, 2, 1}};
    EXPECT_NE(run(x(), y()), ACTINIDE_OK);
    DLTensor in = x(), out = y();
    in.strides = out.strides = nullptr;
    EXPECT_EQ(run(in, out), ACTINIDE_SIZE_MISMATCH);
    of_x_.strides = {0, 0, 0};
    EXPECT_EQ(run(x(), out), ACTINIDE_SIZE_MISMATCH);
  }
  of_x_ = of_y_ = compact({4, 3, 5});
  for (const std::int64_t stride : {INT64_MIN, INT64_MIN + 1, INT64_MAX, -large, large, std::int64_t{1} << 61, -(std::int64_t{1} << 60)}) {
    for (const std::size_t dimension : {0u, 1u, 2u}) {
      Sizes strides = of_x_.strides;
      strides[dimension] = stride;
      expect(ACTINIDE_SIZE_MISMATCH, [&strides](DLTensor& t) { t.strides = strides.data(); });
    }
  }
  const std::uint64_t size = op().element_size;
  expect(ACTINIDE_SIZE_MISMATCH, [size](DLTensor& t) { t.byte_offset = UINT64_MAX - size + 1; });
  const std::uint64_t to_the_end = UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(x_.data()) - size + 1;
  Sizes apart = {40, 13, 1};
  DLTensor in = x();
  in.byte_offset = to_the_end;
  in.strides = apart.data();
  EXPECT_EQ(run(in, y()), ACTINIDE_SIZE_MISMATCH) << "the address space ends";
  in.strides = nullptr;
  EXPECT_EQ(run(in, y()), ACTINIDE_SIZE_MISMATCH) << "the address space ends";
  for (std::int64_t& stride : apart) stride = -stride;
  in = x();
  in.data = reinterpret_cast<void*>(std::uintptr_t{8});
  in.strides = apart.data();
  EXPECT_EQ(run(in, y()), ACTINIDE_SIZE_MISMATCH) << "the address space begins";
}

TEST_P(TensorContract, OverlapsItself) {
  for (Sizes strides : {Sizes{0, 5, 1}, Sizes{15, 5, 0}, Sizes{15, 0, 1}, Sizes{15, 4, 1}, Sizes{-15, -4, 1}, Sizes{5, 5, 1},
                        Sizes{15, 5, 5}, Sizes{14, 5, 1}, Sizes{1, 1, 1}, Sizes{3, 2, 7}}) {
    DLTensor out = y();
    out.strides = strides.data();
    EXPECT_EQ(run(x(), out), ACTINIDE_OVERLAP) << testing::PrintToString(strides);
  }
}

TEST_P(TensorContract, UndecidedIsRefused) {
  // 3^30 elements in less memory than that have to meet somewhere. Where, would take for ever.
  Sizes shape(30, 3), strides(30);
  std::mt19937_64 random(1);
  for (std::int64_t& stride : strides) stride = static_cast<std::int64_t>(random() % (std::uint64_t{1} << 24)) | 1 << 23;
  if constexpr (sizeof(std::size_t) == 8) {
    DLTensor in = x(), out = y();
    in.ndim = out.ndim = 30;
    in.shape = out.shape = shape.data();
    Sizes broadcast(30, 0);
    in.strides = broadcast.data();
    out.strides = strides.data();
    EXPECT_EQ(run(in, out), ACTINIDE_OVERLAP);
  }
}

TEST_P(TensorContract, NoElements) {
  for (Sizes shape : {Sizes{0, 3, 5}, Sizes{4, 3, 0}, Sizes{INT64_MAX, 0, INT64_MAX}, Sizes{0, INT64_MAX, INT64_MAX}}) {
    for (Sizes strides : {Sizes{0, 0, 0}, Sizes{INT64_MIN, INT64_MAX, 3}}) {
      DLTensor in = x(), out = y();
      in.shape = out.shape = shape.data();
      in.strides = out.strides = strides.data();
      EXPECT_EQ(run(in, out), ACTINIDE_OK);
      EXPECT_EQ(run(in, in), ACTINIDE_OK);
      in.data = out.data = nullptr;
      EXPECT_EQ(run(in, out), ACTINIDE_OK);
      in.strides = out.strides = nullptr;
      EXPECT_EQ(run(in, out), ACTINIDE_OK);
    }
  }
}

TEST_P(TensorContract, NoTarget) {
  ASSERT_EQ(actinide_force_target("teleport"), ACTINIDE_UNSUPPORTED);
  DLTensor empty = x();
  Sizes shape = {0, 0, 0};
  empty.shape = shape.data();
  Sizes strides = {30, 5, 1};
  DLTensor in = x();
  in.strides = strides.data();
  EXPECT_EQ(run(x(), y()), ACTINIDE_UNSUPPORTED);
  EXPECT_EQ(run(in, y()), ACTINIDE_UNSUPPORTED);
  EXPECT_EQ(run(empty, empty), ACTINIDE_UNSUPPORTED);
  EXPECT_EQ(call(op(), nullptr, nullptr), ACTINIDE_UNSUPPORTED);
  ASSERT_EQ(actinide_force_target(nullptr), ACTINIDE_OK);
}

std::vector<const Operator*> all_operators() {
  std::vector<const Operator*> result;
  for (const Operator& op : tools::operators()) result.push_back(&op);
  return result;
}

std::string operator_name(const testing::TestParamInfo<const Operator*>& info) {
  return std::string(info.param->name) + "_" + std::string(info.param->type_name);
}

INSTANTIATE_TEST_SUITE_P(Dlpack, TensorContract, testing::ValuesIn(all_operators()), operator_name);

/// 64 dimensions, of which most count nothing; with strides and without.
TEST(Dlpack, EveryRank) {
  const Operator& op = *tools::find_operator("elu", "f64");
  for (std::size_t rank = 0; rank <= 64; ++rank) {
    View of_x = compact(Sizes(rank, 1));
    for (std::size_t d = 0; d < rank; d += 13) of_x.shape[d] = 2 + static_cast<std::int64_t>(d) / 13;
    of_x = compact(of_x.shape);
    View of_y = of_x;
    for (std::int64_t& stride : of_y.strides) stride *= 2;
    check_between_guards(op, of_x, of_x, GuardedBuffer::Edge::end);
    check_between_guards(op, of_x, of_y, GuardedBuffer::Edge::end);
    if (testing::Test::HasFatalFailure()) return;
  }
  // 64 dimensions, of which 12 count and none joins another.
  View many{Sizes(64, 1), Sizes(64, 7)};
  for (std::size_t d = 0; d < 12; ++d) {
    many.shape[d * 5] = 2;
    many.strides[d * 5] = std::int64_t{3} << d;
  }
  check_between_guards(op, compact(many.shape), many, GuardedBuffer::Edge::begin);
}

TEST(Dlpack, NullStridesAreCompact) {
  const Operator& op = *tools::find_operator("elu", "f32");
  View with = compact({7, 1, 9});
  View turned{{7, 1, 9}, {-9, 5, -1}};
  const std::vector<std::byte> x = some_inputs(op, 63);
  for (const bool of_y : {false, true}) {
    std::vector<std::byte> memory(63 * 4, sentinel);
    View& other = turned;
    DLTensor in = tensor(op, x.data(), with), out = tensor(op, memory.data(), with);
    (of_y ? out : in).strides = nullptr;
    DLTensor& rest = of_y ? in : out;
    rest.strides = other.strides.data();
    rest.byte_offset = 62 * 4;
    const auto wanted =
        of_y ? expected(op, x.data() + 62 * 4, turned, 0, with, memory) : expected(op, x.data(), with, 62 * 4, turned, memory);
    ASSERT_EQ(call(op, &in, &out), ACTINIDE_OK);
    EXPECT_EQ(memory, wanted);
  }
}

TEST(Dlpack, HostMemoryOfDevices) {
  const Operator& op = *tools::find_operator("elu", "f32");
  View view = compact({3});
  const std::array<float, 3> x = {1, 2, 3};
  for (const DLDeviceType device : {kDLCPU, kDLCUDAHost, kDLROCMHost}) {
    std::array<float, 3> y{};
    DLTensor in = tensor(op, x.data(), view), out = tensor(op, y.data(), view);
    out.device = {device, 7};
    EXPECT_EQ(call(op, &in, &out), ACTINIDE_OK);
    EXPECT_EQ(y, x);
  }
}

// Only what is const may be x alone.
template <typename X, typename Y>
concept has_elu = requires(X x, Y y) {
  elu(x, y);
};
static_assert(has_elu<tensor_view<const float>, tensor_view<float>> && has_elu<tensor_view<float>, tensor_view<float>>);
static_assert(!has_elu<tensor_view<const float>, tensor_view<const float>> && !has_elu<tensor_view<float>, tensor_view<double>>);
static_assert(has_elu<const DLTensor, DLTensor> && !has_elu<DLTensor, const DLTensor>);

template <typename T>
void check_views(std::uint8_t code) {
  const std::array<std::int64_t, 2> shape = {2, 3}, turned = {1, 2};
  const std::array<T, 6> x{};
  std::array<T, 6> y{};
  const tensor_view<const T> in(x.data(), shape, turned);
  const tensor_view<T> out(y.data(), shape);
  EXPECT_EQ(in.dlpack().dtype.code, code);
  EXPECT_EQ(in.dlpack().dtype.bits, 8 * sizeof(T));
  EXPECT_EQ(in.dlpack().dtype.lanes, 1);
  EXPECT_EQ(in.dlpack().device.device_type, kDLCPU);
  EXPECT_EQ(elu(in, out, {.alpha = 2.0f}), status::ok);
  EXPECT_EQ(elu(out, out), status::ok);
  EXPECT_EQ(thresholded_relu(in, out), status::ok);
  EXPECT_EQ(elu(in, tensor_view<T>(y.data(), shape, std::span(turned).first(1))), status::layout);
  EXPECT_EQ(elu(in, tensor_view<T>(y.data(), std::span(shape).first(1))), status::size_mismatch);
}

TEST(Dlpack, ViewsInCpp) {
  check_views<float16>(kDLFloat);
  check_views<bfloat16>(kDLBfloat);
  check_views<float>(kDLFloat);
  check_views<double>(kDLFloat);
  const std::array<std::int64_t, 2> shape = {3, 2}, turned = {1, 3};
  const std::array<float, 6> x = {1, 2, 3, 4, 5, 6};
  std::array<float, 6> y{};
  EXPECT_EQ(thresholded_relu(tensor_view(x.data(), shape, turned), tensor_view(y.data(), shape), {.alpha = 2.0f}), status::ok);
  EXPECT_EQ(y, (std::array<float, 6>{0, 4, 0, 5, 3, 6}));
  float scalar = -1.0f;
  EXPECT_EQ(thresholded_relu(tensor_view(&scalar, {}), tensor_view(&scalar, {})), status::ok) << "no dimensions";
  EXPECT_EQ(scalar, 0.0f);
  DLTensor out = tensor_view(y.data(), shape).dlpack();
  EXPECT_EQ(elu(tensor_view(x.data(), shape, turned).dlpack(), out), status::ok);
  EXPECT_EQ(y, (std::array<float, 6>{1, 4, 2, 5, 3, 6}));
}

#ifdef DLPACK_FLAG_BITMASK_READ_ONLY
TEST(Dlpack, ManagedTensors) {
  std::array<std::int64_t, 1> shape = {3};
  std::array<float, 3> x = {1, 2, 3}, y = {9, 9, 9};
  const auto managed = [&shape](std::array<float, 3>& data) {
    DLManagedTensorVersioned tensor{};
    tensor.version = {1, 0};
    tensor.dl_tensor = {data.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape.data(), nullptr, 0};
    return tensor;
  };
  DLManagedTensorVersioned in = managed(x), out = managed(y);
  out.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT_EQ(thresholded_relu(in, out, {.alpha = 2.0f}), status::read_only);
  out.flags = ~out.flags;
  out.version.major = 2;
  EXPECT_EQ(thresholded_relu(in, out, {.alpha = 2.0f}), status::layout);
  std::swap(in.version, out.version);
  EXPECT_EQ(thresholded_relu(in, out, {.alpha = 2.0f}), status::layout);
  EXPECT_EQ(y, (std::array<float, 3>{9, 9, 9}));
  in.version = {1, 999};
  in.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT_EQ(thresholded_relu(in, out, {.alpha = 2.0f}), status::ok);
  EXPECT_EQ(y, (std::array<float, 3>{0, 0, 3}));
  out.dl_tensor.dtype.bits = 64;
  EXPECT_EQ(elu(in, out), status::element_type);
}
#endif

}  // namespace
}  // namespace actinide::test
