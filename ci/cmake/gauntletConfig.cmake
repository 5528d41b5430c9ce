# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# find_package(gauntlet) gives the program, gauntlet::gauntlet, and gauntlet_add_test. With COMPONENTS
# library also the C++ interface, gauntlet::library, which needs fmt and nlohmann_json.
include(CMakeFindDependencyMacro)
include(${CMAKE_CURRENT_LIST_DIR}/gauntletProgram.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/gauntletAddTest.cmake)
if(library IN_LIST gauntlet_FIND_COMPONENTS)
  find_dependency(gauntlet_machine PATHS ${CMAKE_CURRENT_LIST_DIR}/.. NO_DEFAULT_PATH)
  find_dependency(nlohmann_json)
  include(${CMAKE_CURRENT_LIST_DIR}/gauntletLibrary.cmake)
  set(gauntlet_library_FOUND TRUE)
endif()
foreach(component ${gauntlet_FIND_COMPONENTS})
  if(gauntlet_FIND_REQUIRED_${component} AND NOT gauntlet_${component}_FOUND)
    set(gauntlet_FOUND FALSE)
    set(gauntlet_NOT_FOUND_MESSAGE "gauntlet has no component ${component}; it has library")
  endif()
endforeach()
