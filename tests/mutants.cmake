# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# gauntlet_mutants(NAME FOLDERS SOURCES tests... LIBS libs...): the mistakes of the caller's mutants.cmake, each in
# a copy of its file, or as a wrong row (mutant_row): a test must notice it. The program NAME has all of them, and its argument picks one.
# FOLDERS are all those of the files.
set(GAUNTLET_MUTATE ${CMAKE_CURRENT_LIST_DIR}/properties/prove)
macro(mutant name file)
  list(APPEND mutants ${name})
  list(APPEND mutated ${file})
endmacro()
macro(mutant_row name)
  list(APPEND mutants ${name})
endmacro()
function(gauntlet_mutants name folders)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  set(mutants "")
  set(mutated "")
  include(${CMAKE_CURRENT_SOURCE_DIR}/mutants.cmake)
  list(REMOVE_DUPLICATES mutants)
  list(REMOVE_DUPLICATES mutated)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/mutants)
  set(copies "")
  foreach(file IN LISTS mutated)
    get_filename_component(copy ${file} NAME)
    list(APPEND copies ${out}/${copy})
  endforeach()
  list(TRANSFORM mutated PREPEND ${PROJECT_SOURCE_DIR}/)
  set(list ${CMAKE_CURRENT_SOURCE_DIR}/mutants.cmake)
  add_custom_command(
    OUTPUT ${copies} ${out}/mutants.inc
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DMUTANTS=${list} -DOUT=${out} -P ${GAUNTLET_MUTATE}/mutate.cmake
    DEPENDS ${mutated} ${list} ${GAUNTLET_MUTATE}/mutate.cmake
    VERBATIM)
  # The copies stand before the libraries, which then need not give what they have. Where a library is
  # compiled in one go it gives all or nothing, so the files that are not mutated stand there too.
  set(others "")
  if(GAUNTLET_UNITY)
    list(TRANSFORM folders PREPEND ${PROJECT_SOURCE_DIR}/)
    list(TRANSFORM folders APPEND /*.cpp)
    file(GLOB others CONFIGURE_DEPENDS ${folders})
    list(REMOVE_ITEM others ${mutated})
  endif()
  set_source_files_properties(${GAUNTLET_MUTATE}/mutants_main.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_executable(${name} ${GAUNTLET_MUTATE}/mutants_main.cpp ${arg_SOURCES} ${copies} ${others})
  target_compile_options(${name} PRIVATE -w -fno-strict-aliasing)
  target_include_directories(${name} PRIVATE ${out})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gtest)
  gauntlet_test_precompiled(${name})
  foreach(mutant none ${mutants})
    add_test(NAME ${name}.${mutant} COMMAND ${name} ${mutant})
    set_tests_properties(${name}.${mutant} PROPERTIES LABELS unit TIMEOUT 120)
  endforeach()
endfunction()
