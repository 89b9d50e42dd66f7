# The target table: every instruction set that kernels are built for, least demanding first within an architecture.
#
#   actinide_target(NAME ARCHITECTURE FEATURES)
#
# NAME is the word in files, symbols, environment, tests and tables. FEATURES are Halide's, with every implied one: the generators ask for
# them one by one. runtime/src/cpu_features.h declares supports_NAME().

set(actinide_known_targets "")

function(actinide_target name architecture features)
  set(actinide_known_targets ${actinide_known_targets} ${name} PARENT_SCOPE)
  set(actinide_architecture_of_${name} ${architecture} PARENT_SCOPE)
  string(REPLACE " " "-" features "${features}")
  # Without asserts, bounds queries and runtime a kernel refers to nothing outside itself: the functions over it validate.
  set(actinide_halide_target_of_${name} "${architecture}-linux-${features}-no_asserts-no_bounds_query-no_runtime" PARENT_SCOPE)
endfunction()

actinide_target(sse41  x86-64 "sse41")
actinide_target(avx2   x86-64 "sse41 avx avx2 f16c fma")
actinide_target(avx512 x86-64 "sse41 avx avx2 f16c fma avx512 avx512_skylake")

string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" _processor)
if(_processor MATCHES "^(x86_64|amd64)$")
  set(ACTINIDE_ARCHITECTURE x86-64)
else()
  message(FATAL_ERROR "Actinide has no kernels for the processor '${CMAKE_SYSTEM_PROCESSOR}'. It has them for: x86_64.")
endif()

set(_platform_targets "")
foreach(name IN LISTS actinide_known_targets)
  if(actinide_architecture_of_${name} STREQUAL ACTINIDE_ARCHITECTURE)
    list(APPEND _platform_targets ${name})
  endif()
endforeach()

set(ACTINIDE_TARGETS "${_platform_targets}" CACHE STRING "Targets to build kernels for, least demanding first")
foreach(name IN LISTS ACTINIDE_TARGETS)
  if(NOT name IN_LIST _platform_targets)
    list(JOIN _platform_targets ", " _names)
    message(FATAL_ERROR "ACTINIDE_TARGETS: '${name}' is not a target of ${ACTINIDE_ARCHITECTURE}. Targets: ${_names}.")
  endif()
endforeach()
if(NOT ACTINIDE_TARGETS)
  message(FATAL_ERROR "ACTINIDE_TARGETS is empty.")
endif()
