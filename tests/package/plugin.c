/* A shared object that holds the library. */
#include <actinide/actinide.h>

int plugin_elu(const float* x, float* y, size_t n, float alpha) { return (int)actinide_elu_f32(x, y, n, alpha); }
const char* plugin_target(void) { return actinide_active_target(); }
