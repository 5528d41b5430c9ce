# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# nvcc, and one PTX file per kernel file. CMake's CUDA language is not used: only PTX is wanted,
# there is no device link, and the host code needs no CUDA compiler.
set(GAUNTLET_PTX_ARCH compute_75 CACHE STRING "Virtual architecture that kernels are compiled for")

set(gauntlet_nvcc_hints /usr/local/cuda/bin)
if(DEFINED ENV{CUDA_HOME})
  list(PREPEND gauntlet_nvcc_hints $ENV{CUDA_HOME}/bin)
  list(REMOVE_DUPLICATES gauntlet_nvcc_hints)
endif()
find_program(GAUNTLET_NVCC nvcc HINTS ${gauntlet_nvcc_hints})
if(NOT GAUNTLET_NVCC)
  list(JOIN gauntlet_nvcc_hints ", " looked)
  message(FATAL_ERROR
    "nvcc not found: looked in PATH, ${looked}. Install the CUDA toolkit (13.0), or say where it is: "
    "set CUDA_HOME=/path/to/cuda or pass -DGAUNTLET_NVCC=/path/to/nvcc.")
endif()

# What is compiled into every PTX file; the tests that expect a compile error use the same.
set(GAUNTLET_NVCC_FLAGS -std=c++20 -arch=${GAUNTLET_PTX_ARCH} -I ${PROJECT_SOURCE_DIR})

# gauntlet_ptx_arch(OUT_VAR NAME): the virtual architecture of kernels/NAME.cu, that of all, or the
# later one that its instructions need.
set(GAUNTLET_PTX_ARCH_redux compute_80)
set(GAUNTLET_PTX_ARCH_dependent_launch compute_90)
function(gauntlet_ptx_arch out_var name)
  set(arch ${GAUNTLET_PTX_ARCH})
  if(DEFINED GAUNTLET_PTX_ARCH_${name})
    string(REGEX REPLACE "[^0-9]" "" common ${GAUNTLET_PTX_ARCH})
    string(REGEX REPLACE "[^0-9]" "" needed ${GAUNTLET_PTX_ARCH_${name}})
    if(needed GREATER common)
      set(arch ${GAUNTLET_PTX_ARCH_${name}})
    endif()
  endif()
  set(${out_var} ${arch} PARENT_SCOPE)
endfunction()

# gauntlet_ptx(OUT_VAR source.cu...): rules that compile each source to build/.../NAME.ptx, and the
# list of those files. nvcc writes absolute paths into .file lines; they are made relative to the
# project, so that the text is the same on every machine and findings name kernels/NAME.cu. The
# kernels get their entry names from EntryNames.cmake. The preprocessor says what was included
# (nvcc's own -MD would run it a second time, a fifth of the whole). Of a source that NAME_host names the
# same run of nvcc makes the host's part, build/.../NAME_host.o (HostCalls.cmake).
function(gauntlet_ptx out_var)
  set(outputs)
  foreach(source ${ARGN})
    cmake_path(GET source STEM LAST_ONLY name)
    set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx)
    gauntlet_ptx_arch(arch ${name})
    set(flags ${GAUNTLET_NVCC_FLAGS})
    list(TRANSFORM flags REPLACE "^-arch=.*" "-arch=${arch}")
    if(${name}_host)
      gauntlet_host_command(compile ${name} ${source} ${flags})
      set(object ${${name}_host})
    else()
      set(compile COMMAND ${GAUNTLET_NVCC} -ptx -O3 -lineinfo ${flags}
                  -Xcompiler=-MD,-MF,${name}.ptx.d,-MT,${name}.ptx ${source} -o ${ptx})
      set(object)
    endif()
    add_custom_command(
      OUTPUT ${ptx} ${object}
      ${compile}
      COMMAND sed -i -e "s|^\\([[:space:]]*\\.file[[:space:]].*\"\\)${PROJECT_BINARY_DIR}/|\\1|"
              -e "s|^\\([[:space:]]*\\.file[[:space:]].*\"\\)${PROJECT_SOURCE_DIR}/|\\1|" ${ptx}
      COMMAND ${CMAKE_COMMAND} -DPTX=${ptx} -P ${PROJECT_SOURCE_DIR}/ci/cmake/EntryNames.cmake
      DEPENDS ${source} ${PROJECT_SOURCE_DIR}/ci/cmake/EntryNames.cmake
      DEPFILE ${ptx}.d
      COMMENT "nvcc -ptx ${name}.cu"
      VERBATIM)
    list(APPEND outputs ${ptx})
  endforeach()
  set(${out_var} ${outputs} PARENT_SCOPE)
endfunction()
