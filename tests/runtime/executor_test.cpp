// The functions that take an executor: whatever it does with its tasks, the results are those of one thread, or the status tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "guarded_buffer.h"
#include "inputs.h"
#include "operators_on.h"
#include "target_test.h"

namespace actinide::test {
namespace {

constexpr std::size_t block = 1024;  // bytes; what core.h promises
constexpr std::byte sentinel{0xa5};

/// An executor made of a function, which divides whatever can be divided unless it is told otherwise.
class FunctionExecutor {
 public:
  using Task = std::function<void(std::size_t index)>;
  using Function = std::function<int(const Task& task, std::size_t count)>;

  FunctionExecutor(std::size_t max_tasks, Function function) : function_(std::move(function)) {
    executor_ = {sizeof(actinide_executor), max_tasks, 1, this,
                 [](const actinide_executor* self, actinide_task task, void* context, std::size_t count) noexcept {
                   auto& own = *static_cast<FunctionExecutor*>(self->user);
                   own.count_ = count;
                   own.calls_++;
                   return own.function_([=](std::size_t index) { task(context, index); }, count);
                 }};
  }
  FunctionExecutor(const FunctionExecutor&) = delete;
  FunctionExecutor& operator=(const FunctionExecutor&) = delete;

  actinide_executor* get() { return &executor_; }
  std::size_t count() const { return count_; }  ///< tasks of the last call
  int calls() const { return calls_; }

 private:
  actinide_executor executor_;
  Function function_;
  std::size_t count_ = 0;
  int calls_ = 0;
};

using Task = FunctionExecutor::Task;

int forwards(const Task& task, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) task(i);
  return 0;
}

int backwards(const Task& task, std::size_t count) {
  for (std::size_t i = count; i-- > 0;) task(i);
  return 0;
}

int at_the_same_time(const Task& task, std::size_t count) {
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 4; ++first) {
    threads.emplace_back([&task, first, count] {
      for (std::size_t i = first; i < count; i += 4) task(i);
    });
  }
  for (std::thread& t : threads) t.join();
  return 0;
}

int each_twice(const Task& task, std::size_t count) {
  std::thread other([&] { forwards(task, count); });
  backwards(task, count);
  other.join();
  return 0;
}

struct Way {
  const char* name;
  int (*run)(const Task&, std::size_t);
};
constexpr Way ways[] = {{"forwards", forwards}, {"backwards", backwards}, {"at the same time", at_the_same_time}, {"twice", each_twice}};

class Executor : public TargetTest {
 protected:
  actinide_status call(const actinide_executor* executor, const void* x, void* y, std::size_t n, float attribute = 1.7f) const {
    const std::vector<float> attributes(op().attributes.size(), attribute);
    return call_on(op())(executor, x, y, n, attributes.data());
  }

  std::vector<std::byte> by_one_thread(const std::byte* x, std::size_t n, float attribute = 1.7f) const {
    std::vector<std::byte> y(bytes(n));
    const std::vector<float> attributes(op().attributes.size(), attribute);
    EXPECT_EQ(op().call(x, y.data(), n, attributes.data()), ACTINIDE_OK);
    return y;
  }

  /// n elements that both operators return as they are.
  std::vector<std::byte> twos(std::size_t n) const {
    std::vector<std::byte> x(bytes(n));
    for (std::size_t i = 0; i < n; ++i) store_bits(op().type, x.data(), i, nearest_bits(op().type, 2.0));
    return x;
  }

  std::size_t bytes(std::size_t n) const { return n * op().element_size; }
};

