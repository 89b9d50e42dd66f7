# actinide_add_activation(<operator>
#   SOURCE <file>                 the generator: HALIDE_REGISTER_GENERATOR(..., <operator>)
#   ONNX <Name>                   the operator's ONNX name
#   TYPES <type>...               element types out of f16 bf16 f32 f64
#   [ATTRIBUTES <name>=<default>...]    float32 attributes in the order of the generator's inputs
#   [STREAMED <type>_<target>...]       regular expressions for kernels that wait for memory and not for arithmetic when tensors exceed the
#                                       cache: runtime/src/stream.h. Looked at for avx2 and avx512
#   [PICOSECONDS <n>])                  of arithmetic an element of f32 in cache, on the fastest target, if that is more than copying takes:
#                                       it decides how many threads are worth it
#
# In a project of others, with the component generators, ONNX is not needed, and there are
#
#   LIBRARY <target>              the static library that gets it; made if there is none of that name
#   PREFIX <name>                 in the place of actinide in the names of functions, headers and the C++ namespace
#   [REFERENCE <file>]            C++ with extern "C" long double <operator>_reference(long double x, const long double* attributes): adds
#                                 the test <PREFIX>_<operator>_test, if GoogleTest is found
#   [LIMITS <type>=<ULP>...]      what that test accepts as error, 1 if nothing is said
#
# Adds to libactinide.a: the kernels for every type and every target of ACTINIDE_TARGETS, the functions actinide_<operator>_<type>,
# actinide_<operator>_<type>_on and actinide_<operator>, the headers actinide/<operator>.h and .hpp, and the operator's lines in
# actinide/dlpack_tensor.h and .hpp. Tools, tests and benchmarks pick the operator up from operator_table.inc.

set(actinide_c_type_of_f16 uint16_t)
set(actinide_c_type_of_bf16 uint16_t)
set(actinide_c_type_of_f32 float)
set(actinide_c_type_of_f64 double)
set(actinide_cpp_type_of_f16 float16)
set(actinide_cpp_type_of_bf16 bfloat16)
set(actinide_cpp_type_of_f32 float)
set(actinide_cpp_type_of_f64 double)

set(ACTINIDE_GENERATED_DIR "${Actinide_BINARY_DIR}/generated")
set(ACTINIDE_KERNEL_DIR "${Actinide_BINARY_DIR}/kernels")
file(MAKE_DIRECTORY "${ACTINIDE_KERNEL_DIR}")  # make makes no folders for outputs
set(ACTINIDE_GENERATOR_TIME_LIMIT 120 CACHE STRING "Seconds after which a run of a generator is given up")
option(ACTINIDE_EMIT_ASSEMBLY "Write the assembly and the lowered statements of every kernel beside its object" OFF)
find_program(ACTINIDE_TIMEOUT timeout)
set(actinide_generator_limit "")
if(ACTINIDE_TIMEOUT)
  set(actinide_generator_limit ${ACTINIDE_TIMEOUT} ${ACTINIDE_GENERATOR_TIME_LIMIT})
endif()

# C++ without its library: `gcc app.c libactinide.a` links.
function(actinide_compile_without_library target)
  # HalideRuntime.h declares halide_buffer_t. No header of ours includes it, and nothing of Halide is linked.
  target_include_directories(${target} SYSTEM PRIVATE "${ACTINIDE_HALIDE_ROOT}/include")
  target_include_directories(${target} PRIVATE "${Actinide_SOURCE_DIR}/runtime/src" "${ACTINIDE_GENERATED_DIR}/src")
  target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti -fno-threadsafe-statics)
  if(ACTINIDE_ARCHITECTURE STREQUAL "arm-64")
    target_compile_options(${target} PRIVATE -mno-outline-atomics)  # else libgcc chooses the instruction at run time
  elseif(ACTINIDE_ARCHITECTURE STREQUAL "arm-32")
    # Nor of its unwinder, which tables would refer to.
    target_compile_options(${target} PRIVATE -fno-unwind-tables -fno-asynchronous-unwind-tables)
  endif()
  if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

