# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Compile options shared by every host target. Floating-point contraction is off so that results
# are the same bits on any host.
add_library(gauntlet_options INTERFACE)
target_compile_features(gauntlet_options INTERFACE cxx_std_20)
target_compile_options(gauntlet_options INTERFACE -Wall -Wextra -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(gauntlet_options INTERFACE -Wno-restrict)  # false alarms on std::string = ""
endif()
target_include_directories(gauntlet_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)

option(GAUNTLET_SANITIZE "Build the host code with AddressSanitizer and UBSan" OFF)
if(GAUNTLET_SANITIZE)
  target_compile_options(gauntlet_options INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(gauntlet_options INTERFACE -fsanitize=address,undefined)
endif()

option(GAUNTLET_FUZZ "Build the libFuzzer targets of tests/fuzz, under the sanitizers (clang)" OFF)
if(GAUNTLET_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "GAUNTLET_FUZZ needs clang: cmake --preset fuzz, or -DCMAKE_CXX_COMPILER=clang++")
  endif()
  target_compile_options(gauntlet_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                         -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(gauntlet_options INTERFACE -fsanitize=address,undefined)
endif()

# Compiler cache, where there is one: a fresh build folder then reuses what another one compiled.
find_program(GAUNTLET_CCACHE ccache)
if(GAUNTLET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache's manual asks for where there are precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${GAUNTLET_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(gauntlet_options INTERFACE -fpch-preprocess)
  endif()
endif()

# Within another project the program is a tool, which is not to be slow where that project is compiled for a debugger,
# or for nothing.
set(within_another ON)
if(PROJECT_IS_TOP_LEVEL)
  set(within_another OFF)
elseif(NOT CMAKE_BUILD_TYPE MATCHES "^(Rel|MinSize)")
  string(APPEND CMAKE_CXX_FLAGS " -O2")
endif()

# Code that does not run long (texts, tables, tests) is compiled faster in a release build.
set(released $<OR:$<CONFIG:Release>,$<BOOL:${within_another}>>)
set(GAUNTLET_QUICK_BUILD $<${released}:-O1>)
# So is code that runs for a small part of the time, where build and tests follow each other.
set(GAUNTLET_QUICKER_BUILD)

# Several files in one go: a build from nothing takes a third of the time, one after an edit longer.
option(GAUNTLET_UNITY "Compile the files of a library or test program together" ${within_another})
set(CMAKE_UNITY_BUILD ${GAUNTLET_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)  # all files of a target
if(GAUNTLET_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(GAUNTLET_QUICK_BUILD $<${released}:-Og>)
  set(GAUNTLET_QUICKER_BUILD $<${released}:-O1>)
  # Garbage is collected less often: a fifth less time for a quarter more memory.
  target_compile_options(gauntlet_options INTERFACE
                         --param=ggc-min-expand=400 --param=ggc-min-heapsize=262144)
endif()

# gauntlet_compile_together(LIBRARY others...): where files are compiled together, those of the other libraries
# are with the first one's, which links what they do; headers that all of them include, JSON's above all, are
# then read and instantiated once. Who links one of the others gets the first.
function(gauntlet_compile_together library)
  if(NOT GAUNTLET_UNITY)
    return()
  endif()
  foreach(other IN LISTS ARGN)
    get_target_property(sources ${other} SOURCES)
    get_target_property(folder ${other} SOURCE_DIR)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    set_source_files_properties(${sources} DIRECTORY ${folder} PROPERTIES HEADER_FILE_ONLY ON)
    set_target_properties(${other} PROPERTIES LINKER_LANGUAGE CXX)
    target_sources(${library} PRIVATE ${sources})
    get_target_property(linked ${other} LINK_LIBRARIES)
    target_link_libraries(${library} PRIVATE ${other} ${linked})
    target_link_libraries(${other} INTERFACE ${library})
  endforeach()
endfunction()

# gauntlet_precompile(TARGET [header...]): what most files include is read once for each target;
# headers beside the common ones are named ("<gtest/gtest.h>"). Not where files are compiled together.
option(GAUNTLET_PRECOMPILE "Precompile the headers that most files include" ON)
function(gauntlet_precompile target)
  get_target_property(unity ${target} UNITY_BUILD)
  if(GAUNTLET_PRECOMPILE AND NOT unity)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <span> <string>
      <string_view> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()
