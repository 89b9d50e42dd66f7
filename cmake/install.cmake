# Installed: lib/libactinide.a and libactinide.so, the same of libactinide_cuda, include/actinide, the CMake package Actinide, actinide.pc
# and actinide-cuda.pc. Nothing of Halide or CUDA, and old CMake serves; the components halide, include/actinide/halide, and generators,
# share/actinide/source, are for those who have Halide.
# One place on every distribution: Debian would have lib/x86_64-linux-gnu for the prefix /usr, Fedora lib64.
if(NOT DEFINED CMAKE_INSTALL_LIBDIR)
  set(CMAKE_INSTALL_LIBDIR lib)
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What runs a program, and what one is built with: packages of distributions split there.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Actinide")
set(_archives actinide)
set(_shared_libraries actinide_shared)
set(ACTINIDE_COMPONENTS cpu)
if(ACTINIDE_CUDA)
  list(APPEND _archives actinide_cuda)
  list(APPEND _shared_libraries actinide_cuda_shared)
  list(APPEND ACTINIDE_COMPONENTS cuda)
endif()
set(_targets ${_archives})
if(BUILD_SHARED_LIBS)
  install(TARGETS ${_archives} ARCHIVE COMPONENT archives EXCLUDE_FROM_ALL FILE_SET HEADERS FILE_SET generated_headers)
else()
  install(TARGETS ${_archives} EXPORT ActinideTargets ARCHIVE FILE_SET HEADERS FILE_SET generated_headers)
  list(APPEND ACTINIDE_COMPONENTS static)
endif()
if(ACTINIDE_SHARED)
  list(APPEND _targets ${_shared_libraries})
  install(TARGETS ${_shared_libraries} EXPORT ActinideTargets LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  list(APPEND ACTINIDE_COMPONENTS shared)
endif()
install(EXPORT ActinideTargets NAMESPACE actinide:: DESTINATION "${_package_dir}")
# Headers over Halide, in files of their own: nobody else has to have it.
install(TARGETS actinide_halide EXPORT ActinideHalideTargets FILE_SET HEADERS)
install(EXPORT ActinideHalideTargets NAMESPACE actinide:: DESTINATION "${_package_dir}")
set(_source_dir "${CMAKE_INSTALL_DATADIR}/actinide/source")
set(ACTINIDE_SOURCE "${_source_dir}")
configure_package_config_file(cmake/ActinideConfig.cmake.in "${Actinide_BINARY_DIR}/installed/ActinideConfig.cmake"
  INSTALL_DESTINATION "${_package_dir}" PATH_VARS ACTINIDE_SOURCE)
# Also in the build folder: Actinide_DIR may be that, and nothing need be installed.
export(EXPORT ActinideTargets NAMESPACE actinide:: FILE "${Actinide_BINARY_DIR}/ActinideTargets.cmake")
export(EXPORT ActinideHalideTargets NAMESPACE actinide:: FILE "${Actinide_BINARY_DIR}/ActinideHalideTargets.cmake")
set(ACTINIDE_SOURCE "${Actinide_SOURCE_DIR}")
configure_package_config_file(cmake/ActinideConfig.cmake.in "${Actinide_BINARY_DIR}/ActinideConfig.cmake"
  INSTALL_PREFIX "${Actinide_BINARY_DIR}" INSTALL_DESTINATION . PATH_VARS ACTINIDE_SOURCE)
write_basic_package_version_file("${Actinide_BINARY_DIR}/ActinideConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${Actinide_BINARY_DIR}/installed/ActinideConfig.cmake" "${Actinide_BINARY_DIR}/ActinideConfigVersion.cmake"
  DESTINATION "${_package_dir}")

# What actinide_add_activation needs elsewhere, laid out as here.
foreach(_name actinide_add_activation check_kernel generator_library googletest halide host_generators own_activation targets)
  install(FILES cmake/${_name}.cmake DESTINATION "${_source_dir}/cmake")
endforeach()
install(FILES cmake/own_generators/CMakeLists.txt DESTINATION "${_source_dir}/cmake/own_generators")
install(DIRECTORY generators DESTINATION "${_source_dir}" FILES_MATCHING PATTERN "*.h" REGEX "/schedule[s/a-z0-9]*[.]cpp$" PATTERN derive EXCLUDE)
install(FILES runtime/src/arguments.h runtime/src/call.h runtime/src/call_on.h runtime/src/dispatch.h runtime/src/divide.h
  runtime/src/stream.h runtime/src/operator.h.in runtime/src/operator.hpp.in runtime/src/typed_function.cpp.in DESTINATION "${_source_dir}/runtime/src")
install(FILES tools/bits.h tools/operator_table.h DESTINATION "${_source_dir}/tools")
install(FILES tests/support/guarded_buffer.h tests/support/inputs.h tests/support/target_test.h DESTINATION "${_source_dir}/tests/support")
foreach(_kind memory consistency own)
  install(FILES tests/${_kind}/${_kind}_test.cpp DESTINATION "${_source_dir}/tests/${_kind}")
endforeach()

# pkg-config resolves its own directory, so that the tree can move: from lib/pkgconfig back to the prefix.
file(RELATIVE_PATH _prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" _prefix_from_pc "${_prefix_from_pc}")
set(ACTINIDE_PC_PREFIX "\${pcfiledir}/${_prefix_from_pc}")
cmake_path(APPEND ACTINIDE_PC_LIBDIR "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND ACTINIDE_PC_INCLUDEDIR "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
set(_pc_files actinide.pc)
# A shared object names itself what it needs; an archive leaves that to its users.
set(ACTINIDE_PC_DL " -ldl")
if(ACTINIDE_SHARED)
  set(ACTINIDE_PC_DL "")
endif()
if(ACTINIDE_CUDA)
  list(APPEND _pc_files actinide-cuda.pc)
endif()
foreach(file IN LISTS _pc_files)
  configure_file(cmake/${file}.in "${Actinide_BINARY_DIR}/${file}" @ONLY)
  install(FILES "${Actinide_BINARY_DIR}/${file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/actinide" COMPONENT licence)
# A component, since a distribution has a package of it.
if(ACTINIDE_INSTALL_DLPACK)
  install(FILES "${ACTINIDE_DLPACK_ROOT}/dlpack/dlpack.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/dlpack" COMPONENT dlpack)
  if(ACTINIDE_DLPACK_LICENSE)
    install(FILES "${ACTINIDE_DLPACK_LICENSE}" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/actinide" RENAME LICENSE.dlpack COMPONENT dlpack)
  endif()
endif()

# The installed tree inside the build folder, to be copied elsewhere.
add_custom_target(stage
  COMMAND "${CMAKE_COMMAND}" --install "${Actinide_BINARY_DIR}" --prefix "${Actinide_BINARY_DIR}/stage"
  COMMAND "${CMAKE_COMMAND}" -E echo "Installed tree: ${Actinide_BINARY_DIR}/stage"
  COMMENT "Installing into the build folder"
  VERBATIM)
add_dependencies(stage ${_targets})
