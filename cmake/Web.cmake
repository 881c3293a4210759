# Builds the dashboards' page (reports/web), one self-contained file, if Node is installed. Sets DIOPI_WEB_PAGE to its
# path, or to an empty file if the page is left out.
option(DIOPI_WEB "Build the dashboards' page when Node 18 or newer and npm are found" ON)

# diopi_embed(TARGET FILE f FUNCTION name HEADER h [NAMESPACE n]): defines `std::string_view name()` of n (diopi::server),
# declared in the header h, which returns the bytes of f; it is compiled again when they change.
function(diopi_embed target)
  cmake_parse_arguments(ARG "" "FILE;FUNCTION;HEADER;NAMESPACE" "" ${ARGN})
  set(FILE ${ARG_FILE})
  set(FUNCTION ${ARG_FUNCTION})
  set(HEADER ${ARG_HEADER})
  set(NAMESPACE diopi::server)
  if(ARG_NAMESPACE)
    set(NAMESPACE ${ARG_NAMESPACE})
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}.cc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.cc.in ${source} @ONLY)
  # On its own: in a unity source its dependency would be lost.
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${ARG_FILE} SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${source})
endfunction()

set(_why "")
if(DIOPI_WEB)
  find_program(DIOPI_NODE node)
  find_program(DIOPI_NPM npm)
  if(NOT DIOPI_NODE OR NOT DIOPI_NPM)
    set(_why "no node found, the dashboard page is left out")
  else()
    execute_process(COMMAND ${DIOPI_NODE} --version OUTPUT_VARIABLE _version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" _version "${_version}")
    if(_version VERSION_LESS 18)
      set(_why "node ${_version} found, 18 is needed; the dashboard page is left out")
    endif()
  endif()
else()
  set(_why "left out by DIOPI_WEB=OFF")
endif()

if(_why)
  message(STATUS "Web: ${_why}")
  set(DIOPI_WEB_PAGE ${PROJECT_BINARY_DIR}/no_page.html)
  file(CONFIGURE OUTPUT ${DIOPI_WEB_PAGE} CONTENT "")
else()
  message(STATUS "Web: node ${_version} builds the dashboard page")
  set(_web ${PROJECT_SOURCE_DIR}/reports/web)
  set(_copy ${PROJECT_BINARY_DIR}/web)  # npm writes beside the sources, so it gets a copy of them
  set(DIOPI_WEB_PAGE ${_copy}/dist/index.html)
  set(_types ${PROJECT_BINARY_DIR}/generated/messages.ts)  # reports/render makes them
  set(_findings ${PROJECT_SOURCE_DIR}/cases/findings)  # texts that pages and programs share
  file(GLOB_RECURSE _sources CONFIGURE_DEPENDS ${_web}/src/* ${_web}/*.ts ${_web}/*.json ${_web}/*.html
       ${_findings}/*.txt ${_findings}/testdata/*)
  list(FILTER _sources EXCLUDE REGEX "/(node_modules|dist)/")
  add_custom_command(
    OUTPUT ${DIOPI_WEB_PAGE}
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${_web} -D FINDINGS=${_findings} -D TYPES=${_types} -D COPY=${_copy}
            -D NPM=${DIOPI_NPM}
            -P ${PROJECT_SOURCE_DIR}/cmake/build_web.cmake
    DEPENDS ${_sources} ${_types} ${PROJECT_SOURCE_DIR}/cmake/build_web.cmake ${PROJECT_SOURCE_DIR}/cmake/npm.cmake
    COMMENT "Building the dashboard page" VERBATIM)
  add_custom_target(diopi_web_page DEPENDS ${DIOPI_WEB_PAGE})
endif()
