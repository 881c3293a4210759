# The few kinds of targets this project has. Every one takes SOURCES and LINK.
include(GoogleTest)

# diopi_library(NAME SOURCES ... LINK ...): a static library of ours.
function(diopi_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC diopi_options ${ARG_LINK})
endfunction()

# diopi_program(NAME SOURCES ... LINK ...): an executable in build/bin.
function(diopi_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE diopi_options ${ARG_LINK})
endfunction()

# diopi_tool(NAME SOURCES ... LINK ...): an executable in build/tools, for the build, tests and benchmarks.
function(diopi_tool name)
  diopi_program(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tools)
endfunction()

# What nearly every test includes and nobody here changes is parsed once: half of a test's compile time. Builds with
# sanitizers do without, and so find a missing #include.
if(NOT DIOPI_SANITIZE AND NOT DIOPI_FUZZ AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_headers.cc CONTENT "int main() {}\n")
  add_executable(diopi_test_headers EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/test_headers.cc)
  target_link_libraries(diopi_test_headers PRIVATE diopi_options absl::statusor absl::strings absl::str_format absl::time
    protobuf::libprotobuf GTest::gtest GTest::gmock)
  target_compile_options(diopi_test_headers PRIVATE $<$<CONFIG:Release>:-O0> -pthread)
  target_precompile_headers(diopi_test_headers PRIVATE
    <algorithm> <array> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <mutex> <optional> <set> <sstream>
    <string> <string_view> <utility> <vector> <absl/status/statusor.h> <absl/strings/match.h> <absl/strings/str_cat.h>
    <absl/strings/str_format.h> <absl/strings/str_join.h> <absl/strings/str_split.h> <absl/time/time.h>
    <google/protobuf/generated_enum_reflection.h> <google/protobuf/generated_message_reflection.h>
    <google/protobuf/map_entry.h> <google/protobuf/map_field.h> <google/protobuf/message.h>
    <google/protobuf/repeated_field.h> <google/protobuf/unknown_field_set.h> <gmock/gmock.h> <gtest/gtest.h>)
endif()

# diopi_test(NAME SOURCES ... LINK ... [TIMEOUT s] [NEEDS target ...]): a GoogleTest program, one ctest per
# program, in build/tests.
function(diopi_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;NEEDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE diopi_options ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    DIOPI_BINARY_DIR="${CMAKE_BINARY_DIR}" DIOPI_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Of the tests' own code, not of what they test: optimising it takes a third of its compile time.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  if(TARGET diopi_test_headers)
    target_compile_options(${name} PRIVATE -pthread)  # as the precompiled headers
    target_precompile_headers(${name} REUSE_FROM diopi_test_headers)
    if(DIOPI_CCACHE)
      target_compile_options(${name} PRIVATE -fpch-preprocess)
      set_target_properties(${name} diopi_test_headers PROPERTIES
        CXX_COMPILER_LAUNCHER "env;CCACHE_SLOPPINESS=pch_defines,time_macros;${DIOPI_CCACHE}")
    endif()
  endif()
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(DIOPI_SANITIZE)  # several times as slow
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 4")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  if(ARG_NEEDS)
    add_dependencies(${name} ${ARG_NEEDS})
  endif()
endfunction()

# diopi_fuzz(NAME SOURCES ... LINK ...): a fuzz target, a file with LLVMFuzzerTestOneInput, and its regression
# corpus in the folder corpus/NAME beside it. With DIOPI_FUZZ the libFuzzer program build-fuzz/fuzz/NAME, part of
# the target "fuzzers"; otherwise the test NAME_corpus_test, which hands every file of the corpus to the target.
if(DIOPI_FUZZ)
  add_custom_target(fuzzers)
endif()
function(diopi_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  if(DIOPI_FUZZ)
    add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    target_link_libraries(${name} PRIVATE diopi_options ${ARG_LINK} -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
    file(WRITE ${CMAKE_BINARY_DIR}/fuzz/${name}.corpus ${corpus})  # for cmake/checks/fuzz.sh
  else()
    diopi_test(${name}_corpus_test SOURCES ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/checks/corpus_test.cc
               LINK ${ARG_LINK})
    target_compile_definitions(${name}_corpus_test PRIVATE DIOPI_CORPUS="${corpus}")
  endif()
endfunction()

# diopi_vendor(NAME SOURCES ...): a test vendor library build/lib/vendors/NAME.so, with the ABI's headers
# and nothing else of ours in it; the runtime's symbols stay undefined, as in a real one.
function(diopi_vendor name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} SHARED ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${DIOPI_VENDORS_DIR})
  target_link_libraries(${name} PRIVATE diopi_options diopi_headers ${ARG_LINK})
endfunction()

# diopi_proto(NAME ROOT dir FILES a.proto ... [LINK ...]): messages into a static library. Generated code
# lives in build/generated and is not held to our warnings.
function(diopi_proto name)
  cmake_parse_arguments(ARG "" "ROOT" "FILES;LINK" ${ARGN})
  set(sources)
  set(out ${PROJECT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out})
  foreach(file ${ARG_FILES})
    string(REGEX REPLACE "\\.proto$" "" stem ${file})
    add_custom_command(
      OUTPUT ${out}/${stem}.pb.cc ${out}/${stem}.pb.h
      COMMAND protobuf::protoc --proto_path=${ARG_ROOT} --cpp_out=${out} ${file}
      DEPENDS ${ARG_ROOT}/${file} WORKING_DIRECTORY ${ARG_ROOT} VERBATIM)
    list(APPEND sources ${out}/${stem}.pb.cc)
  endforeach()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} SYSTEM PUBLIC ${out})
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf ${ARG_LINK})
endfunction()
