# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DGAUNTLET=CHECKOUT -DFOLDER=... -P: parent/, which has the project as a sub-folder, configures without
# any test library, and its build of the program and the library is short: nothing of the documents' kernels, nor of
# what needs a GPU. Each of both options adds its own.
file(REMOVE_RECURSE ${FOLDER})
# The commands that make program and library, with the options given.
function(take_commands out)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/parent -G Ninja -B ${FOLDER} -DGAUNTLET=${GAUNTLET} ${ARGN}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${FOLDER}/CMakeCache.txt ninja REGEX "^CMAKE_MAKE_PROGRAM:")
  string(REGEX REPLACE "^[^=]*=" "" ninja "${ninja}")
  execute_process(COMMAND ${ninja} -C ${FOLDER} -t commands gauntlet gauntlet_library
                  OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
  set(${out} "${commands}" PARENT_SCOPE)
endfunction()
# Whether some command makes a file whose name has `part`, which must be so (ON) or not.
function(expect commands part made)
  string(FIND "${commands}" "${part}" at)
  if(made AND at EQUAL -1)
    message(SEND_ERROR "nothing makes ${part}")
  elseif(NOT made AND NOT at EQUAL -1)
    message(SEND_ERROR "${part} is made")
  endif()
endfunction()

take_commands(commands)
string(REGEX MATCHALL "\n" steps "${commands}")
list(LENGTH steps count)
message(STATUS "${count} steps")
if(count GREATER 100 OR count LESS 20)
  message(SEND_ERROR "the program and the library take ${count} steps within another project")
endif()
# Without a build type of the other project's the machine is optimised nevertheless.
string(REGEX MATCH "[^\n]*gauntlet_simt.dir/Unity/unity_engine[^\n]*" engine "${commands}")
if(NOT engine MATCHES " -O[23] ")
  message(SEND_ERROR "the machine is not optimised: ${engine}")
endif()
foreach(part -ptx kernels/claims/ gpu/executor/ gpu/timing/ gauntlet_sanitizer.dir/)
  expect("${commands}" ${part} OFF)
endforeach()

take_commands(commands -DGAUNTLET_CUDA=ON)
foreach(part gpu/executor/support.ptx gpu/timing/cub.o gauntlet_timing.dir/ gauntlet_sanitizer.dir/)
  expect("${commands}" ${part} ON)
endforeach()
foreach(part grid_stride.ptx kernels/claims/ gpu/profile/loops.ptx)
  expect("${commands}" ${part} OFF)
endforeach()

take_commands(commands -DGAUNTLET_CUDA=OFF -DGAUNTLET_CATALOGUE=ON)
foreach(part grid_stride.ptx kernels/claims/ gpu/profile/loops.ptx gpu/executor/support.ptx gpu/timing/cub.o)
  expect("${commands}" ${part} ON)
endforeach()
