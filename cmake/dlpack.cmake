# Finds <dlpack/dlpack.h>, the description of tensors that others use, too: inside the wheel that requirements.txt pins.
set(ACTINIDE_DLPACK_ROOT "" CACHE PATH "Folder of dlpack/dlpack.h, 0.6 or newer; the default is that of requirements.txt")
option(ACTINIDE_INSTALL_DLPACK "Install dlpack/dlpack.h with our headers; off where a package of its own has it" ON)
set(ACTINIDE_DLPACK_LICENSE "")
if(NOT ACTINIDE_DLPACK_ROOT)
  # Beside Halide.
  cmake_path(GET ACTINIDE_HALIDE_ROOT PARENT_PATH _packages)
  if(NOT EXISTS "${_packages}/tvm_ffi/include/dlpack/dlpack.h")
    message(FATAL_ERROR "No dlpack/dlpack.h in ${_packages}. Run `make setup` in ${Actinide_SOURCE_DIR}, or set ACTINIDE_DLPACK_ROOT, as to "
                        "/usr/include with Debian's libdlpack-dev.")
  endif()
  set_property(CACHE ACTINIDE_DLPACK_ROOT PROPERTY VALUE "${_packages}/tvm_ffi/include")
endif()
cmake_path(GET ACTINIDE_DLPACK_ROOT PARENT_PATH _packages)
cmake_path(GET _packages PARENT_PATH _packages)
file(GLOB ACTINIDE_DLPACK_LICENSE "${_packages}/apache_tvm_ffi-*.dist-info/licenses/LICENSE")
