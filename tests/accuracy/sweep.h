// Many inputs with many attributes on many targets against the exact values, split over threads. The exact values are shared: they are
// computed once for an input. Whole blocks go by sweep_blocks.h; what that cannot do, and what is to be known of a single input, one by
// one.
#pragma once

#include <algorithm>
#include <barrier>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "accuracy_limits.h"
#include "flush.h"
#include "references.h"
#include "sweep_blocks.h"
#include "sweep_inputs.h"

namespace actinide::test {

/// A number from the environment.
inline std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr && *given != '\0' ? std::strtoull(given, nullptr, 0) : otherwise;
}

/// Attributes that are tried with many inputs: the default, powers of two, that of SELU, and others.
inline constexpr float usual_attributes[] = {1.0f, 2.0f, 0.5f, 1.6732632f, 0.1f, -1.0f, 3.3f};

struct SweepOptions {
  std::uint64_t shards = 1, seed = 0;
  std::size_t threads = 1;
  std::size_t keep = 16;  ///< so many of the worst are recomputed exactly in the end
  bool bins = false;      ///< whether the errors are wanted by x
  /// For tests of the test: the result for this pattern of x is taken for another.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> spoiled = {};
};

/// An input and its result.
struct Seen {
  double error = 0;
  std::uint64_t x = 0, y = 0;
};

/// The worst that were seen: all whose error is above `threshold`, and maybe more.
class Worst {
 public:
  explicit Worst(std::size_t keep) : keep_(keep) {}

  double threshold() const { return threshold_; }
  const std::vector<Seen>& list() const { return list_; }

  void add(const Seen& w) {
    if (!(w.error > threshold_)) return;  // nor NaN, which is counted elsewhere
    list_.push_back(w);
    if (list_.size() >= 2 * keep_) shrink();
  }

  void add(const Worst& other) {
    for (const Seen& w : other.list_) add(w);
    threshold_ = std::max(threshold_, other.threshold_);
  }

 private:
  void shrink() {
    const auto last = list_.begin() + static_cast<std::ptrdiff_t>(keep_ - 1);
    std::nth_element(list_.begin(), last, list_.end(), [](const Seen& a, const Seen& b) { return a.error > b.error; });
    threshold_ = last->error;
    list_.resize(keep_);
  }

  std::size_t keep_;
  double threshold_ = 0;
  std::vector<Seen> list_;
};

/// How often something was seen, and one place where.
struct Count {
  std::uint64_t count = 0;
  Seen first;

  void add(std::uint64_t x, std::uint64_t y, std::uint64_t times = 1) {
    if (count == 0) first = {0, x, y};
    count += times;
  }
  void add(const Count& other) {
    if (other.count > 0) add(other.first.x, other.first.y, other.count);
  }
};

/// What came out for one attribute on one target.
struct Tally {
  explicit Tally(std::size_t keep = 1) : worst(keep) {}

  std::uint64_t inputs = 0, rounded = 0;
  Worst worst;  ///< without the subnormal results whose limit is another
  Seen worst_subnormal;
  Count wrong_bits;                               ///< where the result is exact
  Count wrong_signs, outside;                     ///< outside [-attribute, 0], or NaN
  Count breaks;                                   ///< of monotonicity between neighbours
  Count wrong_roundings, wrong_normal_roundings;  ///< of 16-bit types; without the subnormal ones
  std::vector<float> bins;                        ///< the largest error by x; see bin_of()

  void add(const Tally& other) {
    inputs += other.inputs;
    rounded += other.rounded;
    worst.add(other.worst);
    if (other.worst_subnormal.error > worst_subnormal.error) worst_subnormal = other.worst_subnormal;
    wrong_bits.add(other.wrong_bits);
    wrong_signs.add(other.wrong_signs);
    outside.add(other.outside);
    breaks.add(other.breaks);
    wrong_roundings.add(other.wrong_roundings);
    wrong_normal_roundings.add(other.wrong_normal_roundings);
    bins.resize(std::max(bins.size(), other.bins.size()));
    for (std::size_t i = 0; i < other.bins.size(); ++i) bins[i] = std::max(bins[i], other.bins[i]);
  }
};

/// 16 bins an octave of x, by its magnitude.
constexpr int bin_shift(ElementType type) { return format_of(type).fraction - 4; }
inline std::size_t bin_of(ElementType type, std::uint64_t x) {
  return static_cast<std::size_t>((x & (sign_bit(type) - 1)) >> bin_shift(type));
}

