/* Two copies in one process: libactinide.so, which this program links, and the archive inside the shared object that is named. Each has its
 * choice of the target to itself. Expected value: mpmath, 30 digits. */
#include <actinide/actinide.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int is_right(const float* y) {
  const double exact = -0.786938680574733152792490930619; /* 2 (exp(-0.5) - 1) */
  return y[0] - exact <= 1.2e-7 && exact - y[0] <= 1.2e-7 && y[1] == 3.0f;
}

int main(int argc, char** argv) {
  int (*elu)(const float*, float*, size_t, float);
  const char* (*target)(void);
  float ours[2] = {-0.5f, 3.0f}, theirs[2] = {-0.5f, 3.0f};
  void* plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void* address;
  if (plugin == NULL) {
    printf("dlopen failed: %s\n", argc == 2 ? dlerror() : "usage: two_copies FILE");
    return 1;
  }
  /* C has no conversion from a pointer to an object to one to a function. */
  if ((address = dlsym(plugin, "plugin_elu")) == NULL) return 2;
  memcpy(&elu, &address, sizeof(elu));
  if ((address = dlsym(plugin, "plugin_target")) == NULL) return 2;
  memcpy(&target, &address, sizeof(target));

  if (actinide_elu_f32(ours, ours, 2, 2.0f) != ACTINIDE_OK || !is_right(ours)) return 3;
  if (elu(theirs, theirs, 2, 2.0f) != 0 || !is_right(theirs)) return 4;
  if (strcmp(target(), actinide_active_target()) != 0) return 5;
  /* Without a target here, the other copy still works. */
  if (actinide_force_target("none such") != ACTINIDE_UNSUPPORTED || actinide_elu_f32(ours, ours, 2, 2.0f) != ACTINIDE_UNSUPPORTED) return 6;
  theirs[0] = -0.5f;
  if (elu(theirs, theirs, 2, 2.0f) != 0 || !is_right(theirs)) return 7;
  printf("active target: %s, and here %s\n", target(), actinide_active_target());
  return 0;
}
