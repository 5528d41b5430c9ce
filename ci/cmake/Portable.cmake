# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# The target gauntlet_portable (ci/package): the program and the libraries of `gauntlet run` in portable/,
# from the same objects, linked against the glibc of GAUNTLET_OLD_GLIBC, a folder with libc6, libc6-dev
# and libgcc-s1 of an older Debian. Of shared libraries they need that glibc's and libgcc_s alone.
set(GAUNTLET_OLD_GLIBC "" CACHE PATH "Folder of an older glibc that gauntlet_portable is linked against")
if(NOT GAUNTLET_OLD_GLIBC)
  return()
endif()
find_library(GAUNTLET_STATIC_PUGIXML libpugixml.a REQUIRED)
add_library(gauntlet_portable_parts OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/portable.cpp)
target_compile_features(gauntlet_portable_parts PRIVATE cxx_std_20)
set_target_properties(gauntlet_portable_parts PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)

add_executable(gauntlet_portable_program EXCLUDE_FROM_ALL
               $<TARGET_OBJECTS:gauntlet> $<TARGET_OBJECTS:gauntlet_portable_parts>)
add_library(gauntlet_portable_machine SHARED EXCLUDE_FROM_ALL
            $<TARGET_OBJECTS:gauntlet_machine> $<TARGET_OBJECTS:gauntlet_portable_parts>)
add_library(gauntlet_portable_audit SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:gauntlet_audit>)
add_custom_target(gauntlet_portable)
set(triple ${CMAKE_LIBRARY_ARCHITECTURE})
foreach(pair program:gauntlet machine:gauntlet_machine audit:gauntlet_audit)
  string(REGEX MATCH "^([a-z]+):(.*)$" unused ${pair})
  set(target gauntlet_portable_${CMAKE_MATCH_1})
  add_dependencies(gauntlet_portable ${target})
  add_dependencies(${target} ${CMAKE_MATCH_2})
  get_target_property(libraries ${CMAKE_MATCH_2} LINK_LIBRARIES)
  get_target_property(options ${CMAKE_MATCH_2} LINK_OPTIONS)
  if(NOT options)
    set(options)
  endif()
  target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,--sysroot=${GAUNTLET_OLD_GLIBC}
    -B${GAUNTLET_OLD_GLIBC}/usr/lib/${triple}/ -L${GAUNTLET_OLD_GLIBC}/usr/lib/${triple}
    -L${GAUNTLET_OLD_GLIBC}/lib/${triple} ${options})
  target_link_libraries(${target} PRIVATE ${libraries} pthread ${CMAKE_DL_LIBS} rt)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${CMAKE_MATCH_2} LINKER_LANGUAGE CXX UNITY_BUILD OFF
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable)
endforeach()
target_link_options(gauntlet_portable_machine PRIVATE -static-libstdc++)
target_link_options(gauntlet_portable_program PRIVATE -static-libstdc++
  -Wl,--allow-shlib-undefined  # of libraries that are named and not needed
  -Wl,--whole-archive ${GAUNTLET_STATIC_PUGIXML} -Wl,--no-whole-archive)
