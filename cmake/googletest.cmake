# GoogleTest: the package, or in a cross build its sources, which are part of Debian's libgtest-dev. GTest::gtest_main is not there if
# neither is.
if(CMAKE_CROSSCOMPILING)
  set(ACTINIDE_GTEST_SOURCES /usr/src/googletest CACHE PATH "GoogleTest's sources, to be built for the target of a cross build")
  if(NOT TARGET GTest::gtest_main AND EXISTS "${ACTINIDE_GTEST_SOURCES}/CMakeLists.txt")
    set(BUILD_GMOCK OFF)
    set(INSTALL_GTEST OFF)
    set(CMAKE_POLICY_VERSION_MINIMUM 3.10)  # GoogleTest 1.12 asks for 3.5
    add_subdirectory("${ACTINIDE_GTEST_SOURCES}" "${CMAKE_CURRENT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
    unset(CMAKE_POLICY_VERSION_MINIMUM)
  endif()
  # The emulator may be missing where the tests are only built.
  set(CMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE PRE_TEST)
elseif(NOT TARGET GTest::gtest_main)
  find_package(GTest)
endif()
include(GoogleTest)
