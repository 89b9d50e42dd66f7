// Floating-point state: no call changes a control register, obeys leftover flags or enters a trap handler.
#include <setjmp.h>
#include <signal.h>

#include "fp_control.h"
#include "records.h"
#include "target_test.h"

namespace actinide::test {
namespace {

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

TEST_P(State, ControlRegisterIsUnchanged) {
  for (const fp::Word control : fp::controls) {
    for (const float alpha : alphas_) {
      fp::Word before, after;
      {
        const fp::WithControl state(control);
        before = fp::control();
        call(alpha);
        after = fp::control();
      }
      ASSERT_EQ(status_, ACTINIDE_OK);
      ASSERT_EQ(before, control) << std::hex << control << " cannot be set";
      ASSERT_EQ(after, control) << std::hex << control;
    }
  }
}

TEST_P(State, LeftoverFlagsDoNotMatter) {
  for (const float alpha : alphas_) {
    fp::Word after;
    std::vector<std::byte> clean;
    {
      const fp::WithControl state(fp::initial);
      fp::set_flags(0);
      call(alpha);
      clean = y_;
      fp::set_flags(fp::all_flags);
      call(alpha);
      after = fp::flags();
    }
    ASSERT_EQ(after, fp::all_flags) << "flags are sticky: none may be cleared";
    ASSERT_EQ(y_, clean) << "alpha " << alpha;
  }
}

volatile sig_atomic_t handler_calls = 0;
sigjmp_buf after_the_trap;

/// Runs `function` up to its end or its first trap.
template <typename Function>
void until_trap(Function function) {
  if (sigsetjmp(after_the_trap, 1) == 0) function();
}

TEST_P(State, NoHandlerIsEntered) {
  {
    const fp::WithControl state(fp::all_trap);
    if (fp::control() != fp::all_trap)
      GTEST_SKIP() << "floating-point exceptions cannot trap on this CPU: the enabling bits read back as zero";
  }
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) {
    handler_calls = handler_calls + 1;
    siglongjmp(after_the_trap, 1);  // returning would repeat the instruction
  };
  ASSERT_EQ(sigaction(SIGFPE, &action, &before), 0);
  handler_calls = 0;
  for (const float alpha : alphas_) {
    const fp::WithControl state(fp::initial);
    until_trap([&] { call(alpha); });
  }
  const int during_calls = handler_calls;
  {
    const fp::WithControl state(fp::all_trap);
    until_trap([] {
      volatile float zero = 0;
      zero = 1 / zero;
    });
  }
  ASSERT_EQ(sigaction(SIGFPE, &before, nullptr), 0);
  EXPECT_EQ(during_calls, 0);
  EXPECT_EQ(handler_calls, 1) << "the handler is there";
}

#if defined(__x86_64__)

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

TEST_P(State, X87IsUntouched) {
  for (const float alpha : alphas_) {
    const std::uint16_t control = x87_control();
    call(alpha);
    const std::uint16_t after = x87_control(), tags = x87_tags();
    ASSERT_EQ(status_, ACTINIDE_OK);
    ASSERT_EQ(after, control);
    ASSERT_EQ(tags, 0xffff);
  }
}

#endif

INSTANTIATE_TEST_SUITE_P(, State, testing::ValuesIn(all_parameters()), full_name);

}  // namespace
}  // namespace actinide::test
