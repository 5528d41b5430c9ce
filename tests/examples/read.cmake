# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DGAUNTLET=... -DREADERS="program,python program.py" -DFOLDER=... -P: each reader tells the same
# of what `check --json` writes.
set(json ${FOLDER}/report.json)
execute_process(COMMAND ${GAUNTLET} check grid_stride@documented grid_stride@fixed --cases 4 --jobs 1
                        --json ${json}
                OUTPUT_QUIET ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "," ";" readers "${READERS}")
foreach(reader ${readers})
  separate_arguments(command UNIX_COMMAND "${reader}")
  execute_process(COMMAND ${command} ${json} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  if(NOT text MATCHES "^grid_stride@documented: as expected\n  grid_stride@documented [^\n]+\n    [a-z_]+ [a-z]+\n"
     OR NOT text MATCHES "\ngrid_stride@fixed: as expected\n$")
    message(SEND_ERROR "${reader} says\n${text}")
  endif()
endforeach()
