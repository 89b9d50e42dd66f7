# libactinide.so and libactinide_cuda.so: the archives as shared objects that export the functions of the headers and nothing else.
#
# Where both forms are built, actinide::actinide is the archive and actinide::shared the shared object. BUILD_SHARED_LIBS leaves the archive
# out of the installation, and actinide::actinide is the shared object.
set(_shared_default ${PROJECT_IS_TOP_LEVEL})
if(CMAKE_SYSTEM_NAME STREQUAL "Generic" OR ACTINIDE_SANITIZER)
  set(_shared_default OFF)
endif()
option(ACTINIDE_SHARED "Build shared libraries beside the archives" ${_shared_default})
if(BUILD_SHARED_LIBS)
  set(ACTINIDE_SHARED ON)
endif()

# Until 1.0 a minor version may change the interface.
set(ACTINIDE_SOVERSION ${Actinide_VERSION_MAJOR})
if(Actinide_VERSION_MAJOR EQUAL 0)
  set(ACTINIDE_SOVERSION ${Actinide_VERSION_MAJOR}.${Actinide_VERSION_MINOR})
endif()

# <archive>_shared, which becomes actinide::<name>.
function(actinide_add_shared archive name)
  set(library ${archive}_shared)
  set(script "${Actinide_BINARY_DIR}/${library}.map")
  # Kernels are hidden, so they do not match.
  file(CONFIGURE OUTPUT "${script}" CONTENT "ACTINIDE_${ACTINIDE_SOVERSION} {\n  global: actinide_*;\n  local: *;\n};\n" @ONLY)
  add_library(${library} SHARED "${script}")
  add_library(actinide::${name} ALIAS ${library})
  set_target_properties(${library} PROPERTIES OUTPUT_NAME ${archive} EXPORT_NAME ${name} LINKER_LANGUAGE C
    LINK_DEPENDS "${script};$<TARGET_FILE:${archive}>" VERSION ${Actinide_VERSION} SOVERSION ${ACTINIDE_SOVERSION})
  add_dependencies(${library} ${archive})
  # By its path: as a linked target the archive would bring the C++ library, which it does not use.
  target_link_options(${library} PRIVATE LINKER:--whole-archive "$<TARGET_FILE:${archive}>" LINKER:--no-whole-archive
    "LINKER:--version-script=${script}" LINKER:-z,defs LINKER:-z,text)
  target_include_directories(${library} INTERFACE "$<BUILD_INTERFACE:${Actinide_SOURCE_DIR}/runtime/include>"
    "$<BUILD_INTERFACE:${ACTINIDE_GENERATED_DIR}/include>")
endfunction()
