# cmake -D SOURCE=reports/web -D COPY=build/web -D NPM=npm -P build_web.cmake: COPY/dist/index.html.
# Packages are fetched only when package-lock.json has changed.
file(GLOB entries RELATIVE ${SOURCE} ${SOURCE}/*)
list(REMOVE_ITEM entries node_modules dist)
file(REMOVE_RECURSE ${COPY}/src ${COPY}/dist)
foreach(entry ${entries})
  file(COPY ${SOURCE}/${entry} DESTINATION ${COPY})
endforeach()

# npm's log goes to a file; its end is told when it fails.
function(run_npm what)
  execute_process(COMMAND ${NPM} ${ARGN} WORKING_DIRECTORY ${COPY} RESULT_VARIABLE result
                  OUTPUT_VARIABLE log ERROR_VARIABLE log)
  file(WRITE ${COPY}/npm.log "${log}")
  if(NOT result EQUAL 0)
    string(LENGTH "${log}" length)
    if(length GREATER 3000)
      math(EXPR from "${length} - 3000")
      string(SUBSTRING "${log}" ${from} -1 log)
    endif()
    message(FATAL_ERROR "${log}\nWeb: ${what} failed (${COPY}/npm.log). Without a network, or without the page: "
                        "cmake -DDIOPI_WEB=OFF")
  endif()
endfunction()

file(SHA256 ${COPY}/package-lock.json lock)
set(installed "")
if(EXISTS ${COPY}/node_modules/.diopi_lock)
  file(READ ${COPY}/node_modules/.diopi_lock installed)
endif()
if(NOT installed STREQUAL lock)
  run_npm("npm ci" ci --no-audit --no-fund)
  file(WRITE ${COPY}/node_modules/.diopi_lock "${lock}")
endif()
run_npm("npm run build" run build)
if(NOT EXISTS ${COPY}/dist/index.html)
  message(FATAL_ERROR "Web: npm run build made no dist/index.html")
endif()
