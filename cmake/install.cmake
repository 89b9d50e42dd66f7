# Installed: lib/libactinide.a and libactinide_cuda.a, include/actinide, the CMake package Actinide, actinide.pc and actinide-cuda.pc. Nothing
# of Halide or CUDA, and old CMake serves.
# One place on every distribution: Debian would have lib/x86_64-linux-gnu for the prefix /usr, Fedora lib64.
if(NOT DEFINED CMAKE_INSTALL_LIBDIR)
  set(CMAKE_INSTALL_LIBDIR lib)
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Actinide")
set(_targets actinide)
set(ACTINIDE_COMPONENTS cpu)
if(ACTINIDE_CUDA)
  list(APPEND _targets actinide_cuda)
  list(APPEND ACTINIDE_COMPONENTS cuda)
endif()
install(TARGETS ${_targets} EXPORT ActinideTargets ARCHIVE FILE_SET HEADERS FILE_SET generated_headers)
install(EXPORT ActinideTargets NAMESPACE actinide:: DESTINATION "${_package_dir}")
configure_package_config_file(cmake/ActinideConfig.cmake.in "${Actinide_BINARY_DIR}/ActinideConfig.cmake" INSTALL_DESTINATION "${_package_dir}")
write_basic_package_version_file("${Actinide_BINARY_DIR}/ActinideConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${Actinide_BINARY_DIR}/ActinideConfig.cmake" "${Actinide_BINARY_DIR}/ActinideConfigVersion.cmake" DESTINATION "${_package_dir}")

# pkg-config resolves its own directory, so that the tree can move: from lib/pkgconfig back to the prefix.
file(RELATIVE_PATH _prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" _prefix_from_pc "${_prefix_from_pc}")
set(ACTINIDE_PC_PREFIX "\${pcfiledir}/${_prefix_from_pc}")
cmake_path(APPEND ACTINIDE_PC_LIBDIR "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND ACTINIDE_PC_INCLUDEDIR "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
set(_pc_files actinide.pc)
if(ACTINIDE_CUDA)
  list(APPEND _pc_files actinide-cuda.pc)
endif()
foreach(file IN LISTS _pc_files)
  configure_file(cmake/${file}.in "${Actinide_BINARY_DIR}/${file}" @ONLY)
  install(FILES "${Actinide_BINARY_DIR}/${file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/actinide")

# The installed tree inside the build folder, to be copied elsewhere.
add_custom_target(stage
  COMMAND "${CMAKE_COMMAND}" --install "${Actinide_BINARY_DIR}" --prefix "${Actinide_BINARY_DIR}/stage"
  COMMAND "${CMAKE_COMMAND}" -E echo "Installed tree: ${Actinide_BINARY_DIR}/stage"
  COMMENT "Installing into the build folder"
  VERBATIM)
add_dependencies(stage ${_targets})
