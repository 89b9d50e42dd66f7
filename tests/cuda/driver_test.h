// What the tests of the fake driver share.
#pragma once

#include <actinide/cuda.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "bits.h"
#include "fake_driver.h"
#include "operator_table.h"

namespace actinide::test {

using tools::Operator;

/// Numbers that stand for addresses.
template <typename T = void>
T* address(std::uint64_t number) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(number));
}

inline actinide_status call(const Operator& op, const void* x, void* y, std::size_t n, float attribute = 1.0f) {
  const std::vector<float> attributes(op.attributes.size(), attribute);
  return op.call(x, y, n, attributes.data());
}

inline std::string kernel_of(const Operator& op) {
  return "actinide_k_" + std::string(op.name) + "_" + std::string(op.type_name) + "_cuda";
}

inline std::vector<const Operator*> rows() {
  std::vector<const Operator*> all;
  for (const Operator& op : tools::operators()) all.push_back(&op);
  return all;
}

inline std::string row_name(const testing::TestParamInfo<const Operator*>& info) {
  return std::string(info.param->name) + "_" + std::string(info.param->type_name);
}

/// Tests of one process, whose driver has a device. A context is current, and every call has to leave it so.
class DriverTest : public testing::Test {
 protected:
  static const LoadedDriver& loaded() {
    static const LoadedDriver driver = load_driver(FAKE_DRIVER);
    return driver;
  }

  void SetUp() override {
    static_cast<Behaviour&>(driver()) = {};
    driver().forbidden = 0;
    record() = {};
    record().current = {&context_};
    stream_of_calls = nullptr;
  }
  void TearDown() override {
    EXPECT_EQ(driver().forbidden, 0);
    EXPECT_EQ(driver().retained, 0) << "retained and not released";
  }

  static FakeDriver& driver() { return loaded().driver; }
  static Record& record() { return loaded().record(); }

  cuda::Context context_{0};
};

}  // namespace actinide::test
