// A shared object with the library inside, as a plug-in of somebody else's program would have it.
#include <actinide/actinide.h>

extern "C" {

int plugin_elu(const float* x, float* y, size_t n) noexcept { return actinide_elu_f32(x, y, n, 1.0f); }
int plugin_force_target(const char* name) noexcept { return actinide_force_target(name); }
const char* plugin_active_target() noexcept { return actinide_active_target(); }
#ifdef PLUGIN_HAS_ONE_FUNCTION_MORE
// A function that the other copy's object does not carry.
int plugin_one_more(const float* x, float* y, size_t n) noexcept { return actinide_thresholded_relu_f32(x, y, n, 1.0f); }
#endif
}
