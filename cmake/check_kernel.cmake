# cmake -DNM=<nm> -DOBJECT=<kernel.o> -DKERNEL=<which> -P check_kernel.cmake: a kernel may refer to nothing.
execute_process(COMMAND "${NM}" --undefined-only --format=posix "${OBJECT}" OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " [^\n]*\n" " " undefined "${undefined}")
string(STRIP "${undefined}" undefined)
if(undefined)
  file(REMOVE "${OBJECT}")
  message(FATAL_ERROR "The kernel ${KERNEL} calls a function of the C library for each element: ${undefined}. Halide has no vector code for it "
                      "in this type. Use an own approximation, as in actinide/generators/numerics/expm1.h, or leave this type out.")
endif()
