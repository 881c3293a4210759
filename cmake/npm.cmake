# What the scripts that build with npm share. They set COPY, the folder in which npm works, and NPM.
# Packages are fetched only when package-lock.json has changed. If npm cannot reach its registry, `left_out` is set, and
# the build goes on; any other failure ends it.
set(no_network "ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT")
string(APPEND no_network "|UNABLE_TO_|SELF_SIGNED|E50[234]")

# npm's log goes to a file; the end of the log is shown if npm fails.
function(run_npm what)
  execute_process(COMMAND ${NPM} ${ARGN} WORKING_DIRECTORY ${COPY} RESULT_VARIABLE result
                  OUTPUT_VARIABLE log ERROR_VARIABLE log)
  file(WRITE ${COPY}/npm.log "${log}")
  if(NOT result EQUAL 0 AND what STREQUAL "npm ci" AND log MATCHES "${no_network}")
    message(WARNING "npm cannot reach its registry (${COPY}/npm.log): what it builds is left out. "
                    "To try again: rm -r ${COPY} and build")
    set(left_out TRUE PARENT_SCOPE)
    return()
  endif()
  if(NOT result EQUAL 0)
    string(LENGTH "${log}" length)
    if(length GREATER 3000)
      math(EXPR from "${length} - 3000")
      string(SUBSTRING "${log}" ${from} -1 log)
    endif()
    message(FATAL_ERROR "${log}\n${what} failed (${COPY}/npm.log). Without a network, or without Node: "
                        "cmake -DDIOPI_WEB=OFF")
  endif()
endfunction()

# Fetches the packages of COPY/package-lock.json. Sets left_out.
function(fetch_packages)
  file(SHA256 ${COPY}/package-lock.json lock)
  set(installed "")
  if(EXISTS ${COPY}/node_modules/.diopi_lock)
    file(READ ${COPY}/node_modules/.diopi_lock installed)
  endif()
  if(NOT installed STREQUAL lock)
    run_npm("npm ci" ci --no-audit --no-fund)
    if(left_out)
      set(left_out TRUE PARENT_SCOPE)
      return()
    endif()
    file(WRITE ${COPY}/node_modules/.diopi_lock "${lock}")
  endif()
endfunction()
