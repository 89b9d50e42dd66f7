# Installed: lib/libactinide.a and libactinide.so, the same of libactinide_cuda, include/actinide, the CMake package Actinide, actinide.pc
# and actinide-cuda.pc. Nothing of Halide or CUDA, and old CMake serves.
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
# Also in the build folder: Actinide_DIR may be that, and nothing need be installed.
export(EXPORT ActinideTargets NAMESPACE actinide:: FILE "${Actinide_BINARY_DIR}/ActinideTargets.cmake")
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
