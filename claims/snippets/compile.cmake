# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Compiles each of SOURCES with NVCC and FLAGS and writes one line for each to OUTPUT: "NAME: compiles",
# or the first error.
set(text "")
foreach(source ${SOURCES})
  cmake_path(GET source STEM name)
  execute_process(COMMAND ${NVCC} -ptx ${FLAGS} ${source} -o ${OUTPUT}.ptx
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT failed)
    string(APPEND text "${name}: compiles\n")
  elseif(said MATCHES "error: ([^\n]+)")
    string(APPEND text "${name}: ${CMAKE_MATCH_1}\n")
  else()
    message(FATAL_ERROR "${NVCC} fails on ${source} without an error: ${said}")
  endif()
endforeach()
file(REMOVE ${OUTPUT}.ptx)
file(WRITE ${OUTPUT} "${text}")
