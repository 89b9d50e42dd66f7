/* Spikes above a threshold, in place; then the same on an older instruction set. */
#include <actinide/actinide.h>
#include <stdio.h>

int main(void) {
  const double signal[5] = {0.25, 3.0, -7.0, 1.5, 2.5};
  double spikes[5];
  size_t i;
  actinide_status status = actinide_thresholded_relu_f64(signal, spikes, 5, 2.0f);
  if (status != ACTINIDE_OK) {
    fprintf(stderr, "%s\n", actinide_status_string(status));
    return 1;
  }
  for (i = 0; i < 5; ++i) printf("%g ", spikes[i]);
  printf("\n");

  /* The least demanding target that is built in. */
  status = actinide_force_target(actinide_target_name(0));
  if (status == ACTINIDE_OK) status = actinide_thresholded_relu_f64(spikes, spikes, 5, 2.75f);
  if (status != ACTINIDE_OK) {
    fprintf(stderr, "%s: %s\n", actinide_status_string(status), actinide_active_target_reason());
    return 1;
  }
  for (i = 0; i < 5; ++i) printf("%g ", spikes[i]);
  printf("\n");
  return 0;
}
