# What `cmake --install` puts where; `./run install PREFIX` calls it. Programs find their libraries at ../lib, so a
# prefix may be moved. Components: server, agent, demo (a faulty vendor library to try with), nvidia (an agent with what
# checks an NVIDIA GPU).
add_custom_target(diopi_shipped DEPENDS
  diopi-server diopi-agent diopi-cli diopi-worker diopirt diopi_cpu diopi_native16 diopi_tap diopi_tap_tools
  libdiopi_faulty)
if(TARGET diopi_cuda)
  add_dependencies(diopi_shipped diopi_cuda)
endif()
# What ./run demo runs, and nothing else.
add_custom_target(diopi_demo DEPENDS
  diopi-server diopi-agent diopi-cli diopi-worker diopi_cpu libdiopi_faulty vendor_early)
set_target_properties(diopi-agent diopi-cli diopi-worker PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
set_target_properties(diopi_tap_tools PROPERTIES INSTALL_RPATH "$ORIGIN")

# Shell completion and man pages, which each program prints itself.
foreach(program diopi-server diopi-agent diopi-cli)
  set(_completion ${CMAKE_BINARY_DIR}/share/bash-completion/completions/${program})
  set(_page ${CMAKE_BINARY_DIR}/share/man/man1/${program}.1)
  add_custom_command(OUTPUT ${_completion} ${_page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/share/bash-completion/completions
            ${CMAKE_BINARY_DIR}/share/man/man1
    COMMAND ${program} --completion bash > ${_completion}
    # The documentation's site is built again only when a page says something else.
    COMMAND ${program} --man-page > ${_page}.new
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${_page}.new ${_page}
    COMMAND ${CMAKE_COMMAND} -E rm ${_page}.new
    DEPENDS ${program} VERBATIM)
  list(APPEND _documents ${_completion} ${_page})
  set(_components server agent nvidia)
  if(program STREQUAL diopi-agent)
    set(_components agent nvidia)
  endif()
  foreach(component ${_components})
    install(FILES ${_completion} DESTINATION share/bash-completion/completions COMPONENT ${component})
    install(FILES ${_page} DESTINATION share/man/man1 COMPONENT ${component})
  endforeach()
endforeach()
add_custom_target(diopi_documents ALL DEPENDS ${_documents})
add_dependencies(diopi_shipped diopi_documents)
# The site that a server has under /docs.
if(TARGET diopi_docs)
  add_dependencies(diopi_shipped diopi_docs)
  add_dependencies(diopi_demo diopi_docs)
  install(FILES ${DIOPI_DOCS_TAR} DESTINATION share/diopi COMPONENT server OPTIONAL)
endif()

# The server component also makes baselines (diopi-cli gen), so it has the reference library and the worker. The agent
# component has a server, too, which the agent starts itself.
foreach(component agent nvidia)
  install(TARGETS diopi-agent RUNTIME DESTINATION bin COMPONENT ${component})
endforeach()
foreach(component server agent nvidia)
  install(TARGETS diopi-server diopi-cli diopi-worker RUNTIME DESTINATION bin COMPONENT ${component})
  install(TARGETS diopirt diopi_cpu diopi_native16 diopi_tap diopi_tap_tools LIBRARY DESTINATION lib COMPONENT ${component})
  # What the C files of diopi-cli repro include.
  install(DIRECTORY ${CMAKE_BINARY_DIR}/include/ DESTINATION include COMPONENT ${component})
  if(TARGET diopi_cuda)
    install(TARGETS diopi_cuda LIBRARY DESTINATION lib COMPONENT ${component})
  endif()
  # Empty folders: an image's volumes start as copies of them, with their owner.
  foreach(folder data cache reports)
    install(DIRECTORY DESTINATION var/${folder} COMPONENT ${component})
  endforeach()
endforeach()
install(TARGETS libdiopi_faulty LIBRARY DESTINATION lib/demo COMPONENT demo)

# The scripts that check an NVIDIA GPU, with their parts in the same layout as in the checkout.
set(_share share/diopi)
set(_packs ${PROJECT_SOURCE_DIR}/baselines/packs)
install(PROGRAMS ${_packs}/diopi-nvidia-check DESTINATION bin COMPONENT nvidia)
install(PROGRAMS ${_packs}/check.sh ${_packs}/make.sh DESTINATION ${_share}/baselines/packs COMPONENT nvidia)
install(FILES ${_packs}/findings.awk DESTINATION ${_share}/baselines/packs COMPONENT nvidia)
install(FILES ${PROJECT_SOURCE_DIR}/docs/bring-a-gpu.md DESTINATION ${_share}/docs COMPONENT nvidia)
file(GLOB_RECURSE _data RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/baselines/ops/*.py ${PROJECT_SOURCE_DIR}/baselines/ops/*_timing.textproto
  ${PROJECT_SOURCE_DIR}/baselines/timing/*.textproto ${PROJECT_SOURCE_DIR}/cases/ops/*.textproto)
# Where calls.py finds the unary functions.
file(GLOB_RECURSE _sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/baselines/ops/*.cc)
foreach(file ${_sources})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${file} _unary REGEX "^DIOPI_UNARY" LIMIT_COUNT 1)
  if(_unary)
    list(APPEND _data ${file})
  endif()
endforeach()
foreach(file baselines/crosscheck/calls.py baselines/timing/timing.py baselines/timing/torch_time.py
        baselines/timing/points.py ${_data})
  get_filename_component(_folder ${file} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${_share}/${_folder} COMPONENT nvidia)
endforeach()
