# libactinide_cuda.a. Building it needs neither a GPU nor CUDA: Halide makes PTX, which the driver compiles for its device. With ptxas and
# fatbinary, of the CUDA toolkit, it also carries code for the architectures of ACTINIDE_CUDA_ARCHITECTURES.
set(_cuda_default OFF)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(_cuda_default ON)
endif()
option(ACTINIDE_CUDA "Build libactinide_cuda.a (needs no CUDA toolkit)" ${_cuda_default})
if(NOT ACTINIDE_CUDA)
  return()
endif()
if(NOT ACTINIDE_ARCHITECTURE MATCHES "64$" OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR "ACTINIDE_CUDA: CUDA is for 64-bit Linux, not for ${ACTINIDE_ARCHITECTURE} and ${CMAKE_SYSTEM_NAME}.")
endif()

# The oldest devices that CUDA 13 knows. Newer ones run the PTX, too.
set(ACTINIDE_CUDA_CAPABILITY 75)
set(actinide_halide_target_of_cuda
  ${ACTINIDE_ARCHITECTURE}-linux-cuda-cuda_capability_${ACTINIDE_CUDA_CAPABILITY}-no_asserts-no_bounds_query-no_runtime-user_context)

find_program(ACTINIDE_PTXAS ptxas HINTS "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin DOC "Assembler of CUDA code, to add code for devices to the PTX")
find_program(ACTINIDE_FATBINARY fatbinary HINTS "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin DOC "Packer of CUDA code")
set(ACTINIDE_CUDA_ARCHITECTURES 80 90 CACHE STRING "Compute capabilities to carry code for, besides the PTX for all; needs ptxas and fatbinary")
foreach(_architecture IN LISTS ACTINIDE_CUDA_ARCHITECTURES)
  if(NOT _architecture MATCHES "^[0-9]+$" OR _architecture LESS ACTINIDE_CUDA_CAPABILITY)
    message(FATAL_ERROR "ACTINIDE_CUDA_ARCHITECTURES: '${_architecture}' is no compute capability of ${ACTINIDE_CUDA_CAPABILITY} or more, such as 80 or 90.")
  endif()
endforeach()
set(ACTINIDE_CUDA_FAT OFF)
if(ACTINIDE_PTXAS AND ACTINIDE_FATBINARY AND ACTINIDE_CUDA_ARCHITECTURES)
  set(ACTINIDE_CUDA_FAT ON)
  message(STATUS "CUDA: PTX, and code for ${ACTINIDE_CUDA_ARCHITECTURES} by ${ACTINIDE_PTXAS}")
else()
  message(STATUS "CUDA: PTX alone")
endif()

# One kernel object and its device code: <operator> for <type>, for tensors on 16-byte boundaries (<aligned> true) or any. Their paths are
# returned in <object> and <image>.
function(actinide_add_cuda_kernel symbol operator type arguments aligned object image)
  set(base "${ACTINIDE_KERNEL_DIR}/${symbol}")
  set(outputs "${base}.o" "${base}.ptx")
  set(commands COMMAND ${actinide_generator_limit} $<TARGET_FILE:actinide_generate_${operator}> -g ${operator} -f ${symbol} -n ${symbol}
    -e object,device_code -o "${ACTINIDE_KERNEL_DIR}" type=${type} arguments=${arguments} aligned=${aligned} target=${actinide_halide_target_of_cuda}
    # Without .nc, which says that a kernel does not write what it reads: in place it does.
    COMMAND sed -i "s/ld\\.global\\.nc\\./ld.global./" "${base}.device_code"
    COMMAND "${CMAKE_COMMAND}" -E rename "${base}.device_code" "${base}.ptx"
    # What Halide's runtime would do is done by functions of ours.
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${symbol} --redefine-sym halide_cuda_run=actinide_cuda_run
      --redefine-sym halide_cuda_initialize_kernels=actinide_cuda_initialize_kernels
      --redefine-sym halide_cuda_finalize_kernels=actinide_cuda_finalize_kernels "${base}.o")
  set(file "${base}.ptx")
  if(ACTINIDE_CUDA_FAT)
    set(images "--image3=kind=ptx,sm=${ACTINIDE_CUDA_CAPABILITY},file=${base}.ptx")
    foreach(architecture IN LISTS ACTINIDE_CUDA_ARCHITECTURES)
      list(APPEND commands COMMAND "${ACTINIDE_PTXAS}" -arch=sm_${architecture} -o "${base}.sm_${architecture}.cubin" "${base}.ptx")
      list(APPEND images "--image3=kind=elf,sm=${architecture},file=${base}.sm_${architecture}.cubin")
    endforeach()
    set(file "${base}.fatbin")
    list(APPEND outputs "${file}")
    list(APPEND commands COMMAND "${ACTINIDE_FATBINARY}" --64 --compress=false "--create=${file}" ${images})
  endif()
  add_custom_command(OUTPUT ${outputs} ${commands}
    DEPENDS actinide_generate_${operator} $<TARGET_FILE:actinide_generate_${operator}>
    COMMENT "Halide: ${symbol}"
    VERBATIM)
  set_source_files_properties("${base}.o" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(${object} "${base}.o" PARENT_SCOPE)
  set(${image} "${file}" PARENT_SCOPE)
endfunction()

# The kernels and the function for one type, and its declarations: CUDA_C_DECLARATIONS and CUDA_CPP_OVERLOADS grow. For
# actinide_add_activation, whose variables it uses.
function(actinide_add_cuda_function operator type arguments)
  set(CUDA_KERNEL actinide_k_${operator}_${type}_cuda)
  actinide_add_cuda_kernel(${CUDA_KERNEL} ${operator} ${type} ${arguments} true object CUDA_IMAGE_FILE)
  actinide_add_cuda_kernel(${CUDA_KERNEL}_any ${operator} ${type} ${arguments} false any_object CUDA_ANY_IMAGE_FILE)
  set(source "${ACTINIDE_GENERATED_DIR}/src/cuda/${operator}_${type}.cpp")
  configure_file("${Actinide_SOURCE_DIR}/runtime/src/cuda/typed_function.cpp.in" "${source}" @ONLY)
  add_custom_target(actinide_cuda_kernels_${operator}_${type} DEPENDS "${object}" "${any_object}")
  add_dependencies(actinide_cuda actinide_cuda_kernels_${operator}_${type})
  target_sources(actinide_cuda PRIVATE "${source}" "${object}" "${any_object}")
  set_source_files_properties("${source}" TARGET_DIRECTORY actinide_cuda
    PROPERTIES OBJECT_DEPENDS "${CUDA_IMAGE_FILE};${CUDA_ANY_IMAGE_FILE}")
  set_property(GLOBAL APPEND PROPERTY ACTINIDE_CUDA_KERNELS ${CUDA_KERNEL} ${CUDA_KERNEL}_any)

  set(function actinide_cuda_${operator}_${type})
  set(CUDA_C_DECLARATIONS "${CUDA_C_DECLARATIONS}actinide_status ${function}(const ${C_TYPE}* x, ${C_TYPE}* y, size_t n${ATTRIBUTE_PARAMETERS}, void* stream) ACTINIDE_NOEXCEPT;\n"
    PARENT_SCOPE)
  set(CUDA_CPP_OVERLOADS "${CUDA_CPP_OVERLOADS}\
/// y = ${operator}(x), element by element, on the stream; x and y are device memory of one size, the same or apart.
inline status ${operator}(std::span<const ${cpp_type}> x, std::span<${cpp_type}> y, [[maybe_unused]] ${operator}_attributes attributes, cuda_stream stream) noexcept {
  if (x.size() != y.size()) return status::size_mismatch;
  return static_cast<status>(${function}(${to_c_x}, ${to_c_y}, x.size()${cpp_arguments}, stream.handle));
}

" PARENT_SCOPE)
endfunction()

# The functions for tensors of all types. For actinide_add_activation, whose variables it uses.
function(actinide_add_cuda_tensor_function operator)
  string(REPLACE "actinide_${operator}_" "actinide_cuda_${operator}_" CUDA_TENSOR_CASES "${TENSOR_CASES}")
  string(REPLACE "${ATTRIBUTE_ARGUMENTS});" "${ATTRIBUTE_ARGUMENTS}, stream);" CUDA_TENSOR_CASES "${CUDA_TENSOR_CASES}")
  string(REPLACE "    case" "      case" CUDA_TENSOR_CASES "${CUDA_TENSOR_CASES}")
  string(REPLACE "      return" "        return" CUDA_TENSOR_CASES "${CUDA_TENSOR_CASES}")
  foreach(source tensor_function tensor_on_any_device)
    set(file "${ACTINIDE_GENERATED_DIR}/src/cuda/${operator}_${source}.cpp")
    configure_file("${Actinide_SOURCE_DIR}/runtime/src/cuda/${source}.cpp.in" "${file}" @ONLY)
    target_sources(actinide_cuda PRIVATE "${file}")
  endforeach()
  set(function actinide_cuda_${operator})
  set_property(GLOBAL APPEND_STRING PROPERTY ACTINIDE_CUDA_TENSOR_C_DECLARATIONS
    "actinide_status ${function}(const DLTensor* x, DLTensor* y${ATTRIBUTE_PARAMETERS}, void* stream) ACTINIDE_NOEXCEPT;\n")
  set_property(GLOBAL APPEND_STRING PROPERTY ACTINIDE_CUDA_TENSOR_CPP_OVERLOADS "\
/// y = ${operator}(x), element by element, on the stream, as ${function} for tensors has it.
inline status ${operator}(const DLTensor& x, DLTensor& y, [[maybe_unused]] ${operator}_attributes attributes, cuda_stream stream) noexcept {
  return static_cast<status>(${function}(&x, &y${cpp_arguments}, stream.handle));
}

")
endfunction()
