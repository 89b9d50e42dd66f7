/* A program without any library but ours, which is built for TARGET alone. Exit status 0: everything is right; else the line that is not.
 * Expected values: mpmath, 30 digits. */
#include <actinide/actinide.h>

#if defined(__x86_64__)
__asm__(
    ".globl _start\n"
    "_start:\n"
    "  xorl %ebp, %ebp\n"
    "  call run\n"
    "  movl %eax, %edi\n"
    "  movl $60, %eax\n"
    "  syscall\n");
#elif defined(__aarch64__)
__asm__(
    ".globl _start\n"
    "_start:\n"
    "  bl run\n"
    "  mov x8, #93\n"
    "  svc #0\n");
#elif defined(__arm__)
__asm__(
    ".arm\n"
    ".globl _start\n"
    ".type _start, %function\n"
    "_start:\n"
    "  bl run\n"
    "  mov r7, #1\n"
    "  svc #0\n");
#endif

/* Static, so that the compiler has no reason to copy or to clear memory by calling the C library. */
static float f32[3] = {-0.5f, 0.25f, 3.0f};
static uint16_t f16[3] = {0xbc00, 0x3c00, 0x8000};  /* -1, 1, -0 */
static uint16_t bf16[3] = {0x3f80, 0x4000, 0xc000}; /* 1, 2, -2 */
static float untouched[1] = {-0.5f};

static int is_same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

#define CHECK(condition) \
  if (!(condition)) return __LINE__

int run(void);
int run(void) {
  const double exact = -0.786938680574733152792490930619; /* 2 (exp(-0.5) - 1) */

  CHECK(actinide_elu_f32(f32, f32, 3, 2.0f) == ACTINIDE_OK);
  CHECK(f32[0] - exact < 1.2e-7 && exact - f32[0] < 1.2e-7 && f32[1] == 0.25f && f32[2] == 3.0f);
  CHECK(actinide_elu_f16(f16, f16, 3, 1.0f) == ACTINIDE_OK);
  CHECK(f16[0] == 0xb90f && f16[1] == 0x3c00 && f16[2] == 0x8000);
  CHECK(actinide_thresholded_relu_bf16(bf16, bf16, 3, 1.0f) == ACTINIDE_OK);
  CHECK(bf16[0] == 0 && bf16[1] == 0x4000 && bf16[2] == 0);
  CHECK(actinide_elu_f32(f32, (float*)0, 3, 2.0f) == ACTINIDE_NULL_POINTER);

  CHECK(actinide_target_count() == 1 && is_same(actinide_target_name(0), TARGET) && actinide_target_name(1) == (const char*)0);
  CHECK(is_same(actinide_active_target(), TARGET));
  CHECK(is_same(actinide_active_target_reason(), "the only target that is built in"));

  CHECK(actinide_force_target(TARGET) == ACTINIDE_OK && is_same(actinide_active_target(), TARGET));
  CHECK(actinide_elu_f32(untouched, untouched, 0, 2.0f) == ACTINIDE_OK);

  /* Another name, the beginning of the name, more than the name, nothing: every call fails until the next success. */
  {
    static const char* const unknown[] = {"cuda", "", TARGET "2", "n", "s"};
    unsigned i;
    for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); ++i) {
      CHECK(actinide_force_target(unknown[i]) == ACTINIDE_UNSUPPORTED);
      CHECK(is_same(actinide_active_target(), "none"));
      CHECK(is_same(actinide_active_target_reason(), "actinide_force_target() was given a name that is not built in"));
      CHECK(actinide_elu_f32(untouched, untouched, 1, 2.0f) == ACTINIDE_UNSUPPORTED && untouched[0] == -0.5f);
      CHECK(actinide_elu_f16(f16, f16, 0, 1.0f) == ACTINIDE_UNSUPPORTED);
      CHECK(actinide_force_target(i % 2 == 0 ? (const char*)0 : TARGET) == ACTINIDE_OK && is_same(actinide_active_target(), TARGET));
    }
  }
  CHECK(actinide_elu_f32(untouched, untouched, 1, 2.0f) == ACTINIDE_OK && untouched[0] < -0.78f);
  return 0;
}
