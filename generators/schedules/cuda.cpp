// CUDA. A kernel is one launch of blocks of 256 threads, on device memory of the caller's.
//
//   whole blocks     every thread has the elements of 16 bytes, and one load and one store for them
//   blocks after     an element a thread, as many as are left
//
// tests/opencl runs the same loops on a CPU, through Halide's OpenCL, which compiles no vector comparisons.
#include <bit>
#include <stdexcept>

#include "../schedule.h"

namespace actinide::halide {

namespace {

using Halide::Expr;
using namespace Halide::Internal;

/// Is the statement a kernel and nothing more?
const For* as_kernel(const Stmt& s) {
  const auto* loop = s.as<For>();
  return loop != nullptr && loop->for_type == ForType::GPUBlock ? loop : nullptr;
}

/// Does the statement only keep host and device memory alike?
bool keeps_memory_alike(const Stmt& s) {
  const auto* evaluate = s.as<Evaluate>();
  const auto* call = evaluate != nullptr ? evaluate->value.as<Call>() : nullptr;
  return call != nullptr && (call->name == "halide_copy_to_device" || call->name == "_halide_buffer_set_device_dirty");
}

/// Two kernels in a row, with blocks of one size, become one, whose further blocks are those of the second: one launch instead of two.
/// What Halide puts between them keeps host and device memory alike, and falls away: there is device memory alone.
class FuseKernels : public IRMutator {
 protected:
  using IRMutator::visit;

  Stmt visit(const Block* block) override {
    std::vector<std::pair<std::string, Expr>> lets;
    std::vector<Stmt> statements;
    flatten(block, lets, statements);
    Stmt result = Block::make(statements);
    for (auto let = lets.rbegin(); let != lets.rend(); ++let) result = LetStmt::make(let->first, let->second, result);
    return result;
  }

 private:
  void flatten(const Stmt& s, std::vector<std::pair<std::string, Expr>>& lets, std::vector<Stmt>& statements) {
    if (const auto* block = s.as<Block>()) {
      flatten(block->first, lets, statements);
      flatten(block->rest, lets, statements);
    } else if (const auto* let = s.as<LetStmt>()) {
      lets.emplace_back(let->name, let->value);
      flatten(let->body, lets, statements);
    } else if (!keeps_memory_alike(s)) {
      const For* second = as_kernel(s);
      const For* first = second != nullptr && !statements.empty() ? as_kernel(statements.back()) : nullptr;
      if (first != nullptr) {
        statements.back() = fuse(*first, *second);
      } else {
        statements.push_back(mutate(s));
      }
    }
  }

  static Stmt fuse(const For& first, const For& second) {
    const For* threads = first.body.as<For>();
    const For* others = second.body.as<For>();
    if (!equal(threads->extent, others->extent)) throw std::logic_error("kernels in a row have blocks of different sizes");
    const Expr block = Variable::make(Halide::Int(32), first.name);
    Stmt after = substitute(second.name, block - first.extent, others->body);
    after = substitute(others->name, Variable::make(Halide::Int(32), threads->name), after);
    const Stmt body = IfThenElse::make(block < first.extent, threads->body, after);
    return For::make(
        first.name, first.min, first.extent + second.extent, first.for_type, first.partition_policy, first.device_api,
        For::make(threads->name, threads->min, threads->extent, threads->for_type, threads->partition_policy, threads->device_api, body));
  }
};

/// An aligned vector of 16 bytes is loaded and stored as four words of 32 bits: in one access whatever its type. Of eight elements with 16
/// bits Halide would make two.
class AccessAsWords : public IRMutator {
 protected:
  using IRMutator::visit;

  Expr visit(const Load* load) override {
    const Expr index = index_of_words(load->type, load->index, load->predicate, load->alignment);
    if (!index.defined()) return IRMutator::visit(load);
    const Expr all = const_true(words.lanes());
    return Halide::reinterpret(load->type, Load::make(words, load->name, index, load->image, load->param, all, aligned));
  }

  Stmt visit(const Store* store) override {
    const Expr index = index_of_words(store->value.type(), store->index, store->predicate, store->alignment);
    if (!index.defined()) return IRMutator::visit(store);
    const Expr all = const_true(words.lanes());
    return Store::make(store->name, Halide::reinterpret(words, mutate(store->value)), index, store->param, all, aligned);
  }

 private:
  const Halide::Type words = Halide::UInt(32, 4);
  const ModulusRemainder aligned{4, 0};

  /// The index in words; undefined for any other access.
  Expr index_of_words(const Halide::Type& type, const Expr& index, const Expr& predicate, const ModulusRemainder& alignment) const {
    const auto* ramp = index.as<Ramp>();
    const bool is_aligned = alignment.modulus % type.lanes() == 0 && alignment.remainder % type.lanes() == 0;
    if (ramp == nullptr || type.bits() * type.lanes() != 128 || !is_const_one(ramp->stride) || !is_const_one(predicate) || !is_aligned) {
      return {};
    }
    return Ramp::make(simplify(ramp->base / type.lanes() * words.lanes()), 1, words.lanes());
  }
};

/// Halide prints constants for OpenCL as float32, also those that are float64: these become patterns, which it prints as they are.
class DoublesAsPatterns : public IRMutator {
 protected:
  using IRMutator::visit;

  Stmt visit(const For* loop) override {
    const bool outside = is_opencl_;
    is_opencl_ = outside || loop->device_api == Halide::DeviceAPI::OpenCL;
    Stmt result = IRMutator::visit(loop);
    is_opencl_ = outside;
    return result;
  }

  Expr visit(const FloatImm* constant) override {
    if (!is_opencl_ || constant->type.bits() != 64) return constant;
    return Halide::reinterpret(constant->type, UIntImm::make(Halide::UInt(64), std::bit_cast<uint64_t>(constant->value)));
  }

 private:
  bool is_opencl_ = false;
};

}  // namespace

void schedule_cuda(const Kernel& kernel) {
  using Halide::RDom;
  using Halide::RVar;

  constexpr int threads = 256;
  const int elements = 128 / kernel.stored().bits();
  const int chunk = threads * elements;
  const Expr chunks = kernel.extent / chunk;

  // The elements of a thread lie side by side, or where the tensors may not be aligned those of all threads do.
  const RDom whole(0, elements, 0, threads, 0, chunks);
  const Expr index = kernel.is_aligned ? whole.y * elements + whole.x : whole.x * threads + whole.y;
  for (Halide::Stage& stage : kernel.define(whole.z * chunk + index)) {
    stage.allow_race_conditions().gpu_blocks(whole.z).gpu_threads(whole.y);
    kernel.target.has_feature(Halide::Target::CUDA) ? stage.vectorize(whole.x) : stage.unroll(whole.x);
  }

  const RDom rest(0, kernel.extent - chunks * chunk);
  const RVar block("block"), thread("thread");
  for (Halide::Stage& stage : kernel.define(chunks * chunk + rest)) {
    stage.allow_race_conditions().split(rest, block, thread, threads, Halide::TailStrategy::GuardWithIf).never_partition_all();
    stage.gpu_blocks(block).gpu_threads(thread);
  }
}

void add_lowering_passes_cuda(Halide::Pipeline& pipeline) {
  pipeline.add_custom_lowering_pass(new FuseKernels);
  pipeline.add_custom_lowering_pass(new AccessAsWords);
  pipeline.add_custom_lowering_pass(new DoublesAsPatterns);
}

}  // namespace actinide::halide
