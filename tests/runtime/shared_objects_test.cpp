// Calls from shared objects that come and go.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <thread>

#include "check.h"
#include "fp_control.h"
#include "target_test.h"

namespace actinide::test {
namespace {

/// plugin.cpp, loaded.
class Plugin {
 public:
  explicit Plugin(const char* path, int mode = RTLD_NOW | RTLD_LOCAL) : object_(dlopen(path, mode)) {
    if (object_ == nullptr) throw std::runtime_error(dlerror());
    elu_ = find<decltype(elu_)>("plugin_elu");
    force_target = find<decltype(force_target)>("plugin_force_target");
    active_target = find<decltype(active_target)>("plugin_active_target");
  }
  ~Plugin() { dlclose(object_); }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  template <typename Function>
  Function find(const char* name) const {
    const auto function = reinterpret_cast<Function>(dlsym(object_, name));
    if (function == nullptr) throw std::runtime_error(dlerror());
    return function;
  }

  bool is_right() const {
    float x[40], y[40];
    for (int i = 0; i < 40; ++i) x[i] = static_cast<float>(i - 30) / 4;
    if (elu_(x, y, 40) != ACTINIDE_OK) return false;
    for (int i = 0; i < 40; ++i) {
      if (ulp_error(ElementType::f32, std::bit_cast<std::uint32_t>(y[i]), x[i] < 0 ? std::expm1(static_cast<double>(x[i])) : x[i]) > 2)
        return false;
    }
    return true;
  }

 private:
  void* object_;
  int (*elu_)(const float*, float*, std::size_t);

 public:
  int (*force_target)(const char*);
  const char* (*active_target)();
};

TEST(SharedObjects, LoadCallUnload) {
  const fp::Word control = fp::control();
  for (int i = 0; i < 50; ++i) {
    {
      const Plugin plugin(RUNTIME_PLUGIN_A);
      ASSERT_EQ(fp::control(), control) << "loading changed it";
      ASSERT_TRUE(plugin.is_right());
    }
    void* still = dlopen(RUNTIME_PLUGIN_A, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_EQ(still, nullptr) << "nothing in the library may keep its object loaded";
  }
  EXPECT_EQ(fp::control(), control);
}

TEST(SharedObjects, LoadedAndCalledByAnotherThread) {
  for (int i = 0; i < 10; ++i) {
    bool right = false;
    std::thread([&right] {
      const Plugin plugin(RUNTIME_PLUGIN_A);
      right = plugin.is_right();
    }).join();
    ASSERT_TRUE(right);
  }
}

TEST(SharedObjects, TwoCopies) {
  const std::string own = actinide_active_target();
  const Plugin a(RUNTIME_PLUGIN_A), b(RUNTIME_PLUGIN_B);
  EXPECT_TRUE(a.is_right());
  EXPECT_TRUE(b.is_right());
  // Each has its own choice.
  EXPECT_EQ(a.force_target("nonsense"), ACTINIDE_UNSUPPORTED);
  EXPECT_STREQ(a.active_target(), "none");
  EXPECT_FALSE(a.is_right());
  EXPECT_EQ(b.active_target(), own);
  EXPECT_TRUE(b.is_right());
  EXPECT_EQ(actinide_active_target(), own);
  EXPECT_TRUE(all_work());
}

TEST(SharedObjects, TwoCopiesWithGlobalSymbols) {
  if (std::string_view(ACTINIDE_SANITIZER).find("address") != std::string_view::npos) {
    GTEST_SKIP() << "AddressSanitizer refuses two definitions of one global, which is what this test makes";
  }
  const Plugin a(RUNTIME_PLUGIN_A, RTLD_NOW | RTLD_GLOBAL), b(RUNTIME_PLUGIN_B, RTLD_NOW | RTLD_GLOBAL);
  EXPECT_TRUE(a.is_right());
  EXPECT_TRUE(b.is_right());
  EXPECT_TRUE(all_work());
  // The first one's functions win, and so does its choice, for functions too that only the other one carries.
  const auto one_more = b.find<int (*)(const float*, float*, std::size_t)>("plugin_one_more");
  float x = 2, y = 0;
  EXPECT_EQ(one_more(&x, &y, 1), ACTINIDE_OK);
  EXPECT_EQ(b.force_target("nonsense"), ACTINIDE_UNSUPPORTED);
  EXPECT_STREQ(a.active_target(), "none");
  EXPECT_STREQ(b.active_target(), "none");
  EXPECT_FALSE(a.is_right());
  EXPECT_EQ(one_more(&x, &y, 1), ACTINIDE_UNSUPPORTED);
}

}  // namespace
}  // namespace actinide::test
