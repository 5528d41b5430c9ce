# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DSOURCE=... -DNAME=add_verb -DFOLDER=... -DPATCH=... -DCXX=... -DNVCC=... -P: applies
# examples/NAME.patch to copies of the files that it touches and compiles those, in place of the project's.
set(patch ${SOURCE}/examples/${NAME}.patch)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
file(STRINGS ${patch} files REGEX "^\\+\\+\\+ b/")
list(TRANSFORM files REPLACE "^\\+\\+\\+ b/" "")
foreach(file ${files})
  if(EXISTS ${SOURCE}/${file})
    cmake_path(GET file PARENT_PATH folder)
    file(COPY ${SOURCE}/${file} DESTINATION ${FOLDER}/${folder})
  endif()
endforeach()
execute_process(COMMAND ${PATCH} --strip=1 --forward --silent --directory=${FOLDER} --input=${patch}
                OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE code)
if(code)
  message(FATAL_ERROR "${patch} does not apply; make it anew:\n${text}")
endif()
set(compiled 0)
foreach(file ${files})
  if(file MATCHES "\\.cpp$")
    set(compiler ${CXX} -std=c++20 -fsyntax-only)
  elseif(file MATCHES "\\.cu$")
    set(compiler ${NVCC} -ptx -o ${FOLDER}/kernels.ptx)
  else()
    continue()
  endif()
  list(INSERT compiler 1 -I${FOLDER} -I${SOURCE})
  execute_process(COMMAND ${compiler} ${FOLDER}/${file} COMMAND_ECHO STDOUT
                  COMMAND_ERROR_IS_FATAL ANY)
  math(EXPR compiled "${compiled} + 1")
endforeach()
if(compiled EQUAL 0)
  message(FATAL_ERROR "${patch}: nothing was compiled")
endif()