TEST_P(Executor, SameBitsWhateverTheDivision) {
  for (const std::size_t n : {0, 1, 2, 1000, 65535, 65536, 65537, 1000003}) {
    const bool is_long = n > 100000;
    constexpr std::size_t room = 64;
    const std::vector<std::byte> x = mixed_inputs(op().type, n + room, 6);
    std::vector<std::byte> y(bytes(n + room));
    for (const std::size_t offset : {0, 1, 37}) {
      const std::byte* const from = x.data() + bytes(offset);
      for (const float attribute : attribute_kinds) {
        if (n > 1000 && attribute != 1.0f && attribute != 1.7f) continue;
        if (is_long && (attribute != 1.7f || offset == 1)) continue;
        const std::vector<std::byte> right = by_one_thread(from, n, attribute);
        for (const Way& way : ways) {
          for (const std::size_t tasks : {0, 1, 2, 3, 64, 5000}) {
            if (n > 1000 && tasks != 3 && tasks != 5000) continue;
            FunctionExecutor executor(tasks, way.run);
            const auto what = [&] {
              return ::testing::Message() << n << " elements, offset " << offset << ", " << tasks << " tasks, " << way.name;
            };
            const std::size_t y_offset = room - offset;
            std::memset(y.data(), static_cast<int>(sentinel), y.size());
            ASSERT_EQ(call(executor.get(), from, y.data() + bytes(y_offset), n, attribute), ACTINIDE_OK) << what();
            ASSERT_TRUE(std::equal(right.begin(), right.end(), y.data() + bytes(y_offset))) << what();
            if (n == 65537 && tasks > 1) {
              ASSERT_EQ(executor.calls(), 1) << what();
            }
            std::memcpy(y.data() + bytes(offset), from, bytes(n));
            ASSERT_EQ(call(executor.get(), y.data() + bytes(offset), y.data() + bytes(offset), n, attribute), ACTINIDE_OK) << what();
            ASSERT_TRUE(std::equal(right.begin(), right.end(), y.data() + bytes(offset))) << what();
          }
        }
      }
    }
  }
}

// Which part of y each task writes: all of y, once, in shares that differ by no more than a block.
TEST_P(Executor, PiecesAreWholeBlocks) {
  std::vector<std::byte> memory(40 * block);
  for (const std::size_t n : {700, 5000 / static_cast<int>(op().element_size), 4096, 3 * 1024 + 1}) {
    const std::vector<std::byte> x = twos(n);
    for (const std::size_t at : {std::size_t{0}, op().element_size, 512 + op().element_size, block - op().element_size}) {
      std::byte* const aligned = memory.data() + (block - reinterpret_cast<std::uintptr_t>(memory.data()) % block);
      std::byte* const y = aligned + at;
      for (const std::size_t max_tasks : {2, 7, 5000}) {
        std::size_t one = 0, count = 1;
        FunctionExecutor executor(max_tasks, [&](const Task& task, std::size_t tasks) {
          count = tasks;
          task(one);
          return 0;
        });
        const std::byte* end_of_last = y;
        std::size_t least = SIZE_MAX, most = 0;
        for (one = 0; one < count; ++one) {
          std::memset(memory.data(), static_cast<int>(sentinel), memory.size());
          ASSERT_EQ(call(executor.get(), x.data(), y, n, 0.5f), ACTINIDE_EXECUTOR_FAILED) << "one of several tasks was run";
          const auto is_written = [](std::byte b) { return b != sentinel; };
          const auto begin = std::find_if(memory.begin(), memory.end(), is_written);
          const auto end = std::find_if(memory.rbegin(), memory.rend(), is_written).base();
          ASSERT_TRUE(std::all_of(begin, end, is_written));
          ASSERT_EQ(&*begin, end_of_last) << "task " << one << " of " << count;
          end_of_last = memory.data() + (end - memory.begin());
          const std::size_t blocks =
              (reinterpret_cast<std::uintptr_t>(end_of_last) + block - 1) / block - reinterpret_cast<std::uintptr_t>(&*begin) / block;
          least = std::min(least, blocks);
          most = std::max(most, blocks);
          if (one + 1 < count) {
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(end_of_last) % block, 0u);
          }
        }
        ASSERT_EQ(end_of_last, y + bytes(n)) << n << " elements at " << at;
        ASSERT_LE(most - least, 1u);
        ASSERT_LE(count, max_tasks);
      }
    }
  }
}

TEST_P(Executor, StaysBetweenGuardPages) {
  using Edge = GuardedBuffer::Edge;
  FunctionExecutor executor(5, at_the_same_time);
  for (const std::size_t n : {511, 512, 1025, 3000}) {
    const std::vector<std::byte> inputs = mixed_inputs(op().type, n, 7);
    const std::vector<std::byte> right = by_one_thread(inputs.data(), n);
    for (const Edge edge : {Edge::begin, Edge::end}) {
      const GuardedBuffer x(bytes(n), edge), y(bytes(n), edge);
      std::memcpy(x.data(), inputs.data(), bytes(n));
      ASSERT_EQ(call(executor.get(), x.data(), y.data(), n), ACTINIDE_OK);
      ASSERT_EQ(std::memcmp(y.data(), right.data(), bytes(n)), 0) << n;
    }
  }
  EXPECT_GT(executor.calls(), 0);
}

