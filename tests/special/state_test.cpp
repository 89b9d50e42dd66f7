// Floating-point state: no call changes a control register, obeys leftover flags or enters a trap handler.
#include <signal.h>
#include <ucontext.h>
#include <xmmintrin.h>

#include "records.h"
#include "target_test.h"

namespace actinide::test {
namespace {

// MXCSR: six sticky flags, denormals-are-zero, six masks, two bits of rounding, flush-to-zero.
constexpr unsigned flags = 0x3f, denormals_are_zero = 0x40, masks = 0x1f80, round_down = 0x2000, round_up = 0x4000, flush_to_zero = 0x8000;

std::uint16_t x87_control() {
  std::uint16_t word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return word;
}

/// 0xffff: all eight registers are empty, so no MMX instruction ran without EMMS.
std::uint16_t x87_tags() {
  struct {
    std::uint16_t control, unused0, status, unused1, tags, unused2;
    std::uint32_t pointers[4];
  } environment;
  __asm__ volatile("fnstenv %0\n\tfldenv %0" : "+m"(environment));
  return environment.tags;
}

/// Sets MXCSR and puts it back.
class WithMxcsr {
 public:
  explicit WithMxcsr(unsigned value) { _mm_setcsr(value); }
  ~WithMxcsr() { _mm_setcsr(before_); }
  WithMxcsr(const WithMxcsr&) = delete;
  WithMxcsr& operator=(const WithMxcsr&) = delete;

 private:
  unsigned before_ = _mm_getcsr();
};

volatile sig_atomic_t handler_calls = 0;

class State : public TargetTest {
 protected:
  void SetUp() override {
    TargetTest::SetUp();
    for (const Group& group : read_records(op())) {
      for (const Record& record : group.records) patterns_.push_back(record.x);
      if (patterns_.size() > 2000) break;
    }
    ASSERT_FALSE(patterns_.empty());
    x_.resize(patterns_.size() * op().element_size);
    y_.resize(x_.size());
    for (std::size_t i = 0; i < patterns_.size(); ++i) store_bits(op().type, x_.data(), i, patterns_[i]);
  }

  /// Every special value, in one call that has the vector path and one that has only a tail.
  void call(float alpha) {
    const std::vector<float> attributes(op().attributes.size(), alpha);
    status_ = op().call(x_.data(), y_.data(), patterns_.size(), attributes.data());
    if (status_ == ACTINIDE_OK) status_ = op().call(x_.data(), y_.data(), 3, attributes.data());
  }

  static constexpr float alphas_[] = {1.0f, 1.7f, 3e38f, 1e-40f, 0.0f, INFINITY, NAN};
  std::vector<std::uint64_t> patterns_;
  std::vector<std::byte> x_, y_;
  actinide_status status_ = ACTINIDE_OK;
};

TEST_P(State, ControlRegistersAreUnchanged) {
  for (const unsigned control : {masks, masks | round_down, masks | round_up, masks | round_down | round_up, masks | flush_to_zero,
                                 masks | denormals_are_zero, masks | flush_to_zero | denormals_are_zero}) {
    for (const float alpha : alphas_) {
      const std::uint16_t x87 = x87_control();
      unsigned after;
      std::uint16_t x87_after, tags;
      {
        const WithMxcsr state(control);
        call(alpha);
        after = _mm_getcsr();
        x87_after = x87_control();
        tags = x87_tags();
      }
      ASSERT_EQ(status_, ACTINIDE_OK);
      ASSERT_EQ(after & ~flags, control) << std::hex << control;
      ASSERT_EQ(x87_after, x87);
      ASSERT_EQ(tags, 0xffff);
    }
  }
}

TEST_P(State, LeftoverFlagsDoNotMatter) {
  for (const float alpha : alphas_) {
    {
      const WithMxcsr state(masks);
      call(alpha);
    }
    const std::vector<std::byte> clean = y_;
    unsigned after;
    {
      const WithMxcsr state(masks | flags);
      call(alpha);
      after = _mm_getcsr();
    }
    ASSERT_EQ(after, masks | flags) << "flags are sticky: none may be cleared";
    ASSERT_EQ(y_, clean) << "alpha " << alpha;
  }
}

TEST_P(State, NoHandlerIsEntered) {
  struct sigaction action {
  }, before{};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t*, void* context) {
    handler_calls = handler_calls + 1;
    static_cast<ucontext_t*>(context)->uc_mcontext.fpregs->mxcsr |= masks;  // or the instruction faults for ever
  };
  ASSERT_EQ(sigaction(SIGFPE, &action, &before), 0);
  handler_calls = 0;
  for (const float alpha : alphas_) {
    const WithMxcsr state(masks);
    call(alpha);
  }
  const int during_calls = handler_calls;
  {
    const WithMxcsr state(0);  // traps on: the handler is there
    volatile float zero = 0;
    zero = 1 / zero;
  }
  ASSERT_EQ(sigaction(SIGFPE, &before, nullptr), 0);
  EXPECT_EQ(during_calls, 0);
  EXPECT_EQ(handler_calls, 1);
}

INSTANTIATE_TEST_SUITE_P(, State, testing::ValuesIn(all_parameters()), full_name);

}  // namespace
}  // namespace actinide::test