# A header made from a template or, without one, of <content>, for the library <target>: <name> is its path under include/<folder>, actinide.
function(actinide_add_header target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TEMPLATE;CONTENT;FOLDER" "")
  if(NOT arg_FOLDER)
    set(arg_FOLDER actinide)
  endif()
  set(header "${ACTINIDE_GENERATED_DIR}/include/${arg_FOLDER}/${name}")
  if(arg_TEMPLATE)
    configure_file("${Actinide_SOURCE_DIR}/runtime/src/${arg_TEMPLATE}" "${header}" @ONLY)
  else()
    file(CONFIGURE OUTPUT "${header}" CONTENT "${arg_CONTENT}" @ONLY)
  endif()
  target_sources(${target} PUBLIC FILE_SET generated_headers TYPE HEADERS BASE_DIRS "${ACTINIDE_GENERATED_DIR}/include" FILES "${header}")
endfunction()

# One object: <operator> for <type> on <target>. <arguments>: the names of the kernel's arguments. Its path is returned in <result>.
# With a prefix after that, it is no kernel of ours.
function(actinide_add_kernel operator type target arguments result)
  set(prefix actinide ${ARGN})
  list(GET prefix -1 prefix)
  set(symbol ${prefix}_k_${operator}_${type}_${target})
  set(outputs "${ACTINIDE_KERNEL_DIR}/${symbol}.o")
  set(emit object)
  if(ACTINIDE_EMIT_ASSEMBLY)
    list(APPEND outputs "${ACTINIDE_KERNEL_DIR}/${symbol}.s" "${ACTINIDE_KERNEL_DIR}/${symbol}.stmt")
    string(APPEND emit ",assembly,stmt")
  endif()
  set(check "")
  if(NOT prefix STREQUAL "actinide")  # tests/codegen has ours
    set(check COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DOBJECT=${ACTINIDE_KERNEL_DIR}/${symbol}.o" "-DKERNEL=${operator} for ${type} on ${target}"
      -P "${Actinide_SOURCE_DIR}/cmake/check_kernel.cmake")
  endif()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${actinide_generator_limit} $<TARGET_FILE:${prefix}_generate_${operator}> -g ${operator} -f ${symbol} -n ${symbol} -e ${emit}
            -o "${ACTINIDE_KERNEL_DIR}" type=${type} arguments=${arguments} target=${actinide_halide_target_of_${target}_${type}}
    # Halide's metadata and second entry serve nobody here: local, they can be dropped by the linker.
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${symbol} "${ACTINIDE_KERNEL_DIR}/${symbol}.o"
    ${check}
    DEPENDS ${prefix}_generate_${operator} $<TARGET_FILE:${prefix}_generate_${operator}>
    COMMENT "Halide: ${operator} ${type} ${target}"
    VERBATIM)
  list(GET outputs 0 object)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(${result} "${object}" PARENT_SCOPE)
endfunction()