/// Is the result the one nearest to the exact value, the even one of two?
inline bool is_rightly_rounded(ElementType type, std::uint64_t y, const Reference& right) {
  const double error = ulp_error(type, y, right);
  if (error != 0.5) return error < 0.5;
  // The rest of the exact value may have been lost in the error.
  if (right.rest == 0) return (y & 1) == 0;
  return (right.rest > 0) == (value_of(type, y) > right.value);
}

/// One attribute on one target.
struct SweepLine {
  Parameter parameter;
  float attribute;
  Tally tally;
};

class Sweep {
 public:
  /// No attribute is NaN where results are rounded. No target is one that the machine does not support; if there is only one, it is in use.
  Sweep(const Operator& op, const ReferenceRow& reference, std::vector<std::string> targets, std::vector<float> attributes,
        const SweepOptions& options)
      : op_(op), reference_(reference), targets_(std::move(targets)), attributes_(std::move(attributes)), options_(options) {}

  /// By target, then by attribute.
  std::vector<SweepLine> run() const {
    switch (op_.type) {
      case ElementType::f16: return run_as<ElementType::f16>();
      case ElementType::bf16: return run_as<ElementType::bf16>();
      case ElementType::f32: return run_as<ElementType::f32>();
      case ElementType::f64: break;
    }
    return run_as<ElementType::f64>();
  }

 private:
  template <ElementType type>
  class Worker;

  /// The attributes that one thread takes with a chunk: where there is but one chunk, they are what is split.
  std::size_t attribute_group(std::size_t chunks) const {
    return chunks > 1 ? attributes_.size() : std::min<std::size_t>((attributes_.size() + options_.threads - 1) / options_.threads, 16);
  }

  template <ElementType type>
  std::vector<SweepLine> run_as() const {
    const SweepInputs<type> inputs(reference_.form, options_.shards, options_.seed, attributes_);
    const std::size_t group = attribute_group(inputs.chunks());
    const std::size_t groups = (attributes_.size() + group - 1) / group;
    const std::size_t units = inputs.chunks() * groups;
    const std::size_t threads = std::clamp<std::size_t>(options_.threads, 1, units);
    std::vector<SweepLine> lines;
    for (const std::string& target : targets_) {
      for (const float attribute : attributes_) lines.push_back({{&op_, target}, attribute, Tally(options_.keep)});
    }

    // The target is the process's: all threads work on one, and then on the next.
    std::size_t next_target = 0;
    const auto switch_target = [&]() noexcept {
      if (targets_.size() > 1) (void)use_target(targets_[next_target++ % targets_.size()].c_str());
    };
    std::barrier barrier(static_cast<std::ptrdiff_t>(threads), switch_target);
    std::vector<std::vector<Tally>> tallies(threads);
    const auto work = [&](std::size_t thread) {
      tallies[thread].assign(lines.size(), Tally(options_.keep));
      Worker<type> worker(*this, inputs);
      for (std::size_t first = 0; first < units; first += threads) {
        const std::size_t unit = first + thread;
        if (unit < units) worker.take(unit / groups);
        for (std::size_t t = 0; t < targets_.size(); ++t) {
          if (targets_.size() > 1) barrier.arrive_and_wait();
          const std::size_t begin = unit % groups * group;
          for (std::size_t a = begin; unit < units && a < std::min(begin + group, attributes_.size()); ++a) {
            const std::size_t line = t * attributes_.size() + a;
            worker.check(lines[line].parameter, attributes_[a], tallies[thread][line]);
          }
        }
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
      work(0);
    }
    for (const std::vector<Tally>& of_thread : tallies) {
      for (std::size_t line = 0; line < lines.size(); ++line) lines[line].tally.add(of_thread[line]);
    }
    return lines;
  }

  const Operator& op_;
  const ReferenceRow& reference_;
  std::vector<std::string> targets_;
  std::vector<float> attributes_;
  SweepOptions options_;
};

/// What one thread does.
template <ElementType type>
class Sweep::Worker {
 public:
  Worker(const Sweep& sweep, const SweepInputs<type>& inputs)
      : sweep_(sweep), inputs_(inputs), x_(inputs.chunk_size + 1), y_(inputs.chunk_size + 1) {
    if (sweep.reference_.form == Form::scaled_expm1) {
      hi_.resize(inputs.chunk_size);
      if (type == ElementType::f64) lo_.resize(inputs.chunk_size);
    }
  }

