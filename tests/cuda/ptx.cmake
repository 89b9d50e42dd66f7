# The kernels' PTX without a GPU: read, assembled, and executed on the CPU.
get_property(ptx_objects GLOBAL PROPERTY ACTINIDE_CUDA_KERNELS)
list(TRANSFORM ptx_objects REPLACE ".+" "${ACTINIDE_KERNEL_DIR}/\\0.o\n")
list(JOIN ptx_objects "" ptx_objects)
set(ptx_list "${CMAKE_CURRENT_BINARY_DIR}/ptx_kernels.txt")
file(CONFIGURE OUTPUT "${ptx_list}" CONTENT "${ptx_objects}" @ONLY)

set(ptxas "")
if(ACTINIDE_PTXAS)
  set(ptxas "--ptxas=${ACTINIDE_PTXAS}")
endif()
foreach(check IN ITEMS accesses instructions arithmetic assembler mutants)
  actinide_add_test(check_ptx_${check} "${ACTINIDE_PYTHON}" -B "${CMAKE_CURRENT_SOURCE_DIR}/check_ptx.py" ${check}
    --kernels "${ptx_list}" --capability ${ACTINIDE_CUDA_CAPABILITY} ${ptxas})
endforeach()

foreach(test IN ITEMS memory large special same_bits accuracy mutants)
  actinide_add_test(ptx_${test} "${ACTINIDE_PYTHON}" -B "${CMAKE_CURRENT_SOURCE_DIR}/ptx_test.py" ${test}
    --kernels "${ptx_list}" --cpu-kernels "${ACTINIDE_KERNEL_DIR}" --special "${ACTINIDE_TEST_DATA}/special"
    --limits "${Actinide_SOURCE_DIR}/tests/accuracy/limits.def" --compiler "${CMAKE_C_COMPILER}"
    --include "${ACTINIDE_HALIDE_ROOT}/include" --work "${CMAKE_CURRENT_BINARY_DIR}/ptx_${test}")
endforeach()
