/* The library made here and Actinide's, which share the choice of the target. */
#include <actinide/elu.h>
#include <own/softsign.h>
#include <stdio.h>

int main(void) {
  const float x[4] = {-3.0f, -0.5f, 0.0f, 1.0f};
  float y[4], z[4];
  size_t i;
  if (own_softsign_f32(x, y, 4) != ACTINIDE_OK || actinide_elu_f32(x, z, 4, 1.0f) != ACTINIDE_OK) return 1;
  for (i = 0; i < 4; ++i) printf("%.4f %.4f\n", y[i], z[i]);
  return 0;
}
