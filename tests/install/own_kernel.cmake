# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPREFIX=... -DFOLDER=... -DCTEST=... -DOPTIONS=... -P: the example as a new user has it, copied
# out of the installed package: its tests pass; without their `expect` lines the specs of the two broken
# kernels fail, that of the right one does not, and each shows its own findings.
file(REMOVE_RECURSE ${FOLDER})
file(COPY ${PREFIX}/share/gauntlet/examples/own_kernel DESTINATION ${FOLDER})
set(source ${FOLDER}/own_kernel)
set(build ${FOLDER}/build)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${build} -G Ninja -Dgauntlet_ROOT=${PREFIX}
                        ${OPTIONS}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} OUTPUT_VARIABLE text
                RESULT_VARIABLE code)
if(code)
  message(FATAL_ERROR "the example does not build:\n${text}")
endif()
function(ctest names expected_code)
  execute_process(COMMAND ${CTEST} --test-dir ${build} --output-on-failure -j 2 -R "${names}"
                  OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE code)
  foreach(part ${ARGN})
    if(NOT text MATCHES "${part}")
      message(SEND_ERROR "not `${part}` in\n${text}")
    endif()
  endforeach()
  if(NOT code EQUAL expected_code)
    message(SEND_ERROR "ctest ended with ${code}:\n${text}")
  endif()
endfunction()
ctest("." 0 "100% tests passed.* out of 5")

foreach(name missing_barrier lost_tail)
  file(STRINGS ${source}/${name}.gauntlet lines)
  list(FILTER lines EXCLUDE REGEX "^expect")
  list(JOIN lines "\n" text)
  file(WRITE ${source}/${name}.gauntlet "${text}\n")
endforeach()
# The specs alone: GoogleTest's are what they were.
ctest("^(block_sum|missing_barrier|lost_tail)$" 8
      "block_sum [.]+ +Passed"
      "missing_barrier [.]+\\*\\*\\*Failed" "missing_barrier.gauntlet: FAILS: poison_output y, race_write_read warps;"
      "lost_tail [.]+\\*\\*\\*Failed" "lost_tail.gauntlet: FAILS: wrong_result y;"
      "element 0 lost" "gauntlet repro --flags [^\n]+ 'lost_tail.gauntlet n=1'"
      "33% tests passed, 2 tests failed out of 3")