  /// Prepares the inputs of a chunk, and what all attributes and targets share.
  void take(std::size_t chunk) {
    if (chunk == chunk_) return;
    chunk_ = chunk;
    n_ = inputs_.fill(chunk, x_.data());
    blocks_.clear();
    for (std::size_t begin = 0; begin < n_; begin += blocks_.back().n) {
      Block block{begin, std::min(block_size, n_ - begin), Kind::slow, 0};
      if (sweep_.reference_.form == Form::threshold) block.kind = Kind::threshold;
      if (sweep_.reference_.form == Form::scaled_expm1) {
        const Pattern<type>* x = &x_[begin];
        const bool is_negative = is_below_zero<type>(*x);
        if (count_negatives<type>(x, block.n) != (is_negative ? block.n : 0)) {  // what is of another kind is another block's
          const auto end = std::find_if(x, x + block.n, [=](Pattern<type> other) { return is_below_zero<type>(other) != is_negative; });
          block.n = static_cast<std::size_t>(end - x);
        }
        block.kind = is_negative ? Kind::expm1 : Kind::unchanged;
        if (is_negative) {
          read_block<type>(x, block.n, values_);
          block.smallest = expm1_of_block<type>(values_, block.n, &hi_[begin], lo_.empty() ? nullptr : &lo_[begin]);
        }
      }
      blocks_.push_back(block);
    }
  }

  void check(const Parameter& parameter, float attribute, Tally& tally) {
    const std::vector<float> values(sweep_.op_.attributes.size(), attribute);
    if (sweep_.op_.call(x_.data(), y_.data(), n_ + 1, values.data()) != ACTINIDE_OK) {
      tally.wrong_bits.add(x_[0], y_[0], n_);
      return;
    }
    if (sweep_.options_.spoiled) spoil();
    const double rounded = rounded_attribute(type, attribute);
    const bool wants_bins = sweep_.options_.bins && attribute == 1.0f;
    if (wants_bins) tally.bins.resize(bin_of(type, infinity_bits(type)) + 1);
    tally.inputs += n_;
    for (const Block& block : blocks_) {
      const Pattern<type>*x = &x_[block.begin], *y = &y_[block.begin];
      switch (block.kind) {
        case Kind::unchanged:
          if (std::memcmp(x, y, block.n * sizeof(*x)) != 0) check_slowly(parameter, attribute, rounded, block, tally);
          break;
        case Kind::threshold:
          read_block<type>(x, block.n, values_);
          if (!is_thresholded<type>(x, values_, rounded, y, block.n)) check_slowly(parameter, attribute, rounded, block, tally);
          break;
        case Kind::expm1: {
          if (rounded == 0 || std::isinf(rounded)) {  // nothing to round
            check_slowly(parameter, attribute, rounded, block, tally);
            break;
          }
          const double largest = errors(block, rounded);
          tally.rounded += block.n;
          check_order(block, rounded, tally);
          judge(parameter, attribute, rounded, block, largest, tally);
          break;
        }
        case Kind::slow: check_slowly(parameter, attribute, rounded, block, tally); break;
      }
      if (wants_bins && block.kind == Kind::expm1) {  // attribute 1 alone
        for (std::size_t i = 0; i < block.n; ++i) {
          float& bin = tally.bins[bin_of(type, x[i])];
          bin = std::max(bin, static_cast<float>(error_[i]));
        }
      }
    }
  }

 private:
  enum class Kind { unchanged, threshold, expm1, slow };
  struct Block {
    std::size_t begin, n;
    Kind kind;
    double smallest;  ///< magnitude of e^x - 1
  };

  void spoil() {
    const auto [x, y] = *sweep_.options_.spoiled;
    for (std::size_t i = 0; i <= n_; ++i) {
      if (x_[i] == x) y_[i] = static_cast<Pattern<type>>(y);
    }
  }

  Reference right(std::uint64_t x, double rounded) const { return sweep_.reference_.function(type, x, rounded); }

  /// Fills error_, with the largest as the result.
  double errors(const Block& block, double rounded) {
    read_block<type>(&y_[block.begin], block.n, values_);
    if constexpr (type != ElementType::f64) {
      return errors_of_block<type>(&hi_[block.begin], rounded, values_, block.n, error_);
    } else {
      if (block.smallest >= float64_block_minimum)
        return errors_of_block(&hi_[block.begin], &lo_[block.begin], rounded, values_, block.n, error_);
      double largest = 0;
      for (std::size_t i = block.begin; i < block.begin + block.n; ++i) {
        const double error = ulp_error(type, y_[i], right(x_[i], rounded));
        error_[i - block.begin] = error;
        largest = std::max(largest, error);
      }
      return largest;
    }
  }

