// The library as a shared object, for python_peers.py, and an executor that Python cannot make: its callbacks would need the interpreter.
#include <actinide/actinide.hpp>

#ifdef _OPENMP
#include <actinide/openmp.hpp>
using Threads = actinide::openmp;
#else
#include <actinide/parallel.hpp>
using Threads = actinide::parallel;
#endif

/// Never deleted: calls refer to it.
extern "C" const actinide_executor* actinide_threads_for_python(std::size_t threads) { return new Threads(threads); }
