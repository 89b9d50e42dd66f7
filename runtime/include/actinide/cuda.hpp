// Actinide on CUDA: the whole C++20 API, inline over the C one.
#pragma once

#include <actinide/cuda/core.hpp>
#include <actinide/cuda/operators.hpp>
