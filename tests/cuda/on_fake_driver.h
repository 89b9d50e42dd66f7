// A functions header (tools/operator_table.h): the list on CUDA, on a stream that the test says.
#pragma once

#include <actinide/cuda.h>

#include <string>
#include <vector>

namespace actinide::test {

inline thread_local void* stream_of_calls = nullptr;

inline std::vector<std::string> built_targets() { return {"cuda"}; }
inline bool use_target(const char*) { return true; }

}  // namespace actinide::test

#define ACTINIDE_FUNCTION_OF(operator_, type_) \
  [](auto... arguments) { return actinide_cuda_##operator_##_##type_(arguments..., actinide::test::stream_of_calls); }
