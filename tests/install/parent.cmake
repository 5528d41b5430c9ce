# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DGAUNTLET=CHECKOUT -DFOLDER=... -P: parent/, which has the project as a sub-folder, configures without
# any test library, and its build of the program and the library is short: no kernel of the documents.
set(source ${CMAKE_CURRENT_LIST_DIR}/parent)
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -G Ninja -B ${FOLDER} -DGAUNTLET=${GAUNTLET}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${FOLDER}/CMakeCache.txt ninja REGEX "^CMAKE_MAKE_PROGRAM:")
string(REGEX REPLACE "^[^=]*=" "" ninja "${ninja}")
execute_process(COMMAND ${ninja} -C ${FOLDER} -t commands gauntlet gauntlet_library
                OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n" steps "${commands}")
list(LENGTH steps count)
string(FIND "${commands}" "-ptx" any_ptx)
string(FIND "${commands}" "grid_stride.ptx" documents)
message(STATUS "${count} steps")
if(count GREATER 140 OR count LESS 20 OR any_ptx EQUAL -1)
  message(FATAL_ERROR "the program and the library take ${count} steps within another project")
endif()
if(NOT documents EQUAL -1)
  message(FATAL_ERROR "the documents' kernels are compiled within another project")
endif()
