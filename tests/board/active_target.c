/* The first line of a run on a board: what the library chooses there. */
#include <actinide/actinide.h>
#include <stdio.h>

int main(void) {
  size_t i;
  printf("actinide %s, built in:", actinide_version());
  for (i = 0; i < actinide_target_count(); ++i) printf(" %s", actinide_target_name(i));
  printf("; active target: %s (%s)\n", actinide_active_target(), actinide_active_target_reason());
  return 0;
}
