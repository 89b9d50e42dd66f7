/* Elu of f16, whose 16 bits are stored in uint16_t; on ARMv8.2 by half-precision instructions. */
#include <actinide/actinide.h>
#include <stdio.h>

int main(void) {
  uint16_t x[3] = {0xbc00, 0x8000, 0x4000}; /* -1, -0, 2 */
  const actinide_status status = actinide_elu_f16(x, x, 3, 1.0f);
  fprintf(stderr, "%s (%s)\n", actinide_active_target(), actinide_active_target_reason());
  if (status != ACTINIDE_OK) {
    fprintf(stderr, "%s\n", actinide_status_string(status));
    return 1;
  }
  printf("%04x %04x %04x\n", x[0], x[1], x[2]);
  return 0;
}