  /// Signs, range and monotonicity of a block of negative inputs.
  void check_order(const Block& block, double rounded, Tally& tally) {
    const Pattern<type>*x = &x_[block.begin], *y = &y_[block.begin];
    const std::uint64_t bound = nearest_bits(type, std::fabs(rounded));
    const BlockOrder order = order_of_block<type>(x, y, block.n, rounded > 0);
    if (order.breaks == 0 && order.largest <= bound && !order.wrong_sign) return;
    for (std::size_t i = 0; i < block.n; ++i) check_order_of_one(x[i], y[i], x[i + 1], y[i + 1], rounded, bound, tally);
  }

  void check_order_of_one(Pattern<type> x, Pattern<type> y, Pattern<type> next_x, Pattern<type> next_y, double rounded, std::uint64_t bound,
                          Tally& tally) const {
    constexpr std::uint64_t sign = sign_bit(type);
    if ((y & (sign - 1)) > bound) tally.outside.add(x, y);
    if (((y & sign) != 0) != (rounded > 0)) tally.wrong_signs.add(x, y);
    if (next_x == static_cast<Pattern<type>>(x + 1) && (next_y & (sign - 1)) < (y & (sign - 1))) tally.breaks.add(x, y);
  }

  /// Takes what is known of error_ to the tally.
  void judge(const Parameter& parameter, float attribute, double rounded, const Block& block, double largest, Tally& tally) {
    const std::size_t begin = block.begin;
    const bool flushes = is_32_bit_neon(parameter.target) &&
                         std::min({block.smallest, block.smallest * std::fabs(rounded), std::fabs(rounded)}) < 0x1.00001p-126;
    const bool has_subnormals =
        has_loose_subnormals(type, attribute) && block.smallest * std::fabs(rounded) < 1.0001 * smallest_normal(type);
    if (flushes || has_subnormals) {
      largest = 0;
      for (std::size_t i = 0; i < block.n; ++i) {
        const double exact = hi_[begin + i] * rounded;
        if (flushes && is_allowed_zero(parameter, y_[begin + i], value_of(type, x_[begin + i]), rounded, exact)) error_[i] = 0;
        if (has_subnormals && std::fabs(exact) < smallest_normal(type)) {
          if (error_[i] > tally.worst_subnormal.error) tally.worst_subnormal = {error_[i], x_[begin + i], y_[begin + i]};
          error_[i] = 0;
        }
        largest = std::max(largest, error_[i]);
      }
    }
    constexpr bool is_16_bit = format_of(type).bits == 16;
    constexpr double maybe_wrong = 0.5 - 0x1p-20;
    if (is_16_bit && largest > maybe_wrong) {
      largest = 0;
      for (std::size_t i = 0; i < block.n; ++i) {
        if (error_[i] > maybe_wrong) error_[i] = check_rounding(x_[begin + i], y_[begin + i], rounded, tally);
        largest = std::max(largest, error_[i]);
      }
    }
    if (largest > tally.worst.threshold()) {
      for (std::size_t i = 0; i < block.n; ++i) tally.worst.add({error_[i], x_[begin + i], y_[begin + i]});
    }
  }

  /// Counts a wrong rounding; the error is the result.
  double check_rounding(std::uint64_t x, std::uint64_t y, double rounded, Tally& tally) const {
    const Reference exact = right(x, rounded);
    if (!is_rightly_rounded(type, y, exact)) {
      tally.wrong_roundings.add(x, y);
      if (std::fabs(exact.value) >= smallest_normal(type)) tally.wrong_normal_roundings.add(x, y);
    }
    return ulp_error(type, y, exact);
  }

  /// One by one.
  void check_slowly(const Parameter& parameter, float attribute, double rounded, const Block& block, Tally& tally) {
    const std::uint64_t bound = nearest_bits(type, std::fabs(rounded));
    for (std::size_t i = block.begin; i < block.begin + block.n; ++i) {
      const std::uint64_t x = x_[i], y = y_[i];
      const Reference exact = right(x, rounded);
      if (exact.is_exact) {
        if (y != exact.bits) tally.wrong_bits.add(x, y);
        continue;
      }
      ++tally.rounded;
      if (sweep_.reference_.form == Form::scaled_expm1) {
        check_order_of_one(x_[i], y_[i], x_[i + 1], y_[i + 1], rounded, bound, tally);
      } else if (std::signbit(exact.value) != ((y & sign_bit(type)) != 0)) {
        tally.wrong_signs.add(x, y);
      }
      if (is_nan_bits(type, y) && sweep_.reference_.form != Form::scaled_expm1) tally.outside.add(x, y);
      if (is_allowed_zero(parameter, y, value_of(type, x), rounded, exact.value)) continue;
      const double error = format_of(type).bits == 16 ? check_rounding(x, y, rounded, tally) : ulp_error(type, y, exact);
      if (has_loose_subnormals(type, attribute) && std::fabs(exact.value) < smallest_normal(type)) {
        if (error > tally.worst_subnormal.error) tally.worst_subnormal = {error, x, y};
      } else {
        tally.worst.add({error, x, y});
      }
    }
  }

