# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DBUILD=... -DFOLDER=... -DNVCC=... -DOPTIONS=... -P: the machine installed alone into a folder,
# the example built against it and run on a kernel that lacks a barrier and on its near miss.
set(prefix ${FOLDER}/prefix)
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component machine --prefix ${prefix}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*)
if(NOT headers STREQUAL gauntlet/machine.hpp)
  message(SEND_ERROR "not the one header: ${headers}")
endif()
file(GLOB_RECURSE archives ${prefix}/*.a)
foreach(archive ${archives})
  if(archive MATCHES "oracle|kernels|case|properties")
    message(SEND_ERROR "the machine needs ${archive}")
  endif()
endforeach()

set(example ${prefix}/share/gauntlet/examples/machine)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${example} -B ${FOLDER}/build -G Ninja
                        -Dgauntlet_machine_ROOT=${prefix} ${OPTIONS}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${FOLDER}/build OUTPUT_VARIABLE text
                RESULT_VARIABLE code)
if(code)
  message(FATAL_ERROR "the example does not build:\n${text}")
endif()

# run(FILE CODE text...): the texts are what it prints, in any place.
function(run file expected_code)
  execute_process(COMMAND ${FOLDER}/build/run_ptx ${file} OUTPUT_VARIABLE text ERROR_VARIABLE text
                  RESULT_VARIABLE code)
  foreach(part ${ARGN})
    if(NOT text MATCHES "${part}")
      message(SEND_ERROR "not `${part}` in\n${text}")
    endif()
  endforeach()
  if(NOT code EQUAL expected_code)
    message(SEND_ERROR "run_ptx ${file} ended with ${code}:\n${text}")
  endif()
endfunction()
execute_process(COMMAND ${NVCC} -ptx -lineinfo -o ${FOLDER}/whole.ptx ${example}/block_sum.cu
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NVCC} -ptx -lineinfo -DMISSING_BARRIER -o ${FOLDER}/racy.ptx
                        ${example}/block_sum.cu
                COMMAND_ERROR_IS_FATAL ANY)
run(${FOLDER}/racy.ptx 1 "race_[a-z_]+" "block_sum.cu:11" "findings: [1-9]")
run(${FOLDER}/whole.ptx 0 "^sum: 1000, findings: 0\n$")
run(${FOLDER}/none.ptx 2 "none.ptx: No such file")
