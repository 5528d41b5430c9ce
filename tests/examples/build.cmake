# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DSOURCE=... -DFOLDER=... -DPATCH=... -P: a copy of the project with all patches of examples/,
# built; the new verb lists the new kind, the new variant is caught and its fixed form holds, the new
# property and relation hold, under the new schedule and of the new distribution.
set(copy ${FOLDER}/source)
file(REMOVE_RECURSE ${copy})
file(GLOB entries RELATIVE ${SOURCE} ${SOURCE}/*)
list(REMOVE_ITEM entries build)
foreach(entry ${entries})
  file(COPY ${SOURCE}/${entry} DESTINATION ${copy})
endforeach()
file(GLOB patches ${SOURCE}/examples/*.patch)
foreach(patch ${patches})
  execute_process(COMMAND ${PATCH} --strip=1 --forward --silent --fuzz=0 --directory=${copy} --input=${patch}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${copy} -B ${FOLDER}/build -G Ninja
                        -DCMAKE_BUILD_TYPE=Release -DGAUNTLET_UNITY=ON -DGAUNTLET_TESTS=OFF -DGAUNTLET_BENCHMARKS=OFF
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${FOLDER}/build --target gauntlet
                COMMAND_ERROR_IS_FATAL ANY)
function(expect what)
  execute_process(COMMAND ${FOLDER}/build/gauntlet ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT text MATCHES "${what}")
    message(SEND_ERROR "gauntlet ${ARGN}: ${code}, not `${what}` in\n${text}")
  endif()
endfunction()
expect("infinite_output +defined_values +an infinity in an output cell" kinds --of defined_values)
expect("3 forms: 1 hold, 2 caught, all as expected" check tree_atomic)
set(case "grid_stride@fixed i32->i32 minimum n=33 block=32")
expect("\"prefix_minimum\"" repro "${case} data=iota" --json -)
expect("\"lanes_counted\"" repro "grid_stride@fixed f32->f32 sum n=33 block=32 data=alternating schedule=warps_in_turn"
       --json -)
expect("nothing found" repro "tree_atomic@fixed f32->f32 sum n=33 block=32")
