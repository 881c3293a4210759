# The kinds of targets that this project has. Each takes SOURCES and LINK.
include(GoogleTest)

# diopi_library(NAME SOURCES ... LINK ...): a static library of ours.
function(diopi_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC diopi_options ${ARG_LINK})
  _diopi_precompiled(${name} diopi_library_headers)
endfunction()

# diopi_program(NAME [ALLOCATOR] SOURCES ... LINK ...): an executable in build/bin. ALLOCATOR: it allocates with tcmalloc; not
# for diopi-worker, where a vendor's library must find the C library's malloc.
function(diopi_program name)
  cmake_parse_arguments(ARG "ALLOCATOR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_ALLOCATOR AND TCMALLOC_FOUND)
    target_link_libraries(${name} PRIVATE PkgConfig::TCMALLOC)
  endif()
  target_link_libraries(${name} PRIVATE diopi_options ${ARG_LINK})
endfunction()

# diopi_tool(NAME SOURCES ... LINK ...): an executable in build/tools, for the build, tests and benchmarks.
function(diopi_tool name)
  diopi_program(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tools)
endfunction()

# Third-party headers that nearly every source includes are parsed once: they take half of a file's compile time. LIBRARY:
# for libraries' sources, not for programs'.
function(_diopi_precompile name)
  cmake_parse_arguments(ARG "LIBRARY" "" "LINK;OPTIONS;HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc CONTENT "int main() {}\n")
  if(ARG_LIBRARY)
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${name}.cc)
  else()
    add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${name}.cc)
  endif()
  target_link_libraries(${name} PRIVATE diopi_options ${ARG_LINK})
  target_compile_options(${name} PRIVATE -pthread ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  _diopi_precompiled_launcher(${name})
endfunction()

# The target's sources start with these precompiled headers.
function(_diopi_precompiled name headers)
  if(TARGET ${headers})
    target_compile_options(${name} PRIVATE -pthread)  # as the precompiled headers
    target_precompile_headers(${name} REUSE_FROM ${headers})
    _diopi_precompiled_launcher(${name})
  endif()
endfunction()

function(_diopi_precompiled_launcher name)
  if(DIOPI_CCACHE)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    set_target_properties(${name} PROPERTIES
      CXX_COMPILER_LAUNCHER "env;CCACHE_SLOPPINESS=pch_defines,time_macros;${DIOPI_CCACHE}")
  endif()
endfunction()

if(NOT DIOPI_FUZZ AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(_common <algorithm> <array> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <mutex> <optional> <set>
    <sstream> <string> <string_view> <utility> <vector> <absl/status/statusor.h> <absl/strings/match.h>
    <absl/strings/str_cat.h> <absl/strings/str_format.h> <absl/strings/str_join.h> <absl/strings/str_split.h>
    <absl/time/time.h> <google/protobuf/generated_enum_reflection.h> <google/protobuf/generated_message_reflection.h>
    <google/protobuf/map_entry.h> <google/protobuf/map_field.h> <google/protobuf/message.h>
    <google/protobuf/repeated_field.h> <google/protobuf/unknown_field_set.h>)
  set(_link absl::statusor absl::strings absl::str_format absl::time protobuf::libprotobuf)
  _diopi_precompile(diopi_library_headers LIBRARY LINK ${_link} HEADERS ${_common})
  _diopi_precompile(diopi_test_headers LINK ${_link} GTest::gtest GTest::gmock OPTIONS -O0
    HEADERS ${_common} <gmock/gmock.h> <gtest/gtest.h>)
  _diopi_precompile(diopi_kernel_headers LIBRARY OPTIONS -O2
    HEADERS <algorithm> <array> <cmath> <complex> <cstdint> <cstring> <functional> <limits> <memory> <numeric> <optional>
      <sstream> <string> <type_traits> <utility> <vector>)
  set_target_properties(diopi_kernel_headers PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endif()

# For code that parses a program's options, which runs once: half of its compile time goes to them, a third less without
# -O3. Applies to the whole target, or to the given sources.
function(diopi_parses_options name)
  if(ARGN)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  else()
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# diopi_unity_groups(OUT FILE ...): for each file the group that it is compiled in, about DIOPI_UNITY files each. A group
# follows from the file's name, so that an operator's file that comes or goes changes its own group only: batches in order
# would all shift. The number of groups changes where the number of files doubles.
function(diopi_unity_groups out)
  list(LENGTH ARGN count)
  set(bits 1)
  while(bits LESS 256 AND DIOPI_UNITY GREATER 1)
    math(EXPR next "${bits} * 2")
    math(EXPR files "${count} / ${next}")
    if(files LESS DIOPI_UNITY)
      break()
    endif()
    set(bits ${next})
  endwhile()
  set(groups "")
  foreach(file ${ARGN})
    get_filename_component(file ${file} NAME)
    string(MD5 hash ${file})
    string(SUBSTRING ${hash} 0 2 hash)
    math(EXPR group "0x${hash} % ${bits}")
    list(APPEND groups ${group})
  endforeach()
  set(${out} ${groups} PARENT_SCOPE)
endfunction()

# The target's sources are compiled in these groups.
function(diopi_unity_by_name name)
  get_target_property(sources ${name} SOURCES)
  diopi_unity_groups(groups ${sources})
  foreach(source group IN ZIP_LISTS sources groups)
    set_source_files_properties(${source} TARGET_DIRECTORY ${name} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# diopi_kernels(NAME SOURCES ... LINK ...): a reference's kernels as objects.
function(diopi_kernels name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${name} PRIVATE -O2)
  target_link_libraries(${name} PUBLIC diopi_options diopi_headers diopi_ops_support ${ARG_LINK})
  diopi_unity_by_name(${name})
  _diopi_precompiled(${name} diopi_kernel_headers)
endfunction()

# diopi_test(NAME [IN PROGRAM] SOURCES ... LINK ... [TIMEOUT s] [NEEDS target ...]): a test of ctest, with GoogleTest.
# Without IN it is a program of its own, build/tests/NAME. With IN its sources become part of build/tests/PROGRAM, which
# the tests of a folder share, and ctest runs the suites that they define; the target NAME builds all that the test needs.
function(diopi_test name)
  cmake_parse_arguments(ARG "" "IN;TIMEOUT" "SOURCES;LINK;NEEDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(ARG_IN)
    _diopi_suites(filter ${ARG_SOURCES})
    _diopi_test_part(${name} ${ARG_IN} ${filter} ${ARG_TIMEOUT} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK})
  else()
    _diopi_test_part(${name} ${name} "*" ${ARG_TIMEOUT} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK})
  endif()
  if(ARG_NEEDS)
    add_dependencies(${name} ${ARG_NEEDS})
  endif()
endfunction()

# _diopi_test_part(NAME PROGRAM FILTER TIMEOUT SOURCES ... LINK ...): adds the sources to a test program, which the first
# part creates.
function(_diopi_test_part name program filter timeout)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT TARGET ${program})
    _diopi_test_program(${program})
  endif()
  if(NOT name STREQUAL program)
    add_custom_target(${name})
    add_dependencies(${name} ${program})
  endif()
  target_sources(${program} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${program} PRIVATE ${ARG_LINK})
  add_test(NAME ${name} COMMAND ${program} --gtest_filter=${filter})
  if(DIOPI_SANITIZE)  # several times as slow
    math(EXPR timeout "${timeout} * 4")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout})
