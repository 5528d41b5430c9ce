# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DMODULE=gauntletAddTest.cmake -DFOLDER=... -DCTEST=... -P: configures calls/ and looks at its
# tests: words, labels, a GPU test for each that asks for one, skipped, on the GPU that ctest gives.
set(source ${CMAKE_CURRENT_LIST_DIR}/calls)
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${FOLDER} -DMODULE=${MODULE}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
function(ctest)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SAYS" "ARGS")
  execute_process(COMMAND ${CTEST} --test-dir ${FOLDER} ${arg_ARGS} OUTPUT_VARIABLE text
                  ERROR_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  if(NOT text MATCHES "${arg_SAYS}")
    message(SEND_ERROR "ctest ${arg_ARGS}: not `${arg_SAYS}` in\n${text}")
  endif()
endfunction()
ctest(ARGS -LE gpu SAYS "100% tests passed.* out of 3")
ctest(ARGS -L gauntlet -N SAYS "Total Tests: 5")
ctest(ARGS -L gpu -V SAYS "--cases 7 --seed 3 --on cuda in [^\n]*on the first")
ctest(ARGS -L gpu SAYS "more\\.gpu \\(Skipped\\)[^t]*asked_everywhere\\.gpu \\(Skipped\\)")
ctest(ARGS -L gpu -V --resource-spec-file ${source}/gpus.json SAYS "--on cuda in [^\n]*on 5\n")
