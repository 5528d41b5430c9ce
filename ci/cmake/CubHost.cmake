# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# gauntlet_cub_host(TARGET): adds kernels/cub_dispatch_host.cu, CUB's host-side dispatch, to TARGET.
# nvcc has to compile it, for the architecture of the PTX files; its object holds no kernel of ours,
# and the runtime library is linked only for the registration code that nvcc adds to every object. The
# toolkit has it for this processor alone: where another one is compiled for, nothing stands behind that code.
set(gauntlet_nvcc_host)
if(CMAKE_CROSSCOMPILING)
  if(NOT TARGET gauntlet_no_cudart)
    add_library(gauntlet_no_cudart STATIC ${PROJECT_SOURCE_DIR}/ci/cmake/no_cudart.cpp)
    set(GAUNTLET_CUDART_STATIC gauntlet_no_cudart CACHE INTERNAL "")
  endif()
  set(gauntlet_nvcc_host -ccbin ${CMAKE_CXX_COMPILER} -target-dir ${CMAKE_HOST_SYSTEM_PROCESSOR}-linux)
endif()
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

function(gauntlet_cub_host target)
  set(source ${PROJECT_SOURCE_DIR}/kernels/cub_dispatch_host.cu)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/cub_dispatch_host.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${GAUNTLET_NVCC} -c -O1 ${gauntlet_nvcc_host} ${GAUNTLET_NVCC_FLAGS} -Xcompiler -fPIC
            -MD -MF ${object}.d -MT ${object} ${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "nvcc -c cub_dispatch_host.cu"
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${target} PRIVATE ${object})
  target_link_libraries(${target} PRIVATE ${GAUNTLET_CUDART_STATIC} ${CMAKE_DL_LIBS} rt pthread)
endfunction()