  const Sweep& sweep_;
  const SweepInputs<type>& inputs_;
  std::vector<Pattern<type>> x_, y_;
  std::vector<double> hi_, lo_;
  std::vector<Block> blocks_;
  std::size_t chunk_ = SIZE_MAX, n_ = 0;
  BlockValue<type> values_[block_size];
  double error_[block_size];
};

/// The error of one result, by any means.
using ErrorFunction = std::function<double(ElementType type, std::uint64_t x, double attribute, std::uint64_t y)>;

/// The worst of a line, recomputed: by the precise reference, and by `other` if there is one. `disagreement` is the largest difference of
/// the two that was seen.
inline Seen worst_of(const SweepLine& line, const ReferenceRow& reference, const ErrorFunction& other = {},
                     double* disagreement = nullptr) {
  const ElementType type = line.parameter.op->type;
  const double rounded = rounded_attribute(type, line.attribute);
  Seen worst;
  for (Seen w : line.tally.worst.list()) {
    w.error = ulp_error(type, w.y, reference.precise(type, w.x, rounded));
    if (other) {
      const double again = other(type, w.x, rounded, w.y);
      *disagreement = std::max(*disagreement, std::fabs(again - w.error));
      w.error = again;
    }
    if (w.error > worst.error) worst = w;
  }
  return worst;
}

/// How far an error may be from the true one before it is recomputed.
inline double uncertainty(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::bf16: return 0;  // near 0.5, which is what counts, it was recomputed at once
    case ElementType::f32: return 0x1p-26;
    case ElementType::f64: break;
  }
  return 0x1p-48;
}

/// What is wrong with a line, a sentence each.
inline std::vector<std::string> complaints(const SweepLine& line, const Seen& worst) {
  const Tally& tally = line.tally;
  const Parameter& parameter = line.parameter;
  std::vector<std::string> found;
  const auto format = [](const char* pattern, auto... values) {
    char text[256];
    std::snprintf(text, sizeof text, pattern, values...);
    return std::string(text);
  };
  const auto counted = [&](const Count& count, const char* what) {
    if (count.count == 0) return;
    const auto x = static_cast<unsigned long long>(count.first.x), y = static_cast<unsigned long long>(count.first.y);
    found.push_back(format("%llu %s: x 0x%llx gives 0x%llx", static_cast<unsigned long long>(count.count), what, x, y));
  };
  counted(tally.wrong_bits, "exact results are others");
  counted(tally.wrong_signs, "results have the wrong sign");
  counted(tally.outside, "results are NaN or beyond -alpha");
  if (tally.rounded == 0) return found;
  const Limit* limit = find_limit(parameter, attributes_of(line.attribute));
  if (limit == nullptr) {
    found.emplace_back("limits.def has no row");
    return found;
  }
  const auto x = static_cast<unsigned long long>(worst.x);
  if (worst.error > limit->limit) {
    found.push_back(format("%.9f ULP at x 0x%llx: the limit is %g", worst.error, x, limit->limit));
  } else if (worst_is_known(*limit) && worst.error > limit->worst + 1e-6) {
    found.push_back(format("%.9f ULP at x 0x%llx: the worst in limits.def is %.6f", worst.error, x, limit->worst));
  } else if (tally.worst.threshold() + uncertainty(parameter.op->type) > limit->limit) {
    found.push_back(format("too many results within %g ULP of the limit %g to tell", uncertainty(parameter.op->type), limit->limit));
  }
  if (limit->limit <= 0.5) counted(tally.wrong_roundings, "results are wrongly rounded");
  if (tally.worst_subnormal.error > subnormal_limit(arithmetic_of(parameter.target)))
    found.push_back(format("subnormal result: %.6f ULP at x 0x%llx", tally.worst_subnormal.error,
                           static_cast<unsigned long long>(tally.worst_subnormal.x)));
  return found;
}

}  // namespace actinide::test
