/* Actinide: neural-network activations compiled ahead of time. The whole C API. */
#ifndef ACTINIDE_ACTINIDE_H
#define ACTINIDE_ACTINIDE_H

#include <actinide/core.h>
#include <actinide/operators.h>

#endif
