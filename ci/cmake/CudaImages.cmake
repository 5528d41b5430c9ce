# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Machine code of the kernels for real GPUs, made by ptxas from the same PTX files that the SIMT
# machine runs.
#
#   GAUNTLET_CUDA_ARCHS empty     the driver assembles the PTX when a module is first used, and
#                                 keeps the result in its cache
#   "native"                      the architectures of the GPUs in this machine, as nvidia-smi says
#   "sm_75;sm_80;sm_90"           a release: these, and PTX for later ones
set(GAUNTLET_CUDA_ARCHS "" CACHE STRING
    "Real architectures to assemble kernels for: empty (by the driver), native, or a list of sm_NN")

set(gauntlet_cuda_archs ${GAUNTLET_CUDA_ARCHS})
if(gauntlet_cuda_archs STREQUAL "native")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
  if(failed OR NOT capabilities)
    message(STATUS "No GPU here: the driver will assemble the kernels (GAUNTLET_CUDA_ARCHS=native)")
    set(gauntlet_cuda_archs "")
  else()
    list(REMOVE_DUPLICATES capabilities)
    list(TRANSFORM capabilities REPLACE "^([0-9]+)\\.([0-9]+)$" "sm_\\1\\2"
         OUTPUT_VARIABLE gauntlet_cuda_archs)
  endif()
endif()
foreach(arch IN LISTS gauntlet_cuda_archs)
  if(NOT arch MATCHES "^sm_[0-9]+[a-z]?$")
    message(FATAL_ERROR "GAUNTLET_CUDA_ARCHS: `${arch}` is no architecture; write sm_90, or native")
  endif()
endforeach()

cmake_path(GET GAUNTLET_NVCC PARENT_PATH gauntlet_cuda_bin)
find_program(GAUNTLET_PTXAS ptxas HINTS ${gauntlet_cuda_bin} /usr/local/cuda/bin REQUIRED)
find_program(GAUNTLET_FATBINARY fatbinary HINTS ${gauntlet_cuda_bin} /usr/local/cuda/bin REQUIRED)
find_path(GAUNTLET_CUDA_INCLUDE cuda_runtime_api.h
          HINTS ${gauntlet_cuda_bin}/../include /usr/local/cuda/include $ENV{CUDA_HOME}/include
          REQUIRED)

# gauntlet_assemble(OUT_VAR ptx...): for each PTX file a fat binary with machine code for every
# architecture asked for and the PTX itself; the PTX file as it is when none is asked for.
function(gauntlet_assemble out_var)
  if(NOT gauntlet_cuda_archs)
    set(${out_var} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(outputs)
  foreach(ptx ${ARGN})
    cmake_path(GET ptx STEM LAST_ONLY name)
    gauntlet_ptx_arch(virtual ${name})
    string(REGEX REPLACE "[^0-9]" "" virtual ${virtual})
    set(images)
    set(cubins)
    foreach(arch ${gauntlet_cuda_archs})
      # A kernel that needs a later GPU is left out; its cases are refused there (Plan::capability).
      string(REGEX REPLACE "[^0-9]" "" real ${arch})
      if(real LESS virtual)
        continue()
      endif()
      set(cubin ${CMAKE_CURRENT_BINARY_DIR}/${name}.${arch}.cubin)
      add_custom_command(
        OUTPUT ${cubin}
        COMMAND ${GAUNTLET_PTXAS} -arch=${arch} -lineinfo ${ptx} -o ${cubin}
        DEPENDS ${ptx}
        COMMENT "ptxas -arch=${arch} ${name}.ptx"
        VERBATIM)
      string(REGEX REPLACE "^sm_" "" number ${arch})
      list(APPEND cubins ${cubin})
      list(APPEND images --image3=kind=elf,sm=${number},file=${cubin})
    endforeach()
    set(fatbin ${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin)
    add_custom_command(
      OUTPUT ${fatbin}
      COMMAND ${GAUNTLET_FATBINARY} --create=${fatbin} -64 ${images}
              --image3=kind=ptx,sm=${virtual},file=${ptx}
      DEPENDS ${cubins} ${ptx}
      VERBATIM)
    list(APPEND outputs ${fatbin})
  endforeach()
  set(${out_var} ${outputs} PARENT_SCOPE)
endfunction()
