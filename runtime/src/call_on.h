// A call divided over the threads of an executor.
#pragma once

#include <actinide/core.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "call.h"
#include "divide.h"

namespace actinide::detail {

constexpr std::size_t max_tasks = 1024;

/// What threads that are started and joined for one call need; see actinide_executor.
constexpr std::size_t default_min_task_ns = 30'000;

/// Pieces begin where the address in y is a multiple of this: no two threads write into one cache line of any CPU, stores are aligned.
constexpr std::size_t block_bytes = 1024;

/// An estimate, for tensors in the second level of cache: copying takes 20 picoseconds a byte of y; `arithmetic` is what the list says of
/// the operator, for the types up to f32, and f64 takes twice that.
constexpr std::size_t picoseconds_an_element(std::size_t arithmetic, std::size_t element_size) {
  const std::size_t copying = 20 * element_size;
  const std::size_t computing = element_size > 4 ? 2 * arithmetic : arithmetic;
  return copying > computing ? copying : computing;
}

/// How many tasks of at least executor.min_task_ns there are in n elements; 0 or 1 if the calling thread should do all.
inline std::size_t tasks_worth_it(const actinide_executor& executor, std::size_t n, std::size_t picoseconds) noexcept {
  const std::size_t ns = (n >> 10) * picoseconds + ((n & 1023) * picoseconds >> 10);  // 1024 for 1000: no division, no overflow
  const std::size_t task_ns = executor.min_task_ns != 0 ? executor.min_task_ns : default_min_task_ns;
  if (ns / 2 < task_ns) return 1;  // before the division, for the sake of small tensors
  const std::size_t wanted = executor.max_tasks < max_tasks ? executor.max_tasks : max_tasks;
  const std::size_t worth_it = divide(ns, task_ns).quotient;
  return worth_it < wanted ? worth_it : wanted;
}

/// y[0, n) in pieces of whole blocks; the first and the last one may begin and end inside a block.
template <typename T>
class Pieces {
 public:
  Pieces(const T* y, std::size_t n, std::size_t tasks) noexcept
      : n_(n), before_(reinterpret_cast<std::uintptr_t>(y) % block_bytes / sizeof(T)) {
    const std::size_t blocks = n / block + (n % block + before_ + block - 1) / block;
    count_ = tasks < blocks ? tasks : blocks;
    if (count_ > 1) of_piece_ = divide(blocks, count_);
  }

  /// 0 or 1 if there is nothing to divide.
  std::size_t count() const noexcept { return count_; }

  /// Where a piece begins; the last one ends at begin(count()).
  std::size_t begin(std::size_t piece) const noexcept {
    if (piece == 0) return 0;
    if (piece == count_) return n_;
    return (piece * of_piece_.quotient + (piece < of_piece_.remainder ? piece : of_piece_.remainder)) * block - before_;
  }

 private:
  static constexpr std::size_t block = block_bytes / sizeof(T);  ///< elements

  std::size_t n_;
  std::size_t before_;  ///< elements between the begin of y's first block and y
  std::size_t count_;
  Quotient of_piece_{};  ///< blocks of a piece, and how many pieces, the first ones, have another one
};

/// Which tasks have begun, so that none runs twice, and how many are done.
class Ledger {
 public:
  explicit Ledger(std::size_t count) noexcept {
    for (std::size_t word = 0; word <= count / 32; ++word) __atomic_store_n(&begun_[word], 0, __ATOMIC_RELAXED);
  }

  /// True the first time.
  bool begin(std::size_t index) noexcept {
    const std::uint32_t bit = std::uint32_t{1} << index % 32;
    return (__atomic_fetch_or(&begun_[index / 32], bit, __ATOMIC_RELAXED) & bit) == 0;
  }

  /// What the task wrote is seen by who sees it counted.
  void end() noexcept { done_.fetch_add(1, std::memory_order_release); }

  std::size_t done() const noexcept { return done_.load(std::memory_order_acquire); }

 private:
  // Not std::atomic: to set all of them to zero, a compiler may call memset, which a library for one target does not have.
  std::uint32_t begun_[max_tasks / 32 + 1];
  std::atomic<std::size_t> done_{0};
};

/// Has the executor call work(index) for each index < count, once.
template <typename Work>
static actinide_status execute(const actinide_executor& executor, std::size_t count, const Work& work) noexcept {
  struct Context {
    const Work& work;
    std::size_t count;
    Ledger ledger;
  } context{work, count, Ledger(count)};
  const actinide_task task = [](void* p, std::size_t index) noexcept {
    auto& c = *static_cast<Context*>(p);
    if (index >= c.count || !c.ledger.begin(index)) return;
    c.work(index);
    c.ledger.end();
  };
  const bool succeeded = executor.parallel_for(&executor, task, &context, count) == 0;
  return succeeded && context.ledger.done() == count ? ACTINIDE_OK : ACTINIDE_EXECUTOR_FAILED;
}

/// `arithmetic`: see picoseconds_an_element. Target and streaming are chosen here, once, for all pieces.
template <bool may_stream, std::size_t arithmetic, typename Kernel, std::size_t targets, typename T, typename... Attributes>
static actinide_status call_on(const actinide_executor* executor, const Kernel (&kernels)[targets], const Stream (&streams)[targets],
                               const T* x, T* y, std::size_t n, Attributes... attributes) noexcept {
  const int target = active_target_index();
  const actinide_status status = check(target, x, y, n);
  if (status != ACTINIDE_OK || n == 0) return status;
  const Kernel kernel = kernels[target];
  const Stream stream = choose_stream<may_stream>(streams[target], x, y, n);
  if (executor != nullptr) {
    if (executor->struct_size < sizeof(actinide_executor) || executor->parallel_for == nullptr) return ACTINIDE_EXECUTOR_FAILED;
    const std::size_t tasks = tasks_worth_it(*executor, n, picoseconds_an_element(arithmetic, sizeof(T)));
    const Pieces<T> pieces(y, n, tasks);
    if (pieces.count() > 1) {
      return execute(*executor, pieces.count(), [&](std::size_t piece) noexcept {
        const std::size_t begin = pieces.begin(piece);
        run<may_stream>(kernel, stream, x + begin, y + begin, pieces.begin(piece + 1) - begin, attributes...);
      });
    }
  }
  run<may_stream>(kernel, stream, x, y, n, attributes...);
  return ACTINIDE_OK;
}

}  // namespace actinide::detail