function(actinide_add_activation operator)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;ONNX;PICOSECONDS;LIBRARY;PREFIX;REFERENCE" "TYPES;ATTRIBUTES;STREAMED;LIMITS")
  if(ACTINIDE_IS_SOURCE)
    set(arg_LIBRARY actinide)
    set(arg_PREFIX actinide)
    set(needed SOURCE ONNX TYPES)
  else()
    set(needed SOURCE LIBRARY PREFIX TYPES)
  endif()
  foreach(required IN LISTS needed)
    if("${arg_${required}}" STREQUAL "")
      message(FATAL_ERROR "actinide_add_activation(${operator}): ${required} is missing.")
    endif()
  endforeach()
  if(NOT arg_PICOSECONDS)
    set(arg_PICOSECONDS 0)
  endif()
  foreach(type IN LISTS arg_TYPES)
    if(NOT DEFINED actinide_c_type_of_${type})
      message(FATAL_ERROR "actinide_add_activation(${operator}): there is no element type '${type}'. Types: f16 bf16 f32 f64.")
    endif()
  endforeach()

  if(NOT ACTINIDE_IS_SOURCE)
    actinide_check_own("${operator}" "${arg_PREFIX}" "${arg_SOURCE}" "${arg_TYPES}" "${arg_LIMITS}" "${arg_UNPARSED_ARGUMENTS}")
    actinide_make_own_library(${arg_LIBRARY})
  endif()
  if(CMAKE_CROSSCOMPILING AND ACTINIDE_IS_SOURCE)
    actinide_import_generator(${operator})
  elseif(CMAKE_CROSSCOMPILING)
    actinide_import_own_generator(${arg_PREFIX}_generate_${operator} "${arg_SOURCE}")
  else()
    actinide_add_generator(${arg_PREFIX}_generate_${operator} ${arg_SOURCE})
  endif()

  # Attributes, in the spellings that the templates want.
  set(OPERATOR ${operator})
  string(TOUPPER ${operator} OPERATOR_UPPER)
  set(PREFIX ${arg_PREFIX})
  string(TOUPPER ${arg_PREFIX} PREFIX_UPPER)
  cmake_path(GET arg_SOURCE FILENAME MEANING)
  if(arg_ONNX)
    set(MEANING "the ONNX operator, to be read at https://onnx.ai/onnx/operators/onnx__${arg_ONNX}.html")
  endif()
  set(ATTRIBUTE_TYPES "")
  set(ATTRIBUTE_PARAMETERS "")
  set(ATTRIBUTE_ARGUMENTS "")
  set(cpp_arguments "")
  set(CPP_ATTRIBUTES "")
  set(row_arguments "")
  set(row_attributes "")
  set(attribute_names "")
  set(index 0)
  foreach(attribute IN LISTS arg_ATTRIBUTES)
    if(NOT attribute MATCHES "^([a-z][a-z0-9_]*)=(-?[0-9]+\\.[0-9]+)$")
      message(FATAL_ERROR "actinide_add_activation(${operator}): write an attribute as name=1.0 (a name of small letters, digits and _; a "
                          "default with a point), not '${attribute}'.")
    endif()
    set(name ${CMAKE_MATCH_1})
    set(default ${CMAKE_MATCH_2})
    if(name MATCHES "^(x|y|n|attributes|executor|tensors)$")
      message(FATAL_ERROR "actinide_add_activation(${operator}): an attribute cannot be called '${name}': the functions have an argument of that name.")
    endif()
    string(APPEND attribute_names "${name},")
    string(APPEND ATTRIBUTE_TYPES ", float")
    string(APPEND ATTRIBUTE_PARAMETERS ", float ${name}")
    string(APPEND ATTRIBUTE_ARGUMENTS ", ${name}")
    string(APPEND cpp_arguments ", attributes.${name}")
    string(APPEND CPP_ATTRIBUTES "  float ${name} = ${default}f;\n")
    string(APPEND row_arguments ", attributes[${index}]")
    list(APPEND row_attributes "{\"${name}\", ${default}f}")
    math(EXPR index "${index} + 1")
  endforeach()
  list(JOIN row_attributes ", " row_attributes)

  set(sources "${ACTINIDE_GENERATED_DIR}/src")
  if(NOT ACTINIDE_IS_SOURCE)
    set(sources "${sources}/${PREFIX}")
  endif()
  set(C_DECLARATIONS "")
  set(CPP_OVERLOADS "")
  set(CUDA_C_DECLARATIONS "")
  set(CUDA_CPP_OVERLOADS "")
  set(rows "")
  set(kernel_rows "")
  list(LENGTH ACTINIDE_TARGETS TARGET_COUNT)
  set(TENSOR_KERNEL_DECLARATIONS "")
  set(TENSOR_CASES "")
  foreach(type IN ITEMS f16 bf16 f32 f64)
    string(REPEAT "nullptr, " ${TARGET_COUNT} tensor_kernels_of_${type})
  endforeach()
  foreach(type IN LISTS arg_TYPES)
    set(TYPE ${type})
    set(C_TYPE ${actinide_c_type_of_${type}})
    set(cpp_type ${actinide_cpp_type_of_${type}})
    set(function ${PREFIX}_${operator}_${type})
    string(APPEND C_DECLARATIONS
      "actinide_status ${function}(const ${C_TYPE}* x, ${C_TYPE}* y, size_t n${ATTRIBUTE_PARAMETERS}) ACTINIDE_NOEXCEPT;\n"
      "actinide_status ${function}_on(const actinide_executor* executor, const ${C_TYPE}* x, ${C_TYPE}* y, size_t n${ATTRIBUTE_PARAMETERS}) ACTINIDE_NOEXCEPT;\n")

    set(to_c_x "x.data()")
    set(to_c_y "y.data()")
    set(qualified_type ${cpp_type})
    if(NOT C_TYPE STREQUAL cpp_type)
      set(qualified_type actinide::${cpp_type})
      set(to_c_x "reinterpret_cast<const ${C_TYPE}*>(x.data())")
      set(to_c_y "reinterpret_cast<${C_TYPE}*>(y.data())")
    endif()
    string(APPEND CPP_OVERLOADS
      "/// y = ${operator}(x), element by element; x and y have one size and are the same memory or do not overlap.\n"
      "inline actinide::status ${operator}(std::span<const ${qualified_type}> x, std::span<${qualified_type}> y, [[maybe_unused]] ${operator}_attributes attributes = {}) noexcept {\n"
      "  if (x.size() != y.size()) return actinide::status::size_mismatch;\n"
      "  return static_cast<actinide::status>(${function}(${to_c_x}, ${to_c_y}, x.size()${cpp_arguments}));\n"
      "}\n\n"
      "/// The same on the executor's threads; actinide::status::executor_failed if it did not run all.\n"
      "inline actinide::status ${operator}(std::span<const ${qualified_type}> x, std::span<${qualified_type}> y, [[maybe_unused]] ${operator}_attributes attributes, const actinide::executor& on) noexcept {\n"
      "  if (x.size() != y.size()) return actinide::status::size_mismatch;\n"
      "  return static_cast<actinide::status>(${function}_on(&on, ${to_c_x}, ${to_c_y}, x.size()${cpp_arguments}));\n"
      "}\n\n")

    set(KERNEL_DECLARATIONS "")
    set(KERNEL_NAMES "")
    set(STREAMS "")
    set(MAY_STREAM false)
    set(objects "")
    foreach(target IN LISTS ACTINIDE_TARGETS)
      set(kernel ${PREFIX}_k_${operator}_${type}_${target})
      string(APPEND KERNEL_DECLARATIONS "[[gnu::visibility(\"hidden\")]] int ${kernel}(Buffer*${ATTRIBUTE_TYPES}, Buffer*);\n")
      list(APPEND KERNEL_NAMES ${kernel})
      set(stream nullptr)
      foreach(streamed IN LISTS arg_STREAMED)
        if(target MATCHES "^(avx2|avx512)$" AND "${type}_${target}" MATCHES "^(${streamed})$")
          set(stream "actinide::detail::stream_${target}")
          set(MAY_STREAM true)
        endif()
      endforeach()
      list(APPEND STREAMS "${stream}")
      string(APPEND kernel_rows
        "ACTINIDE_KERNEL(${operator}, ${type}, ${C_TYPE}, ${target}, ARGUMENTS(${ATTRIBUTE_TYPES}), ARGUMENTS(${row_arguments}))\n")
      actinide_add_kernel(${operator} ${type} ${target} "x,${attribute_names}y" object ${PREFIX})
      list(APPEND objects "${object}")
    endforeach()
    list(JOIN KERNEL_NAMES ", " KERNEL_NAMES)
    string(APPEND TENSOR_KERNEL_DECLARATIONS "${KERNEL_DECLARATIONS}")
    set(tensor_kernels_of_${type} "${KERNEL_NAMES}")
    string(APPEND TENSOR_CASES
      "    case ElementType::${type}:\n"
      "      return ${function}(static_cast<const ${C_TYPE}*>(tensors.x), static_cast<${C_TYPE}*>(tensors.y), tensors.n${ATTRIBUTE_ARGUMENTS});\n")
    list(JOIN STREAMS ", " STREAMS)
    # Two objects, for whoever calls only one of the functions.
    set(FUNCTION ${function})
    set(CALL_HEADER call.h)
    set(CALL "call<${MAY_STREAM}>(")
    set(EXECUTOR_PARAMETER "")
    set(source "${sources}/${operator}_${type}.cpp")
    configure_file("${Actinide_SOURCE_DIR}/runtime/src/typed_function.cpp.in" "${source}" @ONLY)
    set(FUNCTION ${function}_on)
    set(CALL_HEADER call_on.h)
    set(CALL "call_on<${MAY_STREAM}, ${arg_PICOSECONDS}>(executor, ")
    set(EXECUTOR_PARAMETER "const actinide_executor* executor, ")
    set(source_on "${sources}/${operator}_${type}_on.cpp")
    configure_file("${Actinide_SOURCE_DIR}/runtime/src/typed_function.cpp.in" "${source_on}" @ONLY)
    # The custom commands belong to this directory, the library to another: a target of this one carries the dependency.
    add_custom_target(${PREFIX}_kernels_${operator}_${type} DEPENDS ${objects})
    add_dependencies(${arg_LIBRARY} ${PREFIX}_kernels_${operator}_${type})
    target_sources(${arg_LIBRARY} PRIVATE "${source}" "${source_on}" ${objects})
    set_property(GLOBAL APPEND PROPERTY ACTINIDE_KERNEL_OBJECTS ${objects})
    if(ACTINIDE_CUDA)
      actinide_add_cuda_function(${operator} ${type} "x,${attribute_names}y")
    endif()

    string(APPEND rows "ACTINIDE_ROW(${operator}, ${type}, ${C_TYPE}, ARGUMENTS(${row_arguments}), ${index}, ATTRIBUTES(${row_attributes}))\n")
  endforeach()

  if(ACTINIDE_IS_SOURCE)
    # One object for tensors of all types, which are known at run time.
    set(TENSOR_KERNELS "")
    foreach(type IN ITEMS f16 bf16 f32 f64)
      string(APPEND TENSOR_KERNELS "    {${tensor_kernels_of_${type}}},\n")
    endforeach()
    set(source "${ACTINIDE_GENERATED_DIR}/src/${operator}_tensor.cpp")
    configure_file("${Actinide_SOURCE_DIR}/runtime/src/tensor_function.cpp.in" "${source}" @ONLY)
    target_sources(actinide PRIVATE "${source}")
    foreach(function IN ITEMS actinide_${operator} actinide_cpu_${operator})
      set_property(GLOBAL APPEND_STRING PROPERTY ACTINIDE_TENSOR_C_DECLARATIONS
        "actinide_status ${function}(const DLTensor* x, DLTensor* y${ATTRIBUTE_PARAMETERS}) ACTINIDE_NOEXCEPT;\n")
    endforeach()
    string(CONCAT tensor_overloads
      "/// y = ${operator}(x), element by element, as actinide_${operator} for tensors has it.\n"
      "inline status ${operator}(const DLTensor& x, DLTensor& y, [[maybe_unused]] ${operator}_attributes attributes = {}) noexcept {\n"
      "  return static_cast<status>(actinide_${operator}(&x, &y${cpp_arguments}));\n"
      "}\n\n"
      "/// The same for views; T may be const.\n"
      "template <typename T, typename U>\n"
      "  requires std::same_as<std::remove_const_t<T>, U>\n"
      "inline status ${operator}(tensor_view<T> x, tensor_view<U> y, ${operator}_attributes attributes = {}) noexcept {\n"
      "  DLTensor out = y.dlpack();\n"
      "  return ${operator}(x.dlpack(), out, attributes);\n"
      "}\n\n"
      "#ifdef DLPACK_FLAG_BITMASK_READ_ONLY\n"
      "/// The same for what other libraries hand out. status::read_only if y may not be written, status::layout if x or y is of another major\n"
      "/// version of DLPack.\n"
      "inline status ${operator}(const DLManagedTensorVersioned& x, DLManagedTensorVersioned& y, ${operator}_attributes attributes = {}) noexcept {\n"
      "  const status usable = detail::usable(x, y);\n"
      "  return usable == status::ok ? ${operator}(x.dl_tensor, y.dl_tensor, attributes) : usable;\n"
      "}\n"
      "#endif\n\n")
    set_property(GLOBAL APPEND_STRING PROPERTY ACTINIDE_TENSOR_CPP_OVERLOADS "${tensor_overloads}")
    if(ACTINIDE_CUDA)
      actinide_add_cuda_tensor_function(${operator})
    endif()
  endif()

  foreach(extension h hpp)
    actinide_add_header(${arg_LIBRARY} ${operator}.${extension} TEMPLATE operator.${extension}.in FOLDER ${PREFIX})
    if(ACTINIDE_CUDA)
      actinide_add_header(actinide_cuda cuda/${operator}.${extension} TEMPLATE cuda/operator.${extension}.in)
    endif()
  endforeach()
  if(NOT ACTINIDE_IS_SOURCE)
    if(arg_REFERENCE)
      actinide_add_own_test(${operator} ${PREFIX} ${arg_LIBRARY} "${arg_REFERENCE}" "${arg_LIMITS}" "${rows}")
    endif()
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY ACTINIDE_OPERATORS ${operator})
  set_property(GLOBAL APPEND_STRING PROPERTY ACTINIDE_OPERATOR_ROWS "${rows}")
  set_property(GLOBAL APPEND_STRING PROPERTY ACTINIDE_KERNEL_ROWS "${kernel_rows}")
