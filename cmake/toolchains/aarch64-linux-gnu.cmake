# 64-bit ARM Linux with Debian's cross compiler: apt-get install g++-aarch64-linux-gnu
set(ACTINIDE_TRIPLE aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
