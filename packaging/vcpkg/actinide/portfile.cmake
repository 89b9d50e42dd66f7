# An overlay port of the source that it stands in: vcpkg install actinide --overlay-ports=<source>/packaging/vcpkg
#
# Building needs the files of Halide's wheel, which no port has: ACTINIDE_HALIDE_ROOT in the environment names <site-packages>/halide.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT IS_DIRECTORY "$ENV{ACTINIDE_HALIDE_ROOT}/include")
  message(FATAL_ERROR "Set ACTINIDE_HALIDE_ROOT to <site-packages>/halide of the wheel halide==21.0.0.")
endif()

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES cuda ACTINIDE_CUDA)
# vcpkg says by BUILD_SHARED_LIBS which form it wants.
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${features} "-DACTINIDE_HALIDE_ROOT=$ENV{ACTINIDE_HALIDE_ROOT}"
  "-DACTINIDE_DLPACK_ROOT=${CURRENT_INSTALLED_DIR}/include" -DACTINIDE_INSTALL_DLPACK=OFF  # that is the port dlpack's
  -DACTINIDE_SHARED=OFF -DACTINIDE_BUILD_TOOLS=OFF -DACTINIDE_BUILD_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME actinide CONFIG_PATH lib/cmake/Actinide)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share" "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
