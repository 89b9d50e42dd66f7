#include <actinide/actinide.h>
#include <stdio.h>

int main(void) {
  float x[2] = {-0.0f, 2.0f};
  const actinide_status status = actinide_elu_f32(x, x, 2, 1.0f);
  printf("Actinide %s, %s: %s\n", actinide_version(), actinide_active_target(), actinide_status_string(status));
  return status != ACTINIDE_OK || x[1] != 2.0f;
}
