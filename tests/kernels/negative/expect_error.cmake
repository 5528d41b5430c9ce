# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DNVCC=... -DFLAGS=... -DSOURCE=FILE.cu -DREASON=REGEX -DCOUNT=N -DFROM=REGEX -DTO=TEXT
#       -DWANTED=true|false -P expect_error.cmake
#
# WANTED: compiling must fail with N errors that match REASON, and no other. Otherwise it must succeed
# once every match of FROM is replaced by TO, which shows that this is all that is wrong.
if(WANTED)
  set(work ${SOURCE})
else()
  file(READ ${SOURCE} text)
  string(REGEX REPLACE "${FROM}" "${TO}" text "${text}")
  cmake_path(GET SOURCE STEM name)
  set(work ${CMAKE_CURRENT_BINARY_DIR}/${name}_repaired.cu)
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
    if(NOT error MATCHES "${REASON}")
      message(FATAL_ERROR "${SOURCE} fails for another reason: ${error}")
    endif()
  endforeach()
  list(LENGTH errors count)
  if(NOT count EQUAL COUNT)
    message(FATAL_ERROR "${SOURCE}: ${COUNT} errors expected, found: ${errors}")
  endif()
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "repaired ${SOURCE} should compile: ${err}")
endif()
