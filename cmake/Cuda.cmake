# Enables the CUDA language if the toolkit was found.
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
endif()
if(DIOPI_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${DIOPI_CCACHE})
endif()
set(CMAKE_CUDA_ARCHITECTURES OFF)  # the flags below set it
set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
enable_language(CUDA)
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not know it
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)

# The front end runs once per file, whatever the number of devices.
include(CudaCode)
diopi_cuda_code(${CUDAToolkit_VERSION} ${DIOPI_CUDA_DEVICES} _code _options)
message(STATUS "CUDA: for ${_code}")
add_library(diopi_cuda_options INTERFACE)
target_compile_options(diopi_cuda_options INTERFACE
  "SHELL:-gencode arch=compute_75,code=[${_code}]"
  ${_options}
  # Constants are written as long double, which a device treats as double.
  -diag-suppress=20208
  # Those of our warnings that nvcc's own generated code passes.
  -Xcompiler=-Wall,-Wextra,-Wshadow,-Wno-unused-parameter,-fno-omit-frame-pointer,-ffp-contract=off)
if(DIOPI_WERROR)
  target_compile_options(diopi_cuda_options INTERFACE -Werror=all-warnings -Xcompiler=-Werror)
endif()

# cuDNN is not part of the toolkit. Without it, our own kernels take its place.
# DIOPI_HAVE_CUDNN: the NVIDIA reference is built with it. DIOPI_CUDNN_PLANS: cuDNN can plan without a device, too.
set(DIOPI_HAVE_CUDNN OFF)
set(DIOPI_CUDNN_PLANS OFF)
if(DIOPI_CUDNN)
  find_path(CUDNN_INCLUDE_DIR cudnn_version.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(CUDNN_LIBRARY cudnn HINTS ${CUDAToolkit_LIBRARY_DIR})
endif()
if(DIOPI_CUDNN AND CUDNN_INCLUDE_DIR AND CUDNN_LIBRARY)
  file(STRINGS ${CUDNN_INCLUDE_DIR}/cudnn_version.h _cudnn REGEX "#define CUDNN_(MAJOR|MINOR) ")
  string(REGEX REPLACE "[^0-9]+([0-9]+)[^0-9]+([0-9]+).*" "\\1.\\2" _cudnn "${_cudnn}")
  if(_cudnn VERSION_GREATER_EQUAL 9)
    set(DIOPI_HAVE_CUDNN ON)
  endif()
endif()
if(NOT DIOPI_CUDNN)
  message(STATUS "CUDA: the NVIDIA reference is built without cuDNN by DIOPI_CUDNN=OFF")
elseif(NOT DIOPI_HAVE_CUDNN)
  message(STATUS "CUDA: no cuDNN 9 found, the NVIDIA reference is built without it")
elseif(_cudnn VERSION_LESS 9.8)
  message(STATUS "CUDA: cuDNN ${_cudnn} in ${CUDNN_LIBRARY}; tests of its plans need 9.8 and are left out")
else()
  set(DIOPI_CUDNN_PLANS ON)
  message(STATUS "CUDA: cuDNN ${_cudnn} in ${CUDNN_LIBRARY}")
endif()
