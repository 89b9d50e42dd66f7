/* A consumer of the installed C API, in C99. It calls elu for f32 alone. Expected value: mpmath, 30 digits. */
#include <actinide/actinide.h>
#include <stdio.h>

int main(void) {
  const float x[3] = {-0.5f, 0.25f, 3.0f};
  float y[3] = {0.0f, 0.0f, 0.0f};
  const double exact = -0.786938680574733152792490930619; /* 2 (exp(-0.5) - 1) */
  const actinide_status status = actinide_elu_f32(x, y, 3, 2.0f);
  if (status != ACTINIDE_OK) {
    printf("%s\n", actinide_status_string(status));
    return 1;
  }
  printf("active target: %s (%s), version %s\n", actinide_active_target(), actinide_active_target_reason(), actinide_version());
  if (y[0] - exact > 1.2e-7 || exact - y[0] > 1.2e-7 || y[1] != 0.25f || y[2] != 3.0f) {
    printf("elu gave %.9g %.9g %.9g\n", y[0], y[1], y[2]);
    return 1;
  }
  if (actinide_elu_f32(x, NULL, 3, 2.0f) != ACTINIDE_NULL_POINTER || actinide_elu_f32(NULL, NULL, 0, 2.0f) != ACTINIDE_OK) {
    printf("null pointers are not treated as documented\n");
    return 1;
  }
  return 0;
}
