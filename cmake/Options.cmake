# Language level, warnings, sanitizers and output folders.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/static)
set(DIOPI_VENDORS_DIR ${CMAKE_BINARY_DIR}/lib/vendors)  # test vendor libraries
# Programs find libdiopirt.so and the reference libraries beside them, wherever the build folder is moved.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

set(DIOPI_UNITY 8 CACHE STRING "How many sources are compiled as one; 1: each alone, as the lint does")
set(DIOPI_SANITIZE "" CACHE STRING "'address' (with undefined behaviour) or 'thread'; empty: none")
option(DIOPI_WERROR "Warnings are errors" ON)
option(DIOPI_FUZZ "Build the libFuzzer programs, target 'fuzzers' (clang; preset 'fuzz'), not the tests of their corpora" OFF)
option(DIOPI_CUDA "Build the NVIDIA reference when the CUDA toolkit is found" ON)
set(DIOPI_CUDA_DEVICES none CACHE STRING "Build it for these NVIDIA devices: 'all', as for shipping, sm_90, ...; none: PTX only")
option(DIOPI_CUDNN "Build the NVIDIA reference with cuDNN when that is found" ON)

# Applied by diopi_library and friends to our own targets only.
add_library(diopi_options INTERFACE)
target_compile_options(diopi_options INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wcast-align;-Wunused;-Wimplicit-fallthrough>"
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wdouble-promotion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  # Inputs and noise figures are the same on every machine: no contraction into FMA.
  "$<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer;-ffp-contract=off>")
if(DIOPI_WERROR AND NOT DIOPI_FUZZ)
  target_compile_options(diopi_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
endif()
# For tests. A header, so that other objects are the same in every checkout, for the compiler cache.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/build_paths.h CONTENT
  "#define DIOPI_BINARY_DIR \"@CMAKE_BINARY_DIR@\"\n#define DIOPI_SOURCE_DIR \"@PROJECT_SOURCE_DIR@\"\n" @ONLY)
target_include_directories(diopi_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)

if(DIOPI_SANITIZE STREQUAL "address")
  # The standard library's containers check indices, which the sanitizer sees only beyond their memory.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -O1 -g1 -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
elseif(DIOPI_SANITIZE STREQUAL "thread")
  # Under gcc's own macro protobuf's maps have members that they lack in Debian's library. The standard library's pointers
  # need to know all the same (_GLIBCXX_TSAN), or they read two counters at once, which is reported.
  add_compile_options(-fsanitize=thread -O1 -g1 -U__SANITIZE_THREAD__ -DDIOPI_THREAD_SANITIZER -D_GLIBCXX_TSAN=1)
  add_link_options(-fsanitize=thread)
elseif(DIOPI_FUZZ)
  # Compiled with clang; this code is only checked against gcc's warnings.
  add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined -O1 -g -w
                      -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
elseif(DIOPI_SANITIZE)
  message(FATAL_ERROR "DIOPI_SANITIZE is '${DIOPI_SANITIZE}'; expected 'address', 'thread' or nothing")
endif()

if(DIOPI_SANITIZE)
  # gcc 12's flow analysis mistakes instrumented code of the standard library for uninitialised reads.
  target_compile_options(diopi_options INTERFACE -Wno-maybe-uninitialized)
endif()

# Most of a file's compile time goes to its headers, so several files of a library are compiled as one; names in their
# unnamed namespaces must therefore differ. The lint compiles each file alone, and so finds a missing #include.
if(DIOPI_UNITY GREATER 1 AND NOT DIOPI_FUZZ)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${DIOPI_UNITY})
endif()

find_program(DIOPI_CCACHE ccache)
if(DIOPI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${DIOPI_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DIOPI_CCACHE})
endif()
find_program(DIOPI_MOLD mold)
if(DIOPI_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
