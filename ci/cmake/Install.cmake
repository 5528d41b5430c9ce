# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake --install: the program, the cases that it replays (base/data_folder.hpp finds them beside the
# program, wherever the folder is moved), the C++ interface with the static libraries below it, the
# examples, and packages for find_package(gauntlet) (ci/cmake/gauntletConfig.cmake) and for the machine alone,
# find_package(gauntlet_machine).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gauntlet)
set(data_dir ${CMAKE_INSTALL_DATADIR}/gauntlet)
install(TARGETS gauntlet EXPORT gauntletProgram RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT gauntletProgram NAMESPACE gauntlet:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/properties/regressions
                  ${PROJECT_SOURCE_DIR}/properties/witness/witnesses
        DESTINATION ${data_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/own_kernel DESTINATION ${data_dir}/examples)
set(shell ${PROJECT_BINARY_DIR}/interface/cli/shell)
install(FILES ${shell}/gauntlet.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${shell}/gauntlet-spec.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${shell}/gauntlet.bash RENAME gauntlet
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${shell}/_gauntlet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${shell}/gauntlet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# `gauntlet help` reads docs/; the README beside it links there.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${data_dir}
        PATTERN "*.json" EXCLUDE PATTERN "*.csv" EXCLUDE PATTERN "*.txt" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${data_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# gauntlet_closure(OUT_VAR target...): the targets of this project that these link, themselves included.
function(gauntlet_closure out_var)
  set(all)
  set(todo ${ARGN})
  while(todo)
    list(POP_FRONT todo target)
    if(NOT target MATCHES "^gauntlet_" OR NOT TARGET ${target} OR target IN_LIST all)
      continue()
    endif()
    list(APPEND all ${target})
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(linked ${target} ${property})
      if(linked)
        list(APPEND todo ${linked})
      endif()
    endforeach()
  endwhile()
  set(${out_var} ${all} PARENT_SCOPE)
endfunction()
# The machine alone: cmake --install BUILD --component machine, find_package(gauntlet_machine).
set(machine_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gauntlet_machine)
gauntlet_closure(machine gauntlet_machine_library)
install(TARGETS ${machine} EXPORT gauntletMachine COMPONENT machine
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/gauntlet COMPONENT machine)
install(EXPORT gauntletMachine NAMESPACE gauntlet:: DESTINATION ${machine_dir} COMPONENT machine)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/machine/library/gauntlet
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT machine)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/machine DESTINATION ${data_dir}/examples
        COMPONENT machine)
set(machine_version ${PROJECT_BINARY_DIR}/gauntlet_machineConfigVersion.cmake)
write_basic_package_version_file(${machine_version} COMPATIBILITY SameMinorVersion)
install(FILES ${machine_version} ${PROJECT_SOURCE_DIR}/ci/cmake/gauntlet_machineConfig.cmake
        DESTINATION ${machine_dir} COMPONENT machine)

gauntlet_closure(libraries gauntlet_library)
list(REMOVE_ITEM libraries ${machine})
install(TARGETS ${libraries} EXPORT gauntletLibrary
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/gauntlet)
install(EXPORT gauntletLibrary NAMESPACE gauntlet:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/interface/library/gauntlet ${PROJECT_SOURCE_DIR}/sanitizer/program/gauntlet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.hpp PATTERN *.h)

write_basic_package_version_file(${PROJECT_BINARY_DIR}/gauntletConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gauntletConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/ci/cmake/gauntletConfig.cmake
              ${PROJECT_SOURCE_DIR}/ci/cmake/gauntletAddTest.cmake
        DESTINATION ${package_dir})
