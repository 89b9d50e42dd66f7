# 32-bit ARM, ARMv7-A with hardware floating point Linux with Debian's cross compiler: apt-get install g++-arm-linux-gnueabihf
set(ACTINIDE_TRIPLE arm-linux-gnueabihf)
set(CMAKE_SYSTEM_PROCESSOR arm)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
