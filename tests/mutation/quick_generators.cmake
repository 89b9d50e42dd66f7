# Included by project(): the generators are rebuilt for most mutants and run once, so they are compiled without optimization, with Halide.h
# compiled beforehand. The kernels are the same.
function(actinide_make_generators_quick)
  foreach(target actinide_generator actinide_generate_elu actinide_generate_thresholded_relu)
    if(TARGET ${target})
      target_compile_options(${target} PRIVATE -O0)
      target_precompile_headers(${target} PRIVATE <Halide.h>)
    endif()
  endforeach()
endfunction()
cmake_language(DEFER CALL actinide_make_generators_quick)
