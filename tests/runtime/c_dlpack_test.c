/* The functions for DLPack tensors, compiled as strict C. */
#include <actinide/dlpack_tensor.h>
#include <stdio.h>

int main(void) {
  /* x transposed: [3, 2] in [2, 3], rows and columns changed; y a matrix with a gap between its rows. */
  float x[6] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
  float y[12] = {9.0f, 9.0f, 9.0f, 9.0f, 9.0f, 9.0f, 9.0f, 9.0f, 9.0f, 9.0f, 9.0f, 9.0f};
  const float expected[12] = {9.0f, 9.0f, 0.0f, 4.0f, 9.0f, 0.0f, 5.0f, 9.0f, 3.0f, 6.0f, 9.0f, 9.0f};
  int64_t shape[2] = {3, 2}, strides_of_x[2] = {1, 3}, strides_of_y[2] = {3, 1};
  DLTensor in = {0}, out = {0};
  int i, failures = 0;
  in.data = x;
  in.device.device_type = kDLCPU;
  in.ndim = 2;
  in.dtype.code = kDLFloat;
  in.dtype.bits = 32;
  in.dtype.lanes = 1;
  in.shape = shape;
  in.strides = strides_of_x;
  out = in;
  out.data = y;
  out.byte_offset = 2 * sizeof(float);
  out.strides = strides_of_y;
  failures += actinide_thresholded_relu(&in, &out, 2.0f) != ACTINIDE_OK;
  for (i = 0; i < 12; ++i) failures += y[i] < expected[i] || y[i] > expected[i];
  out.strides = strides_of_x;
  failures += actinide_elu(&in, &out, 1.0f) != ACTINIDE_OK;
  out.dtype.bits = 64;
  failures += actinide_elu(&in, &out, 1.0f) != ACTINIDE_ELEMENT_TYPE;
  failures += actinide_elu(NULL, &out, 1.0f) != ACTINIDE_NULL_POINTER;
  if (failures != 0) printf("%d failures\n", failures);
  return failures != 0;
}
