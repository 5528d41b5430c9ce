# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DSOURCE=... -DNAME=add_verb -DFOLDER=... -DPATCH=... -DCXX=... -DNVCC=... -DCUDA=... -P: applies
# examples/NAME.patch to copies of the files that it touches and compiles those, in place of the project's.
# Without CXX it applies the patch, no more.
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
if(NOT CXX)
  return()
endif()
# C++ in one go, as the preset `ci` compiles a folder: what several files include is read once.
set(sources)
set(compiled 0)
foreach(file ${files})
  if(file MATCHES "\\.[ch]pp$")
    string(APPEND sources "#include \"${FOLDER}/${file}\"\n")
  elseif(file MATCHES "\\.cu$")
    execute_process(COMMAND ${NVCC} -I${FOLDER} -I${SOURCE} -ptx -o ${FOLDER}/kernels.ptx ${FOLDER}/${file}
                    COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  else()
    continue()
  endif()
  math(EXPR compiled "${compiled} + 1")
endforeach()
if(sources)
  file(WRITE ${FOLDER}/all.cpp "${sources}")
  execute_process(COMMAND ${CXX} -I${FOLDER} -I${SOURCE} -isystem ${CUDA} -std=c++20 -fsyntax-only ${FOLDER}/all.cpp
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endif()
if(compiled EQUAL 0)
  message(FATAL_ERROR "${patch}: nothing was compiled")
endif()
