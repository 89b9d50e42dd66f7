// What else there is for the operators of the list, callable in one form: one table of peers for each instruction set, for the benchmark
// and for accuracy_peers.
//
// A table is a shared object (module.cpp), compiled for its instruction set. Each is loaded into a namespace of the linker's of its own, so
// that libraries which choose their instructions once a process choose anew, and no two share a function that was compiled for one of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace actinide::peers {

/// A call that is prepared: run(state) computes y from x.
struct Call {
  void (*run)(void* state) = nullptr;  ///< null: the peer cannot do it
  void* state = nullptr;
  void (*release)(void* state) = nullptr;
};

struct Peer {
  const char* name;   ///< in the names of benchmarks: "eigen_expm1"
  const char* title;  ///< for people, with the version: "Eigen 3.4.0 expm1"
  const char* op;     ///< as in the list, or "copy"
  const char* type;
  const char* isa;  ///< a target's name
  /// Of n > 0 elements; x may be y, except of a copy.
  Call (*prepare)(const void* x, void* y, std::size_t n, float alpha);
};

/// What was not found when this was built.
struct Missing {
  const char* name;
  const char* package;  ///< Debian's
};

struct Table {
  const Peer* peers;
  std::size_t peer_count;
  const Missing* missing;
  std::size_t missing_count;
};

/// The table for a target's instruction set, which the machine must have; empty and with a message on standard error if there is none.
Table load(const std::string& isa);

}  // namespace actinide::peers
