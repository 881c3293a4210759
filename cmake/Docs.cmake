# The documentation's site (docs/site): share/diopi/docs.tar beside the programs, where diopi-server finds it. It is built
# with the server. Its packages are fetched while the programs compile, because its pages need the programs' man pages.
if(TARGET diopi_web_page)
  set(DIOPI_DOCS_TAR ${PROJECT_BINARY_DIR}/share/diopi/docs.tar)
  file(GLOB_RECURSE _pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/site/*
       ${PROJECT_SOURCE_DIR}/docs/figures/*.svg ${PROJECT_SOURCE_DIR}/docs/figures/*.png ${PROJECT_SOURCE_DIR}/proto/diopi/v1/*.proto)
  set(_manuals ${PROJECT_BINARY_DIR}/share/man/man1)  # Install.cmake makes them
  set(_fetched ${PROJECT_BINARY_DIR}/docs_site/fetched)
  set(_build ${PROJECT_SOURCE_DIR}/cmake/build_docs.cmake)
  add_custom_command(
    OUTPUT ${_fetched}
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D COPY=${PROJECT_BINARY_DIR}/docs_site
            -D ONLY_FETCH=ON -D NPM=${DIOPI_NPM} -P ${_build}
    DEPENDS ${PROJECT_SOURCE_DIR}/docs/site/package-lock.json ${_build} ${PROJECT_SOURCE_DIR}/cmake/npm.cmake
    COMMENT "Fetching the packages of the documentation's site" VERBATIM)
  add_custom_target(diopi_docs_packages DEPENDS ${_fetched})  # of its own, so that it waits for no program
  add_custom_command(
    OUTPUT ${DIOPI_DOCS_TAR}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/share/diopi
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D COPY=${PROJECT_BINARY_DIR}/docs_site
            -D MANUALS=${_manuals} -D SCHEMA=${PROJECT_BINARY_DIR}/generated/messages.schema.json -D OUTPUT=${DIOPI_DOCS_TAR} -D NPM=${DIOPI_NPM} -P ${_build}
    DEPENDS ${_pages} ${_fetched} ${_build} ${PROJECT_SOURCE_DIR}/cmake/npm.cmake
            ${PROJECT_SOURCE_DIR}/server/http/API.md ${PROJECT_BINARY_DIR}/generated/messages.schema.json
            ${PROJECT_SOURCE_DIR}/cases/ops/GUIDE.md
            ${PROJECT_SOURCE_DIR}/client/profile/GUIDE.md ${PROJECT_SOURCE_DIR}/reports/gate/README.md
            ${PROJECT_SOURCE_DIR}/CHANGELOG.md
            ${_manuals}/diopi-agent.1 ${_manuals}/diopi-cli.1 ${_manuals}/diopi-server.1
    COMMENT "Building the documentation's site" VERBATIM)
  set(_all ALL)
  if(DIOPI_SANITIZE)  # nobody reads it there
    set(_all "")
  endif()
  add_custom_target(diopi_docs ${_all} DEPENDS ${DIOPI_DOCS_TAR})
  add_dependencies(diopi_docs diopi_docs_packages)
endif()
