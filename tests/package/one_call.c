/* Calls one kernel and nothing else. Expected value: mpmath, 30 digits. */
#include <actinide/elu.h>

int main(void) {
  const double exact = -0.786938680574733152792490930619; /* 2 (exp(-0.5) - 1) */
  float x[2] = {-0.5f, 3.0f};
  if (actinide_elu_f32(x, x, 2, 2.0f) != ACTINIDE_OK) return 1;
  return x[0] - exact > 1.2e-7 || exact - x[0] > 1.2e-7 || x[1] != 3.0f;
}
