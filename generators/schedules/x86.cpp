// x86-64: SSE4.1, AVX2 with FMA and F16C, AVX-512 (Skylake level).
#include <stdexcept>
#include <utility>

#include "../schedule.h"

namespace actinide::halide {

namespace {

using Halide::Expr;
using namespace Halide::Internal;

/// bfloat16 is widened by zeros and cut back within words of 32 bits that hold two elements: the even ones by a mask, the odd ones by a
/// shift. As neighbours they would cross the halves of a register, which takes three instructions more each way.
///
/// So within a vector, values of 32 bits stand in another order: those of even elements, then those of odd ones. All operations are
/// elementwise, so only what connects both orders must know.
class WidenWithinWords : public IRMutator {
 public:
  /// Halide's own operations from 16 bits to 32 become casts before.
  Stmt mutate(const Stmt& s) override {
    if (std::exchange(is_inside_, true)) return IRMutator::mutate(s);
    return IRMutator::mutate(lower_intrinsics(s));
  }

 protected:
  using IRMutator::mutate;
  using IRMutator::visit;

  Stmt visit(const Store* store) override {
    return Store::make(store->name, mutate(store->value), store->index, store->param, store->predicate, store->alignment);
  }

  Expr visit(const Load* load) override {
    if (is_split(load->type)) throw std::logic_error("a tensor of 32 bits beside one of 16");
    return load;
  }

  Expr visit(const Ramp* ramp) override {
    if (is_split(ramp->type)) throw std::logic_error("the index of an element in its formula");
    return ramp;
  }

  Expr visit(const Cast* cast) override {
    const Halide::Type from = cast->value.type(), to = cast->type;
    if (!from.is_vector() || is_split(from) == is_split(to)) return IRMutator::visit(cast);
    if (cast->value.as<Ramp>() != nullptr) return cast;  // the places of elements, in their order
    if (from.is_bool()) return Cast::make(to, in_order(is_split(to), cast->value));
    const Expr value = mutate(cast->value);
    if (from.is_uint() && from.bits() == 16 && to.is_uint()) {
      const Halide::Type words = to.with_lanes(to.lanes() / 2);
      const Expr pairs = Reinterpret::make(words, value);
      return Shuffle::make_concat({pairs & make_const(words, 0xffff), pairs >> make_const(words, 16)});
    }
    if (to.is_uint() && to.bits() == 16 && from.is_uint()) {
      const Halide::Type words = from.with_lanes(from.lanes() / 2);
      const Expr even = first_half(value), odd = second_half(value);
      return Reinterpret::make(to, (even & make_const(words, 0xffff)) | (odd << make_const(words, 16)));
    }
    return is_split(to) ? split(Cast::make(to, value)) : Cast::make(to, join(value));
  }

  Expr visit(const Select* select) override {
    return Select::make(in_order(is_split(select->type), select->condition), mutate(select->true_value), mutate(select->false_value));
  }

  // A comparison has the order of its operands.
  Expr visit(const EQ* op) override { return compared(op->a, IRMutator::visit(op)); }
  Expr visit(const NE* op) override { return compared(op->a, IRMutator::visit(op)); }
  Expr visit(const LT* op) override { return compared(op->a, IRMutator::visit(op)); }
  Expr visit(const LE* op) override { return compared(op->a, IRMutator::visit(op)); }
  Expr visit(const GT* op) override { return compared(op->a, IRMutator::visit(op)); }
  Expr visit(const GE* op) override { return compared(op->a, IRMutator::visit(op)); }
  Expr visit(const Call* op) override {
    if (op->type.is_bool()) return compared(op->args.front(), IRMutator::visit(op));
    for (const Expr& argument : op->args) {
      if (op->type.is_vector() && is_split(argument.type()) != is_split(op->type)) throw std::logic_error("no order for " + op->name);
    }
    return IRMutator::visit(op);
  }

  // A variable that holds a condition has the order of elements.
  Expr visit(const Variable* variable) override {
    return variable->type.is_bool() && variable->type.is_vector() && wants_split_ ? split(variable) : Expr(variable);
  }
  Expr visit(const Let* let) override {
    const Expr value = let->value.type().is_bool() ? in_order(false, let->value) : mutate(let->value);
    return Let::make(let->name, value, mutate(let->body));
  }

