// DLPack tensors of a device, and which function takes which tensors where the CUDA library is linked.
#include <actinide/cuda/dlpack_tensor.hpp>

#include <array>

#include "driver_test.h"
#include "tensors_on.h"

namespace actinide::test {
namespace {

class TensorsOnCuda : public DriverTest, public testing::WithParamInterface<const Operator*> {
 protected:
  const Operator& op() const { return *GetParam(); }

  DLTensor tensor(std::uint64_t data, DLDeviceType device = kDLCUDA) {
    return {address(data), {device, 0}, 3, dlpack_type_of(op()), shape_.data(), nullptr, 0};
  }

  /// actinide_<operator>, without a stream.
  actinide_status run(DLTensor x, DLTensor y) {
    const std::vector<float> attributes(op().attributes.size(), 0.5f);
    return call_tensors(op())(&x, &y, attributes.data());
  }

  /// The last call has launched the operator's kernel on those addresses.
  void expect_launch(std::uint64_t x, std::uint64_t y, void* stream) {
    ASSERT_EQ(record().launches.size(), 1u);
    const Launch& launch = record().launches.front();
    EXPECT_EQ(launch.code->kernel, kernel_of(op()));
    EXPECT_EQ(launch.addresses(), (std::vector<std::uint64_t>{x, y}));
    EXPECT_EQ(launch.stream, stream);
    EXPECT_TRUE(launch.passes(0.5f));
    record().launches.clear();
  }

  static constexpr std::uint64_t x_ = 0x10000, y_ = 0x20000;
  std::array<std::int64_t, 3> shape_ = {2, 3, 50};
};

TEST_P(TensorsOnCuda, GoToTheDevice) {
  for (const DLDeviceType device : {kDLCUDA, kDLCUDAManaged}) {
    EXPECT_EQ(run(tensor(x_, device), tensor(y_, device)), ACTINIDE_OK);
    expect_launch(x_, y_, nullptr);
  }
  EXPECT_EQ(run(tensor(x_, kDLCUDAHost), tensor(y_)), ACTINIDE_OK);
  expect_launch(x_, y_, nullptr);
  DLTensor in = tensor(x_), out = tensor(x_);
  in.byte_offset = out.byte_offset = 1024;
  std::array<std::int64_t, 3> strides = {150, 50, 1};
  in.strides = strides.data();
  EXPECT_EQ(run(in, out), ACTINIDE_OK);
  expect_launch(x_ + 1024, in.byte_offset + x_, nullptr);
}

TEST_P(TensorsOnCuda, RefusesOthers) {
  DLTensor other = tensor(y_);
  other.device.device_id = 1;
  EXPECT_EQ(run(tensor(x_), other), ACTINIDE_DEVICE);
  EXPECT_EQ(run(tensor(x_), tensor(y_, kDLCPU)), ACTINIDE_DEVICE);
  EXPECT_EQ(run(tensor(x_, kDLCPU), tensor(y_)), ACTINIDE_DEVICE);
  EXPECT_EQ(run(tensor(x_, kDLROCM), tensor(y_, kDLROCM)), ACTINIDE_DEVICE);
  other = tensor(y_);
  other.dtype.lanes = 2;
  EXPECT_EQ(run(tensor(x_), other), ACTINIDE_ELEMENT_TYPE);
  std::array<std::int64_t, 3> strides = {1, 2, 6}, shape = {2, 3, 49};
  other = tensor(y_);
  other.strides = strides.data();
  EXPECT_EQ(run(tensor(x_), other), ACTINIDE_LAYOUT);
  other = tensor(y_);
  other.shape = shape.data();
  EXPECT_EQ(run(tensor(x_), other), ACTINIDE_SIZE_MISMATCH);
  EXPECT_EQ(run(tensor(x_), tensor(x_ + 16)), ACTINIDE_OVERLAP);
  EXPECT_EQ(run(tensor(x_), tensor(0)), ACTINIDE_NULL_POINTER);
  EXPECT_EQ(record().launches.size(), 0u);
}

TEST_P(TensorsOnCuda, LeavesTheHostsToTheCpu) {
  std::vector<std::byte> x(300 * op().element_size), y = x;
  const auto of = [&](std::vector<std::byte>& memory) { return tensor(reinterpret_cast<std::uintptr_t>(memory.data()), kDLCPU); };
  EXPECT_EQ(run(of(x), of(y)), ACTINIDE_OK);
  std::fill(x.begin(), x.end(), std::byte{0x40});  // numbers above 2
  EXPECT_EQ(run(of(x), of(y)), ACTINIDE_OK);
  EXPECT_EQ(x, y);
  EXPECT_EQ(record().launches.size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Cuda, TensorsOnCuda, testing::ValuesIn(rows()), row_name);

class TensorsOnStream : public DriverTest {};

TEST_F(TensorsOnStream, InCAndCpp) {
  std::array<std::int64_t, 1> shape = {100};
  const DLTensor x{address(0x10000), {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, shape.data(), nullptr, 0};
  DLTensor y = x;
  cuda::Stream stream{&context_};
  EXPECT_EQ(actinide_cuda_elu(&x, &y, 0.5f, &stream), ACTINIDE_OK);
  EXPECT_EQ(actinide_cuda_thresholded_relu(&x, &y, 0.5f, &stream), ACTINIDE_OK);
  EXPECT_EQ(elu(x, y, {.alpha = 0.5f}, cuda_stream(&stream)), status::ok);
  EXPECT_EQ(thresholded_relu(x, y, {.alpha = 0.5f}, cuda_stream(&stream)), status::ok);
  ASSERT_EQ(record().launches.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(record().launches[i].stream, &stream);
    EXPECT_EQ(record().launches[i].code->kernel, i % 2 == 0 ? "actinide_k_elu_f32_cuda" : "actinide_k_thresholded_relu_f32_cuda");
    EXPECT_TRUE(record().launches[i].passes(0.5f));
  }
}

}  // namespace
}  // namespace actinide::test
