# The target table: every instruction set that kernels are built for, least demanding first within an architecture.
#
#   actinide_target(NAME ARCHITECTURE FEATURES [F16_FEATURES])
#
# NAME is the word in files, symbols, environment, tests and tables. FEATURES are Halide's, with every implied one: the generators ask for
# them one by one. F16_FEATURES are for kernels of that type alone. runtime/src/cpu_features.h declares supports_NAME().

string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" _processor)
if(_processor MATCHES "^(x86_64|amd64)$")
  set(ACTINIDE_ARCHITECTURE x86-64)
elseif(_processor MATCHES "^(aarch64|arm64)$")
  set(ACTINIDE_ARCHITECTURE arm-64)
elseif(_processor MATCHES "^arm")
  set(ACTINIDE_ARCHITECTURE arm-32)
else()
  message(FATAL_ERROR "Actinide has no kernels for the processor '${CMAKE_SYSTEM_PROCESSOR}'. It has them for: x86_64, aarch64, arm.")
endif()

# Halide's word for the operating system. Generic is CMake's for none.
set(_systems_known Linux Android Generic)
set(_halide_system_of_Linux linux)
set(_halide_system_of_Generic linux)
set(_halide_system_of_Android android)
if(ACTINIDE_ARCHITECTURE STREQUAL "arm-64")
  # Android keeps register x18 for itself. Halide's android does not know, its fuchsia does, and is the same otherwise.
  set(_halide_system_of_Android fuchsia)
endif()
if(NOT CMAKE_SYSTEM_NAME IN_LIST _systems_known)
  message(FATAL_ERROR "Actinide is not built for ${CMAKE_SYSTEM_NAME}. It is for: Linux, Android, Generic.")
endif()

set(_platform_targets "")
function(actinide_target name architecture features)
  if(NOT architecture STREQUAL ACTINIDE_ARCHITECTURE)
    return()
  endif()
  set(_platform_targets ${_platform_targets} ${name} PARENT_SCOPE)
  foreach(type f16 bf16 f32 f64)
    set(words ${architecture} ${_halide_system_of_${CMAKE_SYSTEM_NAME}} ${features})
    if(type STREQUAL "f16")
      list(APPEND words ${ARGN})
    endif()
    # Without asserts, bounds queries and runtime a kernel refers to nothing outside itself: the functions over it validate.
    list(APPEND words no_asserts no_bounds_query no_runtime)
    string(REGEX REPLACE "[ ;]+" "-" words "${words}")
    set(actinide_halide_target_of_${name}_${type} "${words}" PARENT_SCOPE)
  endforeach()
endfunction()

actinide_target(sse41     x86-64 "sse41")
actinide_target(avx2      x86-64 "sse41 avx avx2 f16c fma")
actinide_target(avx512    x86-64 "sse41 avx avx2 f16c fma avx512 avx512_skylake")
# The conversions between f16 and float32 belong to ARMv8.0, but Halide uses them only with arm_fp16. tests/codegen sees to it that these
# kernels contain no instruction of ARMv8.2.
actinide_target(neon      arm-64 "" "arm_fp16")
actinide_target(neon_fp16 arm-64 "armv82a arm_fp16")
actinide_target(neon      arm-32 "")

set(ACTINIDE_TARGETS all CACHE STRING "Targets to build kernels for, least demanding first. One alone: no choice is made, and no CPU asked")
list(LENGTH ACTINIDE_TARGETS _count)
set(ACTINIDE_SINGLE_TARGET OFF)
if(ACTINIDE_TARGETS STREQUAL "all")
  set(ACTINIDE_TARGETS ${_platform_targets})
elseif(_count EQUAL 1)
  set(ACTINIDE_SINGLE_TARGET ON)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Generic" AND NOT ACTINIDE_SINGLE_TARGET)
  list(JOIN _platform_targets ", " _names)
  message(FATAL_ERROR "Without an operating system the CPU cannot be asked: name one target with -DACTINIDE_TARGETS. Targets: ${_names}.")
endif()
foreach(name IN LISTS ACTINIDE_TARGETS)
  if(NOT name IN_LIST _platform_targets)
    list(JOIN _platform_targets ", " _names)
    message(FATAL_ERROR "ACTINIDE_TARGETS: '${name}' is not a target of ${ACTINIDE_ARCHITECTURE}. Targets: ${_names}.")
  endif()
endforeach()
if(NOT ACTINIDE_TARGETS)
  message(FATAL_ERROR "ACTINIDE_TARGETS is empty.")
endif()
