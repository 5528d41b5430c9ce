# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPTX=FILE -P CubEntries.cmake: gives the entries that are CUB's own kernels short names.
# Each instance carries a policy type whose name is the entry name wanted (kernels/cub_device.cuh);
# it stands in the mangled name behind its length. The code is left as it is. CUB's EmptyKernel, which
# only ever answers which architecture was compiled for, is dropped. Other files are left alone.
file(READ "${PTX}" text)
string(REGEX MATCHALL "\\.entry _ZN3cub[A-Za-z0-9_$]+" entries "${text}")
if(NOT entries)
  return()
endif()
string(REGEX REPLACE "\n[^\n]*\\.entry _ZN3cub[A-Za-z0-9_]*EmptyKernel[^}]*}" "" text "${text}")
foreach(entry IN LISTS entries)
  string(REPLACE ".entry " "" mangled "${entry}")
  if(mangled MATCHES "EmptyKernel")
    continue()
  endif()
  if(NOT mangled MATCHES "I([0-9]+)(cub_device__.*)$")
    message(FATAL_ERROR "${PTX}: entry ${mangled} names no policy of kernels/cub_device.cuh")
  endif()
  string(SUBSTRING "${CMAKE_MATCH_2}" 0 ${CMAKE_MATCH_1} name)
  string(REPLACE "${mangled}" "${name}" text "${text}")
endforeach()
file(WRITE "${PTX}" "${text}")
