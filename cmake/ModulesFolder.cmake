# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -P ModulesFolder.cmake: prints where this CMake keeps its own modules (ci/gpu).
message("${CMAKE_ROOT}/Modules")
