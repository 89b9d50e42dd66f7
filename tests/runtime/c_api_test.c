/* The C API, compiled as strict C. */
#include <actinide/actinide.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int condition, const char* what) {
  if (condition) return;
  ++failures;
  printf("failed: %s\n", what);
}

static int run_backwards(const actinide_executor* self, actinide_task task, void* context, size_t count) {
  size_t i;
  *(size_t*)self->user += count;
  for (i = count; i > 0; --i) task(context, i - 1);
  return 0;
}

static int fail(const actinide_executor* self, actinide_task task, void* context, size_t count) {
  (void)self;
  (void)task;
  (void)context;
  return count != 0;
}

/* Calls with and without executors, of n elements of x. */
#define CHECK_ON(function, x, y, n)                                                          \
  do {                                                                                       \
    actinide_executor executor = {sizeof(actinide_executor), 2, 1, NULL, run_backwards};     \
    size_t tasks = 0;                                                                        \
    executor.user = &tasks;                                                                  \
    check(function##_on(NULL, x, y, n, 0.5f) == ACTINIDE_OK, #function "_on null");          \
    check(function##_on(&executor, x, y, n, 0.5f) == ACTINIDE_OK && tasks == 2, #function);  \
    executor.parallel_for = fail;                                                            \
    check(function##_on(&executor, x, y, n, 0.5f) == ACTINIDE_EXECUTOR_FAILED, #function);   \
    check(function##_on(&executor, NULL, y, n, 0.5f) == ACTINIDE_NULL_POINTER, #function);   \
    check(function##_on(&executor, x, x + 1, n, 0.5f) == ACTINIDE_OVERLAP, #function);       \
  } while (0)

static float large32[2][2000];
static double large64[2][2000];
static uint16_t large16[2][2000];

static void check_executors(void) {
  CHECK_ON(actinide_elu_f32, large32[0], large32[1], 1999);
  CHECK_ON(actinide_elu_f64, large64[0], large64[1], 1999);
  CHECK_ON(actinide_elu_f16, large16[0], large16[1], 1999);
  CHECK_ON(actinide_elu_bf16, large16[0], large16[1], 1999);
  CHECK_ON(actinide_thresholded_relu_f32, large32[0], large32[1], 1999);
  CHECK_ON(actinide_thresholded_relu_f64, large64[0], large64[1], 1999);
  CHECK_ON(actinide_thresholded_relu_f16, large16[0], large16[1], 1999);
  CHECK_ON(actinide_thresholded_relu_bf16, large16[0], large16[1], 1999);
}

int main(void) {
  const float x[4] = {-1.0f, 0.0f, 0.5f, 2.0f};
  float y[4];
  const double x64[2] = {-1.0, 3.0};
  double y64[2];
  const uint16_t x16[2] = {0xbc00, 0x3c00}; /* -1 and 1 in f16 */
  uint16_t y16[2];
  const uint16_t xb16[2] = {0xbf80, 0x3f80}; /* in bf16 */

  check(actinide_elu_f32(x, y, 4, 1.0f) == ACTINIDE_OK, "elu f32");
  check(y[0] < -0.6321204f && y[0] > -0.6321207f && y[1] == 0.0f && y[2] == 0.5f && y[3] == 2.0f, "elu f32 results");
  check(actinide_elu_f64(x64, y64, 2, 1.0f) == ACTINIDE_OK, "elu f64");
  check(y64[0] < -0.632120558828557 && y64[0] > -0.632120558828558 && y64[1] == 3.0, "elu f64 results");
  check(actinide_elu_f16(x16, y16, 2, 1.0f) == ACTINIDE_OK && y16[0] == 0xb90f && y16[1] == 0x3c00, "elu f16");
  check(actinide_elu_bf16(xb16, y16, 2, 1.0f) == ACTINIDE_OK && y16[0] == 0xbf22 && y16[1] == 0x3f80, "elu bf16");
  check(actinide_thresholded_relu_f32(x, y, 4, 1.0f) == ACTINIDE_OK && y[2] == 0.0f && y[3] == 2.0f, "thresholded_relu f32");
  check(actinide_thresholded_relu_f64(x64, y64, 2, 1.0f) == ACTINIDE_OK && y64[0] == 0.0 && y64[1] == 3.0, "thresholded_relu f64");
  check(actinide_thresholded_relu_f16(x16, y16, 2, 0.5f) == ACTINIDE_OK && y16[0] == 0 && y16[1] == 0x3c00, "thresholded_relu f16");
  check(actinide_thresholded_relu_bf16(xb16, y16, 2, 0.5f) == ACTINIDE_OK && y16[0] == 0 && y16[1] == 0x3f80, "thresholded_relu bf16");

  check(actinide_elu_f32(NULL, NULL, 0, 1.0f) == ACTINIDE_OK, "n = 0");
  check(actinide_elu_f32(NULL, y, 1, 1.0f) == ACTINIDE_NULL_POINTER, "null pointer");
  check(strlen(actinide_status_string(ACTINIDE_OVERLAP)) > 0, "status string");
  check(strlen(actinide_version()) > 0, "version");
  check(actinide_target_count() > 0 && actinide_target_name(actinide_target_count()) == NULL, "targets");
  check(strcmp(actinide_active_target(), "none") != 0 && strlen(actinide_active_target_reason()) > 0, "active target");
  check(actinide_force_target(NULL) == ACTINIDE_OK, "force_target");
  check_executors();
  return failures != 0;
}
