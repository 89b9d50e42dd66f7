/* The C API, compiled as strict C, where there is no driver. */
#include <actinide/cuda.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int condition, const char* what) {
  if (condition) return;
  ++failures;
  printf("failed: %s\n", what);
}

int main(void) {
  const float x[2] = {-1.0f, 2.0f};
  float y[2] = {7.0f, 7.0f};
  const double x64[2] = {-1.0, 2.0};
  double y64[2] = {7.0, 7.0};
  const uint16_t x16[2] = {0xbc00, 0x3c00};
  uint16_t y16[2] = {7, 7};
  check(actinide_cuda_available() == 0, "available");
  check(strstr(actinide_cuda_reason(), "libcuda.so.1") != NULL, "reason");
  check(actinide_cuda_warm_up() == ACTINIDE_UNSUPPORTED, "warm_up");
  check(actinide_cuda_elu_f32(x, y, 2, 1.0f, NULL) == ACTINIDE_UNSUPPORTED, "elu f32");
  check(actinide_cuda_elu_f64(x64, y64, 2, 1.0f, NULL) == ACTINIDE_UNSUPPORTED, "elu f64");
  check(actinide_cuda_elu_f16(x16, y16, 2, 1.0f, NULL) == ACTINIDE_UNSUPPORTED, "elu f16");
  check(actinide_cuda_elu_bf16(x16, y16, 2, 1.0f, NULL) == ACTINIDE_UNSUPPORTED, "elu bf16");
  check(actinide_cuda_thresholded_relu_f32(x, y, 2, 1.0f, NULL) == ACTINIDE_UNSUPPORTED, "thresholded_relu f32");
  check(actinide_cuda_thresholded_relu_f64(x64, y64, 2, 1.0f, NULL) == ACTINIDE_UNSUPPORTED, "thresholded_relu f64");
  check(actinide_cuda_thresholded_relu_f16(x16, y16, 2, 1.0f, NULL) == ACTINIDE_UNSUPPORTED, "thresholded_relu f16");
  check(actinide_cuda_thresholded_relu_bf16(x16, y16, 2, 1.0f, NULL) == ACTINIDE_UNSUPPORTED, "thresholded_relu bf16");
  check(y[0] == 7.0f && y[1] == 7.0f && y64[0] == 7.0 && y64[1] == 7.0 && y16[0] == 7 && y16[1] == 7, "y is untouched");
  check(strlen(actinide_status_string(ACTINIDE_LAUNCH_FAILED)) > 0, "status string");
  return failures != 0;
}
