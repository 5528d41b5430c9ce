# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPTX=FILE -P EntryNames.cmake: gives the entries of a row's kernels short names; the code is
# left as it is. CUB's own kernels, and other files, are left alone.
#
# A kernel of NAME.gauntlet stands in a namespace for each copy (properties/language/copies.hpp):
# gauntlet__fixedLbounds_check__f32_f32_sum__B64. Its entry becomes
# NAME__fixed_bounds_check__f32_f32_sum__b64.
file(READ "${PTX}" text)
string(REGEX MATCHALL "\\.entry _ZN[0-9]+gauntlet__[A-Za-z0-9_$]+" entries "${text}")
if(entries)
  cmake_path(GET PTX STEM LAST_ONLY variant)
  foreach(entry IN LISTS entries)
    string(REPLACE ".entry " "" mangled "${entry}")
    string(REGEX MATCH "^_ZN([0-9]+)(gauntlet__.*)$" unused "${mangled}")
    string(SUBSTRING "${CMAKE_MATCH_2}" 0 ${CMAKE_MATCH_1} name)
    string(REGEX REPLACE "^gauntlet" "${variant}" name "${name}")
    string(REPLACE "L" "_" name "${name}")
    string(REPLACE "__B" "__b" name "${name}")
    string(REPLACE "${mangled}" "${name}" text "${text}")
  endforeach()
  # The dynamic shared array of each namespace is the launch's one.
  string(REGEX REPLACE "_ZN[0-9]+gauntlet__[A-Za-z0-9_]+1sE" "s" text "${text}")
  set(array ".extern .shared .align 16 .b8 s[];\n")
  string(FIND "${text}" "${array}" at)
  if(NOT at EQUAL -1)
    string(SUBSTRING "${text}" 0 ${at} above)
    string(SUBSTRING "${text}" ${at} -1 below)
    string(REPLACE "${array}" "" below "${below}")
    string(CONCAT text "${above}" "${array}" "${below}")
  endif()
  file(WRITE "${PTX}" "${text}")
endif()
