# What generators are made of: a library with the schedules, over the package Halide, whose headers are <actinide/generators/...> for others.
set(_generators "${Actinide_SOURCE_DIR}/generators")
set(_generator_include "${ACTINIDE_GENERATED_DIR}/generators")
file(MAKE_DIRECTORY "${_generator_include}/actinide")
file(CREATE_LINK "${_generators}" "${_generator_include}/actinide/generators" SYMBOLIC)
add_library(actinide_generator STATIC "${_generators}/schedule.cpp" "${_generators}/schedules/arm.cpp" "${_generators}/schedules/cuda.cpp"
  "${_generators}/schedules/tails.cpp" "${_generators}/schedules/x86.cpp")
target_include_directories(actinide_generator INTERFACE "${_generator_include}")
target_compile_features(actinide_generator PUBLIC cxx_std_20)
# Most of the time goes into Halide.h.
set_target_properties(actinide_generator PROPERTIES UNITY_BUILD ON)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(actinide_generator PUBLIC -Wno-restrict)  # wrong about std::string's operator+: GCC bug 105651
endif()
target_link_libraries(actinide_generator PUBLIC Halide::Generator)
add_custom_target(actinide_generators)

function(actinide_add_generator name source)
  add_executable(${name} "${source}")
  target_link_libraries(${name} PRIVATE actinide_generator)
  add_dependencies(actinide_generators ${name})
endfunction()
