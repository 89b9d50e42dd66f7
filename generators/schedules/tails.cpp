// What is left after whole vectors, where masks are missing or slow.
#include <stdexcept>
#include <utility>
#include <vector>

#include "../schedule.h"

namespace actinide::halide {

namespace {

using Halide::Expr;
using namespace Halide::Internal;

/// A predicated vector, of which n elements are wanted, becomes the first 2^k and the last 2^k of them, 2^k <= n < 2^(k + 1): two loads and
/// two stores, which overlap. All is loaded before any is stored, so in place nothing is computed twice.
class PredicateByEnds : public IRMutator {
 protected:
  using IRMutator::visit;

  Expr visit(const Load* load) override {
    if (is_const_one(load->predicate)) return load;
    const Tail tail(load->index);
    const auto part = [&](const Expr& begin, int size) {
      return Load::make(load->type.with_lanes(size), load->name, neighbours(begin, size), load->image, load->param, const_true(size), {});
    };
    Expr result;
    for (int size = 1; size < load->type.lanes(); size *= 2) {
      std::vector<Expr> parts = {part(tail.begin, size)};
      if (size > 1) parts.push_back(part(tail.end - size, size));
      const int surplus = load->type.lanes() - static_cast<int>(parts.size()) * size;
      if (surplus > 0) parts.push_back(make_zero(load->type.with_lanes(surplus)));
      const Expr ends = Shuffle::make_concat(parts);
      result = size == 1 ? ends : Call::make(load->type, Call::if_then_else, {tail.has(size), ends, result}, Call::PureIntrinsic);
    }
    return result;
  }

  Stmt visit(const Store* store) override {
    if (is_const_one(store->predicate)) return IRMutator::visit(store);
    const Tail tail(store->index);
    const std::string name = unique_name("tail");
    const Expr value = Variable::make(store->value.type(), name);
    const auto part = [&](const Expr& begin, int lane, int size) {
      return Store::make(store->name, Shuffle::make_slice(value, lane, 1, size), neighbours(begin, size), store->param, const_true(size),
                         {});
    };
    Stmt result;
    for (int size = 1; size < value.type().lanes(); size *= 2) {
      const Stmt first = part(tail.begin, 0, size);
      if (size == 1) {
        result = first;
      } else {
        result = IfThenElse::make(tail.has(size), Block::make(first, part(tail.end - size, size, size)), result);
      }
    }
    return LetStmt::make(name, mutate(store->value), result);
  }

 private:
  /// Predicates keep out what is beyond the extent.
  struct Tail {
    Expr begin, end;

    explicit Tail(const Expr& index) : end(Variable::make(Halide::Int(32), "y.extent.0")) {
      const auto* ramp = index.as<Ramp>();
      if (ramp == nullptr || !is_const_one(ramp->stride)) throw std::logic_error("a predicate on what are not neighbours");
      begin = ramp->base;
    }

    Expr has(int elements) const { return end - begin >= elements; }
  };

  static Expr neighbours(const Expr& begin, int size) { return size == 1 ? begin : Ramp::make(begin, 1, size); }
};

}  // namespace

void Kernel::define_tail(int lanes) const {
  const Expr whole = extent / lanes * lanes;
  const Halide::RDom rest(0, extent - whole);
  for (Halide::Stage& stage : define(whole + rest)) stage.vectorize(rest, lanes, Halide::TailStrategy::Predicate);
}

void add_lowering_pass_for_tails(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new PredicateByEnds); }

}  // namespace actinide::halide