 private:
  bool is_inside_ = false;
  bool wants_split_ = false;  ///< the order of a condition that is being visited

  static bool is_split(const Halide::Type& type) { return type.is_vector() && type.bits() == 32; }

  Expr in_order(bool wants_split, const Expr& condition) {
    const bool outer = std::exchange(wants_split_, wants_split);
    const Expr result = mutate(condition);
    wants_split_ = outer;
    return result;
  }

  Expr compared(const Expr& operand, const Expr& condition) const {
    if (!condition.type().is_vector() || is_split(operand.type()) == wants_split_) return condition;
    return wants_split_ ? split(condition) : join(condition);
  }

  static Expr first_half(const Expr& e) { return Shuffle::make_slice(e, 0, 1, e.type().lanes() / 2); }
  static Expr second_half(const Expr& e) { return Shuffle::make_slice(e, e.type().lanes() / 2, 1, e.type().lanes() / 2); }
  static Expr split(const Expr& e) {
    const int half = e.type().lanes() / 2;
    return Shuffle::make_concat({Shuffle::make_slice(e, 0, 2, half), Shuffle::make_slice(e, 1, 2, half)});
  }
  static Expr join(const Expr& e) { return Shuffle::make_interleave({first_half(e), second_half(e)}); }
};

/// float16 is widened on its way from memory, a register at a time: of a register that holds more elements the upper ones would have to be
/// moved down first.
class WidenLoads : public IRMutator {
 public:
  explicit WidenLoads(int lanes) : lanes_(lanes) {}

 protected:
  using IRMutator::visit;

  Expr visit(const Cast* cast) override {
    const auto* stored = cast->value.as<Reinterpret>();
    const auto* load = stored != nullptr ? stored->value.as<Load>() : nullptr;
    const auto* index = load != nullptr ? load->index.as<Ramp>() : nullptr;
    if (index == nullptr || cast->type.bits() != 32 || load->type.bits() != 16 || index->lanes <= lanes_ ||
        !is_const_one(load->predicate)) {
      return IRMutator::visit(cast);
    }
    std::vector<Expr> parts;
    for (int lane = 0; lane < index->lanes; lane += lanes_) {
      const Expr part =
          Load::make(load->type.with_lanes(lanes_), load->name, Ramp::make(index->base + lane * index->stride, index->stride, lanes_),
                     load->image, load->param, const_true(lanes_), ModulusRemainder());
      parts.push_back(Cast::make(cast->type.with_lanes(lanes_), Reinterpret::make(stored->type.with_lanes(lanes_), part)));
    }
    return Shuffle::make_concat(parts);
  }

 private:
  int lanes_;
};

}  // namespace

void add_lowering_passes_x86(Halide::Pipeline& pipeline, ElementType type, const Halide::Target& target) {
  if (type == ElementType::bf16) pipeline.add_custom_lowering_pass(new WidenWithinWords);
  if (type == ElementType::f16) pipeline.add_custom_lowering_pass(new WidenLoads(target.natural_vector_size<float>()));
}

void schedule_x86(const Kernel& kernel) {
  const bool is_light = kernel.multiplications() < 4;
  // Arithmetic on float16 fills a register with half as many elements; so does a vector, for short tensors do not need more.
  const bool is_widened = kernel.type == ElementType::f16 && !is_light;
  const int lanes = kernel.target.natural_vector_size(is_widened ? Halide::Float(32) : kernel.stored());
  // As many vectors in an iteration as leave every value in a register: AVX-512 has 32 of them, the others 16.
  const int unroll = is_light || kernel.target.has_feature(Halide::Target::AVX512_Skylake) ? 4 : is_widened ? 2 : 1;

  // The blocks also keep their speed when y - x is 64 or 128 (mod 4096): one vector at a time, every load would seem to depend on the store
  // before it and wait.
  kernel.define_whole_vectors(lanes, unroll);
  kernel.define_tail(lanes);
}

}  // namespace actinide::halide
