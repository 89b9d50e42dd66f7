/* Loads the shared object that is named, calls it, unloads it: twice. Expected value: mpmath, 30 digits. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int fail(const char* what) {
  const char* why = dlerror();
  printf("%s: %s\n", what, why != NULL ? why : "no error is known");
  return 1;
}

int main(int argc, char** argv) {
  const double exact = -0.786938680574733152792490930619; /* 2 (exp(-0.5) - 1) */
  int round;
  if (argc != 2) return fail("usage: load_plugin FILE");
  for (round = 0; round < 2; ++round) {
    int (*elu)(const float*, float*, size_t, float);
    const char* (*target)(void);
    float values[2] = {-0.5f, 3.0f};
    void* address;
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) return fail("dlopen");
    /* C has no conversion from a pointer to an object to one to a function. */
    if ((address = dlsym(plugin, "plugin_elu")) == NULL) return fail("dlsym");
    memcpy(&elu, &address, sizeof(elu));
    if ((address = dlsym(plugin, "plugin_target")) == NULL) return fail("dlsym");
    memcpy(&target, &address, sizeof(target));
    if (elu(values, values, 2, 2.0f) != 0) return fail("the call");
    printf("active target: %s\n", target());
    if (values[0] - exact > 1.2e-7 || exact - values[0] > 1.2e-7 || values[1] != 3.0f) {
      printf("elu gave %.9g %.9g\n", values[0], values[1]);
      return 1;
    }
    if (dlclose(plugin) != 0) return fail("dlclose");
    if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL) return fail("still loaded after dlclose");
  }
  return 0;
}
