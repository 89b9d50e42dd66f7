# Finds Halide inside the wheel that requirements.txt pins.
#
# The wheel's own CMake shim asks for Python.h and trusts whichever Python that search finds, so it is passed by: this goes straight to the
# package. ACTINIDE_HALIDE_ROOT is <site-packages>/halide; a parent project may point it elsewhere.
set(ACTINIDE_HALIDE_VERSION 21.0.0)
set(ACTINIDE_HALIDE_ROOT "" CACHE PATH "Halide 21.0.0: <site-packages>/halide of the wheel")
if(NOT ACTINIDE_HALIDE_ROOT)
  file(GLOB _wheels LIST_DIRECTORIES TRUE "${Actinide_SOURCE_DIR}/.venv/lib/python3*/site-packages/halide")
  if(NOT _wheels AND CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm)")
    message(FATAL_ERROR "Halide is not distributed for ARM Linux: build on an x86-64 machine, with `make cross TARGET=aarch64-linux-gnu` "
                        "or `make cross TARGET=arm-linux-gnueabihf`, and copy the result here.")
  elseif(NOT _wheels)
    message(FATAL_ERROR "No Halide. Run `make setup` in ${Actinide_SOURCE_DIR}, or set ACTINIDE_HALIDE_ROOT to <site-packages>/halide.")
  endif()
  list(GET _wheels 0 _wheel)
  set_property(CACHE ACTINIDE_HALIDE_ROOT PROPERTY VALUE "${_wheel}")
endif()

# A cross build needs its headers only: what links with Halide runs on the host.
if(NOT CMAKE_CROSSCOMPILING)
  file(GLOB Halide_DIR LIST_DIRECTORIES TRUE "${ACTINIDE_HALIDE_ROOT}/lib*/cmake/Halide")
  file(GLOB HalideHelpers_DIR LIST_DIRECTORIES TRUE "${ACTINIDE_HALIDE_ROOT}/lib*/cmake/HalideHelpers")
  set(CMAKE_DISABLE_FIND_PACKAGE_Halide_Python ON)  # it would search for Python.h
  find_package(Halide ${ACTINIDE_HALIDE_VERSION} EXACT REQUIRED COMPONENTS Halide)
endif()