endfunction()

# Writes what is made of the whole list: the umbrella headers and the tables. Call it once, after the last actinide_add_activation.
function(actinide_finish_list)
  get_property(operators GLOBAL PROPERTY ACTINIDE_OPERATORS)
  if(CMAKE_CROSSCOMPILING)
    actinide_build_host_generators(${operators})
  endif()
  foreach(extension h hpp)
    set(all "/* Every operator. Generated from the list in generators/CMakeLists.txt. */\n")
    set(cuda "${all}")
    foreach(operator IN LISTS operators)
      string(APPEND all "#include <actinide/${operator}.${extension}>\n")
      string(APPEND cuda "#include <actinide/cuda/${operator}.${extension}>\n")
    endforeach()
    actinide_add_header(actinide operators.${extension} CONTENT "${all}")
    if(ACTINIDE_CUDA)
      actinide_add_header(actinide_cuda cuda/operators.${extension} CONTENT "${cuda}")
    endif()
  endforeach()

  foreach(list C_DECLARATIONS CPP_OVERLOADS)
    get_property(TENSOR_${list} GLOBAL PROPERTY ACTINIDE_TENSOR_${list})
    get_property(CUDA_TENSOR_${list} GLOBAL PROPERTY ACTINIDE_CUDA_TENSOR_${list})
  endforeach()
  foreach(extension h hpp)
    actinide_add_header(actinide dlpack_tensor.${extension} TEMPLATE dlpack_tensor.${extension}.in)
    if(ACTINIDE_CUDA)
      actinide_add_header(actinide_cuda cuda/dlpack_tensor.${extension} TEMPLATE cuda/dlpack_tensor.${extension}.in)
    endif()
  endforeach()

  get_property(rows GLOBAL PROPERTY ACTINIDE_OPERATOR_ROWS)
  file(CONFIGURE OUTPUT "${ACTINIDE_GENERATED_DIR}/src/operator_table.inc" CONTENT "${rows}" @ONLY)
  get_property(rows GLOBAL PROPERTY ACTINIDE_KERNEL_ROWS)
  file(CONFIGURE OUTPUT "${ACTINIDE_GENERATED_DIR}/src/kernel_table.inc" CONTENT "${rows}" @ONLY)
  set(targets "")
  foreach(target IN LISTS ACTINIDE_TARGETS)
    string(APPEND targets "ACTINIDE_TARGET(${target})\n")
  endforeach()
  file(CONFIGURE OUTPUT "${ACTINIDE_GENERATED_DIR}/src/targets.inc" CONTENT "${targets}" @ONLY)
endfunction()
