// Actinide: neural-network activations compiled ahead of time. The whole C++20 API, inline over the C one.
#pragma once

#include <actinide/core.hpp>
#include <actinide/operators.hpp>
