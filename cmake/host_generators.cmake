# The generators of a cross build: this project again, built for the machine that builds.
set(ACTINIDE_HOST_BUILD "${Actinide_BINARY_DIR}/host" CACHE PATH "Build folder of the generators in a cross build; cross builds may share one")
set(ACTINIDE_HOST_CXX c++ CACHE STRING "C++ compiler for the generators of a cross build")
set(ACTINIDE_HOST_CC cc CACHE STRING "C compiler that goes with ACTINIDE_HOST_CXX")

# Where the generator of an operator will be.
function(actinide_import_generator operator)
  add_executable(actinide_generate_${operator} IMPORTED GLOBAL)
  set_target_properties(actinide_generate_${operator} PROPERTIES IMPORTED_LOCATION "${ACTINIDE_HOST_BUILD}/generators/actinide_generate_${operator}")
endfunction()

# Builds those of the given operators.
function(actinide_build_host_generators)
  list(TRANSFORM ARGN PREPEND "${ACTINIDE_HOST_BUILD}/generators/actinide_generate_" OUTPUT_VARIABLE generators)
  actinide_build_for_host(actinide_host_generators "${Actinide_SOURCE_DIR}" "${ACTINIDE_HOST_BUILD}" "${generators}"
    -DACTINIDE_BUILD_TOOLS=OFF -DACTINIDE_BUILD_TESTS=OFF)
endfunction()

# actinide_build_for_host(<target> <source> <build folder> <programs> [option...]): builds the target actinide_generators of a project. What
# the environment says of compilers is meant for the cross build.
function(actinide_build_for_host target source folder programs)
  include(ExternalProject)
  ExternalProject_Add(${target}
    SOURCE_DIR "${source}"
    BINARY_DIR "${folder}"
    PREFIX "${CMAKE_CURRENT_BINARY_DIR}/${target}"
    CONFIGURE_COMMAND "${CMAKE_COMMAND}" -E env --unset=CC --unset=CXX --unset=CFLAGS --unset=CXXFLAGS --unset=CPPFLAGS --unset=LDFLAGS
      --unset=CMAKE_TOOLCHAIN_FILE
      "${CMAKE_COMMAND}" -G "${CMAKE_GENERATOR}" -S <SOURCE_DIR> -B <BINARY_DIR> -DCMAKE_BUILD_TYPE=Release
      "-DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}" "-DCMAKE_C_COMPILER=${ACTINIDE_HOST_CC}" "-DCMAKE_CXX_COMPILER=${ACTINIDE_HOST_CXX}"
      "-DACTINIDE_HALIDE_ROOT=${ACTINIDE_HALIDE_ROOT}" ${ARGN}
    BUILD_COMMAND "${CMAKE_COMMAND}" --build <BINARY_DIR> --target actinide_generators
    BUILD_ALWAYS ON
    BUILD_BYPRODUCTS ${programs}
    INSTALL_COMMAND "")
endfunction()