// One thread does what is not worth more, by the library's estimate and the executor's wish.
TEST_P(Executor, SmallTensorsAreTheCallingThreads) {
  constexpr std::size_t large = 1 << 22;
  std::vector<std::byte> xy(bytes(large));
  const auto tasks_of = [&](std::size_t n, std::size_t min_task_ns) {
    FunctionExecutor e(4, forwards);
    e.get()->min_task_ns = min_task_ns;
    EXPECT_EQ(call(e.get(), xy.data(), xy.data(), n), ACTINIDE_OK);
    EXPECT_LE(e.calls(), 1);
    return e.calls() == 0 ? 1 : e.count();
  };
  for (const std::size_t n : {1, 100, 20000}) EXPECT_EQ(tasks_of(n, 0), 1u) << n;
  EXPECT_EQ(tasks_of(large, 0), 4u);
  EXPECT_EQ(tasks_of(large, 1), 4u);
  EXPECT_EQ(tasks_of(large, SIZE_MAX), 1u);
  EXPECT_EQ(tasks_of(large, SIZE_MAX / 1000 + 1), 1u);
  EXPECT_EQ(tasks_of(large, SIZE_MAX / 1000), 1u);
  // More work, never fewer tasks; more cost, never more.
  std::size_t before = 1;
  for (std::size_t n = 1024; n <= large; n *= 2) {
    const std::size_t tasks = tasks_of(n, 10'000);
    EXPECT_GE(tasks, before);
    EXPECT_LE(tasks_of(n, 20'000), tasks);
    before = tasks;
  }
  EXPECT_EQ(before, 4u);
}

TEST_P(Executor, OneThreadWithoutExecutor) {
  constexpr std::size_t n = 100'000;
  const std::vector<std::byte> x = mixed_inputs(op().type, n, 8);
  std::vector<std::byte> y(bytes(n));
  ASSERT_EQ(call(nullptr, x.data(), y.data(), n), ACTINIDE_OK);
  EXPECT_TRUE(y == by_one_thread(x.data(), n));
}

TEST_P(Executor, ArgumentsAreCheckedFirst) {
  constexpr std::size_t n = 10'000;
  std::vector<std::byte> x = twos(n), y(bytes(n), sentinel);
  const std::vector<std::byte> untouched = y;
  FunctionExecutor executor(4, forwards);
  EXPECT_EQ(call(executor.get(), nullptr, nullptr, 0), ACTINIDE_OK);
  EXPECT_EQ(call(executor.get(), nullptr, y.data(), n), ACTINIDE_NULL_POINTER);
  EXPECT_EQ(call(executor.get(), x.data(), nullptr, n), ACTINIDE_NULL_POINTER);
  EXPECT_EQ(call(executor.get(), x.data(), y.data(), SIZE_MAX), ACTINIDE_SIZE_MISMATCH);
  EXPECT_EQ(call(executor.get(), x.data(), x.data() + 1, n - 1), ACTINIDE_OVERLAP);
  (void)actinide_force_target("nonsense");
  EXPECT_EQ(call(executor.get(), x.data(), y.data(), n), ACTINIDE_UNSUPPORTED);
  EXPECT_EQ(call(executor.get(), x.data(), y.data(), 0), ACTINIDE_UNSUPPORTED);
  EXPECT_EQ(call(nullptr, x.data(), y.data(), n), ACTINIDE_UNSUPPORTED);
  (void)use_target(GetParam().target.c_str());
  EXPECT_EQ(executor.calls(), 0);
  EXPECT_EQ(y, untouched);
  EXPECT_EQ(x, twos(n));
}

TEST_P(Executor, IncompleteExecutors) {
  const std::vector<std::byte> x = twos(2);
  std::vector<std::byte> y(bytes(2), sentinel);
  const std::vector<std::byte> untouched = y;
  actinide_executor executor = *FunctionExecutor(4, forwards).get();
  executor.struct_size = sizeof(executor) - 1;
  EXPECT_EQ(call(&executor, x.data(), y.data(), 2), ACTINIDE_EXECUTOR_FAILED);
  executor.struct_size = 0;
  EXPECT_EQ(call(&executor, x.data(), y.data(), 2), ACTINIDE_EXECUTOR_FAILED);
  executor.struct_size = sizeof(executor);
  executor.parallel_for = nullptr;
  EXPECT_EQ(call(&executor, x.data(), y.data(), 2), ACTINIDE_EXECUTOR_FAILED) << "though there is nothing to divide";
  EXPECT_EQ(call(&executor, x.data(), y.data(), 0), ACTINIDE_OK);
  EXPECT_EQ(y, untouched);

  FunctionExecutor of_a_later_version(4, forwards);
  of_a_later_version.get()->struct_size += 64;
  EXPECT_EQ(call(of_a_later_version.get(), x.data(), y.data(), 2), ACTINIDE_OK);
  EXPECT_EQ(y, x);
}

TEST_P(Executor, FailuresAreReported) {
  constexpr std::size_t n = 10'000;
  const std::vector<std::byte> x = twos(n);
  const auto status_of = [&](FunctionExecutor::Function function) {
    std::vector<std::byte> y(bytes(n));
    FunctionExecutor executor(8, std::move(function));
    const actinide_status status = call(executor.get(), x.data(), y.data(), n);
    EXPECT_EQ(executor.calls(), 1);
    EXPECT_EQ(executor.count(), 8u);
    return status;
  };
  EXPECT_EQ(status_of(forwards), ACTINIDE_OK);
  EXPECT_EQ(status_of([](const Task&, std::size_t) { return 0; }), ACTINIDE_EXECUTOR_FAILED);
  EXPECT_EQ(status_of([](const Task&, std::size_t) { return 1; }), ACTINIDE_EXECUTOR_FAILED);
  EXPECT_EQ(status_of([](const Task& task, std::size_t count) { return forwards(task, count) - 1; }), ACTINIDE_EXECUTOR_FAILED);
  for (std::size_t left_out = 0; left_out < 8; ++left_out) {
    for (const bool another_twice : {false, true}) {
      const auto all_but_one = [=](const Task& task, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
          if (i != left_out) task(i);
        }
        if (another_twice) task((left_out + 1) % count);
        return 0;
      };
      EXPECT_EQ(status_of(all_but_one), ACTINIDE_EXECUTOR_FAILED) << left_out;
    }
  }
  // Indices that no task has are ignored: they are not counted, and nothing outside is written.
  const auto beyond = [](const Task& task, std::size_t count) {
    for (const std::size_t i : {count, count + 1, std::size_t{1024}, std::size_t{1} << 20, SIZE_MAX}) task(i);
    return 0;
  };
  EXPECT_EQ(status_of(beyond), ACTINIDE_EXECUTOR_FAILED);
  EXPECT_EQ(status_of([&](const Task& task, std::size_t count) { return beyond(task, count) + forwards(task, count); }), ACTINIDE_OK);
}

TEST_P(Executor, ServesManyThreads) {
  constexpr std::size_t n = 20'000;
  const std::vector<std::byte> x = mixed_inputs(op().type, n, 9);
  const std::vector<std::byte> right = by_one_thread(x.data(), n);
  const actinide_executor shared = {sizeof(actinide_executor), 3, 1, nullptr,
                                    [](const actinide_executor*, actinide_task task, void* context, std::size_t count) noexcept {
                                      return at_the_same_time([=](std::size_t index) { task(context, index); }, count);
                                    }};
  bool is_right[4] = {};
  std::vector<std::thread> threads;
  for (bool& result : is_right) {
    threads.emplace_back([&] {
      result = true;
      for (int repeat = 0; repeat < 5; ++repeat) {
        std::vector<std::byte> xy = x;
        if (call(&shared, xy.data(), xy.data(), n) != ACTINIDE_OK || xy != right) result = false;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const bool result : is_right) EXPECT_TRUE(result);
}

// The target is chosen once a call: another one in the meantime serves the next call.
TEST_P(Executor, OneTargetForAllPieces) {
  constexpr std::size_t n = 20'000;
  const std::vector<std::byte> x = mixed_inputs(op().type, n, 10);
  const std::vector<std::byte> right = by_one_thread(x.data(), n);
  for (const std::string& other : built_targets()) {
    FunctionExecutor executor(8, [&](const Task& task, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        task(i);
        (void)use_target(i == 2 ? "nonsense" : other.c_str());
      }
      return 0;
    });
    std::vector<std::byte> y(bytes(n));
    ASSERT_EQ(call(executor.get(), x.data(), y.data(), n), ACTINIDE_OK);
    EXPECT_TRUE(y == right) << other;
    (void)use_target(GetParam().target.c_str());
  }
}

INSTANTIATE_TEST_SUITE_P(, Executor, testing::ValuesIn(all_parameters()), full_name);

}  // namespace
}  // namespace actinide::test
