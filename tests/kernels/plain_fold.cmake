# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# The committed plain sources are what kernels/plain/fold/fold.py makes of the kernels. -DPYTHON, -DSOURCE
# (the project's folder), -DFOLDER (to write to).
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
file(GLOB kernels ${SOURCE}/kernels/*.cu)
list(FILTER kernels EXCLUDE REGEX "/cub_[a-z_]*\\.cu$")
file(GLOB written ${SOURCE}/kernels/*.gauntlet)  # their .cu files are plain
list(TRANSFORM written REPLACE "\\.gauntlet$" ".cu")
list(REMOVE_ITEM kernels ${written})
execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1
                        ${PYTHON} ${SOURCE}/kernels/plain/fold/fold.py ${FOLDER} ${kernels}
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "fold.py failed")
endif()
file(GLOB committed RELATIVE ${SOURCE}/kernels/plain ${SOURCE}/kernels/plain/*.cu ${SOURCE}/kernels/plain/*.lines)
list(FILTER committed EXCLUDE REGEX "^cub_")
file(GLOB made RELATIVE ${FOLDER} ${FOLDER}/*)
if(NOT made STREQUAL committed)
  message(FATAL_ERROR "other files than in kernels/plain: ${made}")
endif()
foreach(file ${made})
  file(READ ${FOLDER}/${file} a)
  file(READ ${SOURCE}/kernels/plain/${file} b)
  if(NOT a STREQUAL b)
    message(FATAL_ERROR "kernels/plain/${file} is not what fold.py makes; docs/source.md says how to renew it")
  endif()
endforeach()
