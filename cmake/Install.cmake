# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake --install: the program, the cases that it replays (core/data_folder.hpp finds them beside the
# program, wherever the folder is moved), and a package file: find_package(gauntlet) gives the program as
# the target gauntlet::gauntlet.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gauntlet)
install(TARGETS gauntlet EXPORT gauntlet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/properties/regressions
                  ${PROJECT_SOURCE_DIR}/witness/witnesses
        DESTINATION ${CMAKE_INSTALL_DATADIR}/gauntlet)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT gauntlet FILE gauntletConfig.cmake NAMESPACE gauntlet:: DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gauntletConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gauntletConfigVersion.cmake DESTINATION ${package_dir})
