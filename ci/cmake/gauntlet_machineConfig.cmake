# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# find_package(gauntlet_machine) gives the SIMT machine, gauntlet::machine, which needs fmt.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/gauntletMachine.cmake)
