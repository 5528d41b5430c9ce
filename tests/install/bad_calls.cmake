# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DMODULE=gauntletAddTest.cmake -DFOLDER=... -P: what gauntlet_add_test cannot use is an error of
# one line that says what to write.
if(DEFINED CALL)
  include(${MODULE})
  cmake_language(EVAL CODE "${CALL}")
  return()
endif()
file(WRITE ${FOLDER}/sum.gauntlet "")
file(WRITE ${FOLDER}/sum.txt "")

function(expect_error call message)
  execute_process(COMMAND ${CMAKE_COMMAND} -DMODULE=${MODULE} "-DCALL=${call}"
                          -P ${CMAKE_CURRENT_LIST_FILE}
                  WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE code ERROR_VARIABLE error)
  string(REGEX REPLACE "[ \n]+" " " error "${error}")  # CMake breaks lines
  if(code EQUAL 0)
    message(SEND_ERROR "${call}: was taken")
  endif()
  string(FIND "${error}" "${message}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${call}: not `${message}` but ${error}")
  endif()
endfunction()
expect_error("gauntlet_add_test(a)" "gauntlet_add_test(a): the spec is missing; write SPEC FILE.gauntlet")
expect_error("gauntlet_add_test(a SPEC)" "gauntlet_add_test(a): nothing stands behind SPEC")
expect_error("gauntlet_add_test(a sum.gauntlet)" "unknown argument sum.gauntlet; write SPEC, TARGET,")
expect_error("gauntlet_add_test(a SPEC absent.gauntlet)"
             "SPEC absent.gauntlet: there is no file ${FOLDER}/absent.gauntlet")
expect_error("gauntlet_add_test(a SPEC sum.txt)" "the name of a spec ends in .gauntlet")
expect_error("gauntlet_add_test(a SPEC sum.gauntlet CASES many)"
             "CASES many: a number from 1 on is needed")
expect_error("gauntlet_add_test(a SPEC sum.gauntlet CASES 0)" "CASES 0: a number from 1 on is needed")
expect_error("gauntlet_add_test(a SPEC sum.gauntlet SEED -1)" "SEED -1: a number from 1 on is needed")
expect_error("gauntlet_add_test(a SPEC sum.gauntlet TARGET nobody)"
             "TARGET nobody is no target; add it before this call")
foreach(call "gauntlet_add_test(a SPEC sum.gauntlet GPU)" "set(GAUNTLET_GPU_TESTS ON)\ngauntlet_add_test(a SPEC sum.gauntlet)")
  expect_error("set(GAUNTLET_CUDA OFF)\n${call}" "the program is built without what needs one; add -DGAUNTLET_CUDA=ON")
endforeach()
