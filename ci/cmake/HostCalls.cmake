# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# gauntlet_host_command(OUT_VAR NAME SOURCE FLAG...): the COMMANDs that make of SOURCE, with FLAGs, the
# PTX file NAME.ptx and the object NAME_host.o in the current binary directory: a function of the host
# that is part of the program. What the object calls of the CUDA runtime gets the names of the
# stand-ins in kernels/host_calls.cpp.
#
# Also finds the toolkit's runtime library, which programs for GPUs link.
set(gauntlet_nvcc_host)
if(CMAKE_CROSSCOMPILING)
  set(gauntlet_nvcc_host -ccbin ${CMAKE_CXX_COMPILER} -target-dir ${CMAKE_HOST_SYSTEM_PROCESSOR}-linux)
else()
  find_library(GAUNTLET_CUDART_STATIC cudart_static
               HINTS /usr/local/cuda/lib64 $ENV{CUDA_HOME}/lib64
               DOC "The CUDA toolkit's libcudart_static.a")
  if(NOT GAUNTLET_CUDART_STATIC)
    cmake_path(GET GAUNTLET_NVCC PARENT_PATH gauntlet_nvcc_bin)
    message(FATAL_ERROR
      "libcudart_static.a not found: looked in /usr/local/cuda/lib64, \$CUDA_HOME/lib64 and the system's "
      "library paths (nvcc is in ${gauntlet_nvcc_bin}). Install the toolkit's cudart development "
      "package, or pass -DGAUNTLET_CUDART_STATIC=/path/to/libcudart_static.a.")
  endif()
endif()

function(gauntlet_host_command out_var name source)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}_host)
  set(object ${folder}.o)
  file(STRINGS ${PROJECT_SOURCE_DIR}/kernels/host_calls.cpp lines REGEX "STAND_IN\\([A-Za-z_]+\\)\\(")
  set(renamed)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "STAND_IN\\(([A-Za-z_]+)\\)" unused "${line}")
    list(APPEND renamed --redefine-sym ${CMAKE_MATCH_1}=gauntlet_stand_in_${CMAKE_MATCH_1})
  endforeach()
  set(${out_var}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${GAUNTLET_NVCC} -c -O3 -lineinfo ${gauntlet_nvcc_host} ${ARGN} -Xcompiler -fPIC
            -MD -MF ${name}.ptx.d -MT ${name}.ptx --keep --keep-dir ${folder} ${source} -o ${object}
    COMMAND ${CMAKE_OBJCOPY} ${renamed} ${object}
    COMMAND ${CMAKE_COMMAND} -E copy ${folder}/${name}.ptx ${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx
    PARENT_SCOPE)
endfunction()