endfunction()

# The filter for the suites that the sources define; a changed source makes CMake look again.
function(_diopi_suites filter)
  set(patterns)
  foreach(source ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} uses REGEX "^(TYPED_)?TEST(_F|_P)?\\(")
    foreach(use ${uses})
      string(REGEX REPLACE "^[A-Z_]+\\( *([A-Za-z0-9_]+).*" "\\1" suite "${use}")
      list(APPEND patterns "${suite}.*" "*/${suite}.*" "${suite}/*" "*/${suite}/*")
    endforeach()
  endforeach()
  if(NOT patterns)
    message(FATAL_ERROR "no test suite in ${ARGN}")
  endif()
  list(REMOVE_DUPLICATES patterns)
  list(JOIN patterns ":" patterns)
  set(${filter} "${patterns}" PARENT_SCOPE)
endfunction()

function(_diopi_test_program program)
  add_executable(${program})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${program} PRIVATE diopi_options GTest::gtest GTest::gmock GTest::gtest_main)
  # For the tests' own code, not for what they test: optimising it takes a third of its compile time.
  target_compile_options(${program} PRIVATE -O0)
  _diopi_precompiled(${program} diopi_test_headers)
endfunction()

# diopi_fuzz(NAME SOURCES ... [OF library] LINK ... [SEEDS folder]): a fuzz target, a file with LLVMFuzzerTestOneInput, and
# its regression corpus in the folder corpus/NAME beside it; SEEDS: a folder whose files, and those of its subfolders, belong
# to the corpus too. With DIOPI_FUZZ it makes the libFuzzer program build-fuzz/fuzz/NAME, part of the target "fuzzers", from
# these sources alone; otherwise the test NAME_corpus_test, which passes every file of the corpus to the target and links the
# library OF, which has the sources ../*.cc.
if(DIOPI_FUZZ)
  add_custom_target(fuzzers)
endif()
function(diopi_fuzz name)
  cmake_parse_arguments(ARG "" "SEEDS;OF" "SOURCES;LINK" ${ARGN})
  set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  if(DIOPI_FUZZ)
    add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    target_link_libraries(${name} PRIVATE diopi_options ${ARG_LINK} -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
    file(WRITE ${CMAKE_BINARY_DIR}/fuzz/${name}.corpus "${corpus}\n${ARG_SEEDS}")  # for cmake/checks/fuzz.sh
  else()
    list(FILTER ARG_SOURCES EXCLUDE REGEX "^\\.\\./")
    # All targets are in one program, so each target's function gets a name of its own.
    set(test ${CMAKE_CURRENT_BINARY_DIR}/${name}_corpus_test.cc)
    file(CONFIGURE OUTPUT ${test} CONTENT
         "#include \"cmake/checks/corpus_test.h\"\n\nDIOPI_CORPUS_TEST(${name},\n\"${corpus}\", \"${ARG_SEEDS}\")\n")
    _diopi_test_part(${name}_corpus_test corpus_tests "${name}_corpus.*" 120 SOURCES ${test} ${ARG_SOURCES}
      LINK ${ARG_OF} ${ARG_LINK})
    set_property(SOURCE ${ARG_SOURCES} TARGET_DIRECTORY corpus_tests
      APPEND PROPERTY COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=${name})
  endif()
endfunction()

# diopi_vendor(NAME SOURCES ...): a test vendor library build/lib/vendors/NAME.so, which uses only the ABI's headers of
# ours; the runtime's symbols stay undefined, as in a real one.
function(diopi_vendor name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} SHARED ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${DIOPI_VENDORS_DIR})
  target_link_libraries(${name} PRIVATE diopi_options diopi_headers ${ARG_LINK})
endfunction()

# diopi_proto(NAME ROOT dir FILES a.proto ... [LINK ...]): compiles messages into a static library. Generated code is in
# build/generated and is compiled without our warnings.
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
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)  # every generated file defines the same names
endfunction()
