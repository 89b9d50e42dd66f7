# The component generators: what actinide_add_activation needs in a project of others. Its sources lie in .. of this file as in ours, and a
# project with Actinide as a subdirectory includes this file after that.
#
# It makes the same kernels, functions and headers in a library of that project, over the target that libactinide.a has chosen, and its tests
# are ours.
cmake_minimum_required(VERSION 3.28)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH Actinide_SOURCE_DIR)
set(Actinide_BINARY_DIR "${CMAKE_CURRENT_BINARY_DIR}/actinide_own")
set(ACTINIDE_IS_SOURCE FALSE)
set(ACTINIDE_CUDA OFF)  # kernels for CPUs alone
include("${CMAKE_CURRENT_LIST_DIR}/targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/actinide_add_activation.cmake")
if(CMAKE_CROSSCOMPILING)
  include("${CMAKE_CURRENT_LIST_DIR}/host_generators.cmake")
else()
  if(NOT TARGET Halide::Generator)
    include("${CMAKE_CURRENT_LIST_DIR}/halide.cmake")
  endif()
  if(NOT TARGET actinide_generator)
    include("${CMAKE_CURRENT_LIST_DIR}/generator_library.cmake")
  endif()
endif()

# Of the forms of the library, the archive: the functions call what a shared object hides.
if(TARGET actinide)
  set(ACTINIDE_ARCHIVE actinide)
else()
  set(ACTINIDE_ARCHIVE actinide::actinide)
  get_target_property(_type actinide::actinide TYPE)
  if(NOT _type STREQUAL "STATIC_LIBRARY")
    message(FATAL_ERROR "Actinide's component generators needs libactinide.a, and this installation has the shared library alone.")
  endif()
endif()

# In a cross build the generators of all directories are built by one project for the machine that builds, made at the end.
function(actinide_import_own_generator name source)
  set(folder "${CMAKE_BINARY_DIR}/actinide_own_host")
  add_executable(${name} IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${folder}/${name}")
  add_dependencies(${name} actinide_own_host_generators)
  get_property(programs GLOBAL PROPERTY ACTINIDE_OWN_GENERATORS)
  if(NOT programs)
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL actinide_build_own_generators
      [[${folder}]] [[${Actinide_SOURCE_DIR}]] [[${ACTINIDE_HALIDE_ROOT}]])")
  endif()
  set_property(GLOBAL APPEND PROPERTY ACTINIDE_OWN_GENERATORS "${folder}/${name}")
  cmake_path(ABSOLUTE_PATH source)
  set_property(GLOBAL APPEND_STRING PROPERTY ACTINIDE_OWN_GENERATOR_CALLS "actinide_add_generator(${name} [[${source}]])\n")
endfunction()

function(actinide_build_own_generators folder Actinide_SOURCE_DIR ACTINIDE_HALIDE_ROOT)
  get_property(programs GLOBAL PROPERTY ACTINIDE_OWN_GENERATORS)
  get_property(calls GLOBAL PROPERTY ACTINIDE_OWN_GENERATOR_CALLS)
  file(CONFIGURE OUTPUT "${folder}.cmake" CONTENT "${calls}" @ONLY)
  actinide_build_for_host(actinide_own_host_generators "${Actinide_SOURCE_DIR}/cmake/own_generators" "${folder}" "${programs}"
    "-DGENERATORS=${folder}.cmake")
endfunction()

function(actinide_check_own operator prefix source types limits surplus)
  if(surplus)
    message(FATAL_ERROR "actinide_add_activation(${operator}): what is '${surplus}'?")
  endif()
  foreach(name IN ITEMS "${operator}" "${prefix}")
    if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
      message(FATAL_ERROR "actinide_add_activation(${operator}): '${name}' is no name of small letters, digits and _.")
    endif()
  endforeach()
  foreach(limit IN LISTS limits)
    if(NOT limit MATCHES "^([a-z0-9]+)=([0-9]+|[0-9]*[.][0-9]+)$" OR NOT CMAKE_MATCH_1 IN_LIST types)
      message(FATAL_ERROR "actinide_add_activation(${operator}): the limit '${limit}' is not <type>=<ULP> with one of the TYPES, like f32=1.5.")
    endif()
  endforeach()
  if(prefix STREQUAL "actinide")
    message(FATAL_ERROR "actinide_add_activation(${operator}): the PREFIX actinide is that of libactinide.a; choose another.")
  endif()
  if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${source}" AND NOT EXISTS "${source}")
    message(FATAL_ERROR "actinide_add_activation(${operator}): there is no file '${source}'.")
  endif()
endfunction()

function(actinide_make_own_library library)
  if(TARGET ${library})
    return()
  endif()
  add_library(${library} STATIC)
  target_link_libraries(${library} PUBLIC ${ACTINIDE_ARCHIVE})
  target_compile_features(${library} PRIVATE cxx_std_20)
  actinide_compile_without_library(${library})
endfunction()

# Our tests over one operator, and a test against its reference.
function(actinide_add_own_test operator prefix library reference limits rows)
  include("${Actinide_SOURCE_DIR}/cmake/googletest.cmake")
  if(NOT TARGET GTest::gtest_main)
    message(STATUS "GoogleTest is not there: no test of ${prefix}_${operator}")
    return()
  endif()
  set(folder "${ACTINIDE_GENERATED_DIR}/tests/${prefix}_${operator}")
  file(CONFIGURE OUTPUT "${folder}/operator_table.inc" CONTENT "${rows}" @ONLY)
  file(CONFIGURE OUTPUT "${folder}/hashes.def" CONTENT "HASHES(none, f32, fma, 0)\n" @ONLY)
  file(CONFIGURE OUTPUT "${folder}/own_functions.h" @ONLY CONTENT
"#include <${prefix}/${operator}.h>
#define ACTINIDE_HAS_CPU_TARGETS
#define ACTINIDE_FUNCTION_OF(operator_, type_) ${prefix}_##operator_##_##type_
#define OWN_REFERENCE ${operator}_reference
")
  string(REGEX REPLACE "([a-z0-9]+)=([0-9.]+)" "{\"\\1\", \\2}" limits "${limits}")
  string(REPLACE ";" "," limits "${limits}")
  set(tests "${Actinide_SOURCE_DIR}/tests")
  set(name ${prefix}_${operator}_test)
  add_executable(${name} "${tests}/own/own_test.cpp" "${tests}/memory/memory_test.cpp" "${tests}/consistency/consistency_test.cpp" "${reference}")
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE "${folder}" "${tests}/support" "${Actinide_SOURCE_DIR}/tools")
  target_compile_definitions(${name} PRIVATE ACTINIDE_FUNCTIONS_HEADER="own_functions.h" "OWN_LIMITS=${limits}")
  target_link_libraries(${name} PRIVATE ${library} GTest::gtest_main)
  # Hashes of results are those of our operators.
  gtest_discover_tests(${name} TEST_PREFIX ${prefix}_ TEST_FILTER "-*AcrossArchitectures*" DISCOVERY_TIMEOUT 60)
endfunction()
