# cmake -P: what nvcc is asked for, by release. There is one release on a machine.
include(${CMAKE_CURRENT_LIST_DIR}/../CudaCode.cmake)

function(expect release devices wanted_code wanted_options)
  diopi_cuda_code(${release} ${devices} code options)
  if(NOT "${code}" STREQUAL "${wanted_code}" OR NOT "${options}" STREQUAL "${wanted_options}")
    message(FATAL_ERROR "CUDA ${release}, devices ${devices}: '${code}' with '${options}', expected '${wanted_code}' with '${wanted_options}'")
  endif()
endfunction()

expect(12.4 none compute_75 "SHELL:-Xcicc -O0;-Xcompiler=-O1")
expect(12.4 all sm_75,sm_80,sm_86,sm_89,sm_90,compute_75 "-lineinfo")
expect(12.8 all sm_75,sm_80,sm_86,sm_89,sm_90,sm_100,sm_120,compute_75 "-lineinfo;--compress-mode=size")
expect(13.0 none compute_75 "SHELL:-Xcicc -O0;-Xcompiler=-O1")
expect(13.0 all sm_75,sm_80,sm_86,sm_89,sm_90,sm_100,sm_120,compute_75 "-lineinfo;--compress-mode=size")
expect(13.0 sm_90 sm_90,compute_75 "-lineinfo;--compress-mode=size")
