/* A consumer of the installed functions for DLPack tensors, in C99. It calls elu alone. Expected value: mpmath, 30 digits. */
#include <actinide/dlpack_tensor.h>
#include <stdio.h>

int main(void) {
  /* Two columns of a matrix with three, and one that keeps what it has. */
  double x[2][3] = {{-0.5, 1.0, 7.0}, {2.0, 3.0, -7.0}};
  double y[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
  const double exact = -0.786938680574733152792490930619; /* 2 (exp(-0.5) - 1) */
  int64_t shape[2] = {2, 2}, strides[2] = {3, 1};
  DLTensor in = {0}, out;
  actinide_status status;
  in.data = x;
  in.device.device_type = kDLCPU;
  in.ndim = 2;
  in.dtype.code = kDLFloat;
  in.dtype.bits = 64;
  in.dtype.lanes = 1;
  in.shape = shape;
  in.strides = strides;
  out = in;
  out.data = y;
  out.strides = NULL;
  status = actinide_elu(&in, &out, 2.0f);
  if (status != ACTINIDE_OK || y[0][0] - exact > 3.4e-16 || exact - y[0][0] > 3.4e-16 || y[0][1] != 1.0 || y[1][0] != 2.0 ||
      y[1][1] != 3.0) {
    printf("%s: elu gave %.17g %.17g %.17g %.17g\n", actinide_status_string(status), y[0][0], y[0][1], y[1][0], y[1][1]);
    return 1;
  }
  /* Tensors of a device: those of no elements need none. */
  shape[0] = 0;
  in.strides = NULL;
  in.device.device_type = out.device.device_type = kDLCUDA;
  status = actinide_elu(&in, &out, 2.0f);
  if (status != ACTINIDE_DEVICE && status != ACTINIDE_UNSUPPORTED && status != ACTINIDE_OK) {
    printf("tensors of a device: %s\n", actinide_status_string(status));
    return 1;
  }
  printf("computed by: %s\n", status == ACTINIDE_DEVICE ? "the CPU" : "the CPU and CUDA");
  return 0;
}
