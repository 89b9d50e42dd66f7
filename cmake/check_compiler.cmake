# Kernels for one machine and functions for another would make an archive that fails where it is linked.
set(_macros_of_x86-64 "defined(__x86_64__)")
set(_macros_of_arm-64 "defined(__aarch64__) && defined(__AARCH64EL__)")
set(_macros_of_arm-32 "defined(__arm__) && defined(__ARMEL__) && __ARM_ARCH >= 7")
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Android")  # there, 32-bit ARM passes floating-point arguments in core registers
  string(APPEND _macros_of_arm-32 " && defined(__ARM_PCS_VFP)")
endif()
include(CheckCXXSourceCompiles)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
check_cxx_source_compiles("#if !(${_macros_of_${ACTINIDE_ARCHITECTURE}})\n#error\n#endif\nint x;" ACTINIDE_COMPILER_IS_FOR_${ACTINIDE_ARCHITECTURE})
unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
if(NOT ACTINIDE_COMPILER_IS_FOR_${ACTINIDE_ARCHITECTURE})
  message(FATAL_ERROR "CMAKE_SYSTEM_PROCESSOR is '${CMAKE_SYSTEM_PROCESSOR}', but ${CMAKE_CXX_COMPILER} compiles for something else: it lacks "
                      "${_macros_of_${ACTINIDE_ARCHITECTURE}}. Set CMAKE_SYSTEM_NAME and CMAKE_SYSTEM_PROCESSOR in the toolchain file.")
endif()
