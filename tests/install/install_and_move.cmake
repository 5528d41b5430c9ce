# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DBUILD=... -DPREFIX=... -DMOVED=... -P: installs, then gives the folder another name.
file(REMOVE_RECURSE ${PREFIX} ${MOVED})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX} ${MOVED})
foreach(file bin/gauntlet share/gauntlet/regressions share/gauntlet/witnesses
             share/gauntlet/examples/own_kernel include/gauntlet/gauntlet.hpp include/gauntlet/gtest.hpp include/gauntlet/run.h
             share/man/man1/gauntlet.1 share/man/man5/gauntlet-spec.5 share/gauntlet/README.md share/gauntlet/docs/findings.md
             share/gauntlet/docs/own_kernels.md share/bash-completion/completions/gauntlet)
  if(NOT EXISTS ${MOVED}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
