# diopi_cuda_code(RELEASE DEVICES CODE OPTIONS): what nvcc of a CUDA release generates, as a list for -gencode, and its further
# options. DEVICES: "all", every device that the release knows, as for shipping; or devices such as "sm_80,sm_90"; both with PTX
# for later ones. "none", for a build whose code never runs on a device: PTX alone and not optimised, which halves its time again.
function(diopi_cuda_code release devices code options)
  set(_code compute_75)
  set(_options "")
  if(devices STREQUAL "none")
    list(APPEND _options "SHELL:-Xcicc -O0" -Xcompiler=-O1)
  elseif(NOT devices MATCHES "^(all|sm_[0-9]+(,sm_[0-9]+)*)$")
    message(FATAL_ERROR "DIOPI_CUDA_DEVICES is '${devices}'; expected all, none, or devices such as sm_80,sm_90")
  else()
    set(_code ${devices})
    if(devices STREQUAL "all")
      # Each list holds what a release brought: CUDA 11 the first, 12.8 Blackwell's two. sm_70 is no longer in CUDA 13.
      set(_code sm_75,sm_80,sm_86,sm_89,sm_90)
      if(release VERSION_GREATER_EQUAL 12.8)
        string(APPEND _code ,sm_100,sm_120)
      endif()
    endif()
    string(APPEND _code ,compute_75)
    list(APPEND _options -lineinfo)  # compute-sanitizer then names the lines of a finding
    if(release VERSION_GREATER_EQUAL 12.8)
      list(APPEND _options --compress-mode=size)
    endif()
  endif()
  set(${code} ${_code} PARENT_SCOPE)
  set(${options} "${_options}" PARENT_SCOPE)
endfunction()
