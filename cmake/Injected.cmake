# diopi_injected(NAME SWITCH variable SOURCES ... [UNDER ... WITH header] [LINK ...]): build/lib/vendors/NAME.so, the CPU
# reference with the functions that SOURCES override. Every DIOPI_OVERRIDE(diopiX, a), DIOPI_OVERRIDE_FORM and
# DIOPI_OVERRIDE_MISSING at the start of a line there renames the reference's diopiX to good_diopiX, which the override
# calls: nobody edits a list.
# UNDER: those of these files that have DIOPI_UNARY lines are compiled once more, WITH that header before them: their
# functions stand as good_diopiX between the reference's, reference_diopiX, and the overrides
# (baselines/bugs/unary_bugs.h).
# SWITCH: the environment variable that names what to switch on (baselines/injected/injected.h).
function(diopi_injected name)
  cmake_parse_arguments(ARG "" "SWITCH;WITH" "SOURCES;UNDER;LINK" ${ARGN})
  set(renames "")
  set(under "")
  set(under_sources "")
  foreach(file ${ARG_UNDER})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} uses REGEX "^DIOPI_UNARY\\(")
    if(uses)
      list(APPEND under_sources ${file})
    endif()
    foreach(use ${uses})
      string(REGEX REPLACE "^DIOPI_UNARY\\(([A-Za-z0-9_]+).*" "diopi\\1" function "${use}")
      list(APPEND under ${function} ${function}Inp)
      string(APPEND renames "${function} reference_${function}\n${function}Inp reference_${function}Inp\n")
    endforeach()
  endforeach()
  foreach(file ${ARG_SOURCES})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} uses REGEX "^DIOPI_OVERRIDE(_MISSING|_FORM)?\\(")
    foreach(use ${uses})
      string(REGEX REPLACE "^DIOPI_OVERRIDE(_MISSING|_FORM)?\\(([A-Za-z0-9_]+).*" "\\2" function "${use}")
      if(NOT function IN_LIST under)
        string(APPEND renames "${function} good_${function}\n")
      endif()
    endforeach()
  endforeach()
  set_source_files_properties(${under_sources} PROPERTIES COMPILE_OPTIONS "-include;${ARG_WITH}")
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${name}_renames.txt)
  file(CONFIGURE OUTPUT ${list} CONTENT "${renames}")

  set(renamed ${CMAKE_CURRENT_BINARY_DIR}/${name}_reference.a)
  add_custom_command(
    OUTPUT ${renamed}
    COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${list} $<TARGET_FILE:diopi_cpu_archive> ${renamed}
    DEPENDS diopi_cpu_archive ${list} VERBATIM)
  add_custom_target(${name}_reference DEPENDS ${renamed})

  diopi_vendor(${name} SOURCES ${ARG_SOURCES} ${under_sources} ${PROJECT_SOURCE_DIR}/baselines/injected/injected.cc LINK ${ARG_LINK})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)  # injected bugs define macros
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # gcc 12 mistakes the memory of a temporary vector for another at -O2.
  target_compile_options(${name} PRIVATE -O2 -Wno-free-nonheap-object)
  _diopi_precompiled(${name} diopi_kernel_headers)
  target_compile_definitions(${name} PRIVATE DIOPI_STRONG DIOPI_INJECTED_SWITCH="${ARG_SWITCH}")
  add_dependencies(${name} ${name}_reference)
  target_link_libraries(${name} PRIVATE -Wl,--whole-archive ${renamed} -Wl,--no-whole-archive
                                        diopi_ops_support)
  # The library does not export the good functions.
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/${name}_exports.map)
  file(CONFIGURE OUTPUT ${exports} CONTENT "{ local: good_*; reference_*; };\n")
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports})
  if(DIOPI_SANITIZE STREQUAL "address")
    # Injected bugs may read null pointers on purpose: the signal is the finding, not the sanitizer's report.
    target_compile_options(${name} PRIVATE -fno-sanitize=null)
  endif()
endfunction()
