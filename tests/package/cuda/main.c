/* A consumer of the installed CUDA library, in C99, that runs with and without a device. */
#include <actinide/cuda.h>
#include <stdio.h>

int main(void) {
  float host[3] = {-0.5f, 0.25f, 3.0f};
  const int is_there = actinide_cuda_available();
  const actinide_status nothing = actinide_cuda_elu_f32(NULL, NULL, 0, 2.0f, NULL);
  printf("CUDA: %d (%s)\n", is_there, actinide_cuda_reason());
  if (nothing != (is_there ? ACTINIDE_OK : ACTINIDE_UNSUPPORTED)) {
    printf("no elements: %s\n", actinide_status_string(nothing));
    return 1;
  }
  if (!is_there && actinide_cuda_elu_f32(host, host, 3, 2.0f, NULL) != ACTINIDE_UNSUPPORTED) {
    printf("a call without a device was not refused\n");
    return 1;
  }
  return 0;
}
