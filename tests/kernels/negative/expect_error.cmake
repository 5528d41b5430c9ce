# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DNVCC=... -DFLAGS=... -DSOURCE=FILE.cu -DWANTED=true|false -P expect_error.cmake
#
# WANTED: compiling must fail because `in` and `out` are undefined, for no other reason. Otherwise it
# must succeed: the same kernel with its parameters, which shows that they are all that is missing.
if(WANTED)
  set(work ${SOURCE})
else()
  file(READ ${SOURCE} text)
  string(REGEX REPLACE "(__global__ void [a-z0-9]+)\\(\\)" "\\1(const int* in, int* out)" text "${text}")
  cmake_path(GET SOURCE STEM name)
  set(work ${CMAKE_CURRENT_BINARY_DIR}/${name}_with_parameters.cu)
  file(WRITE ${work} "${text}")
endif()
execute_process(COMMAND ${NVCC} -ptx ${FLAGS} ${work} -o -
                RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
string(REGEX MATCHALL "error: [^\n]*" errors "${out}${err}")
if(WANTED)
  if(status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} compiles; the document's listing should not")
  endif()
  foreach(error IN LISTS errors)
    if(NOT error MATCHES "identifier \"(in|out)\" is undefined")
      message(FATAL_ERROR "${SOURCE} fails for another reason: ${error}")
    endif()
  endforeach()
  list(LENGTH errors count)
  if(NOT count EQUAL 2)
    message(FATAL_ERROR "${SOURCE}: 2 undefined names expected, found: ${errors}")
  endif()
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "with parameters ${SOURCE} should compile: ${err}")
endif()
