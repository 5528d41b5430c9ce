# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DSOURCE= -DBUILD= -DGAUNTLET= -DNVCC= -P existing_project.cmake: examples/existing_project,
# configured as its README says; of its two tests the one without a defect passes, and the other fails
# by what is found.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  set(code ${code} PARENT_SCOPE)
  set(out "${out}" PARENT_SCOPE)
endfunction()
function(must)
  run(${ARGN})
  if(code)
    message(FATAL_ERROR "${ARGN}: ${code}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

# A list does not pass through the arguments of a function; -C reads it from a file.
set(variable CMAKE_CROSSCOMPILING_EMULATOR)
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.29)
  set(variable CMAKE_TEST_LAUNCHER)
endif()
file(WRITE ${BUILD}.cache.cmake
     "set(${variable} \"${GAUNTLET};run;--error-exitcode;1;--\" CACHE STRING \"\")\n")
must(${CMAKE_COMMAND} -C ${BUILD}.cache.cmake -S ${SOURCE} -B ${BUILD} -G Ninja -DCMAKE_CUDA_COMPILER=${NVCC}
     -DCMAKE_CUDA_FLAGS=-lineinfo -DCMAKE_CUDA_ARCHITECTURES=75)
must(${CMAKE_COMMAND} --build ${BUILD})
must(${CMAKE_CTEST_COMMAND} --test-dir ${BUILD} -R sum --verbose)
if(NOT out MATCHES "1000 halves are 500" OR NOT out MATCHES "gauntlet run: clean")
  message(FATAL_ERROR "sum:\n${out}")
endif()
run(${CMAKE_CTEST_COMMAND} --test-dir ${BUILD} -R maximum --verbose)
if(code EQUAL 0 OR NOT out MATCHES "the maximum is 2" OR NOT out MATCHES "error: race_[a-z_]+ s"
   OR NOT out MATCHES "statistics.cu:[0-9]+")
  message(FATAL_ERROR "maximum: ${code}\n${out}")
endif()
