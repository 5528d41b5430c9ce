# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# gauntlet_embed(OUT_VAR FUNCTION HEADER file...): an assembler file that carries the files, and a C++
# file that defines FUNCTION (with its namespaces; HEADER declares it), which gives them as a
# std::span<const EmbeddedFile> (base/embedded.hpp). For one library of a folder; OUT_VAR are its
# sources.
function(gauntlet_embed out_var function header)
  string(REPLACE "::" "_" prefix ${function})
  string(REGEX MATCH "^(.*)::([^:]+)$" unused ${function})
  set(namespace ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  set(assembler "# Generated: files for ${function}().\n    .section .rodata\n")
  set(externs "")
  set(rows "")
  set(number 0)
  foreach(file ${ARGN})
    math(EXPR number "${number} + 1")
    set(symbol ${prefix}_${number})
    cmake_path(GET file FILENAME file_name)
    string(APPEND assembler
      "    .balign 16\n    .global ${symbol}_begin\n    .global ${symbol}_end\n"
      "${symbol}_begin:\n    .incbin \"${file}\"\n${symbol}_end:\n")
    string(APPEND externs "extern const char ${symbol}_begin[], ${symbol}_end[];\n")
    string(APPEND rows
      "      {\"${file_name}\", ${symbol}_begin, ${symbol}_end},\n")
  endforeach()
  set(body "  return {};\n")
  if(rows)
    set(body "  static const EmbeddedFile all[] = {\n${rows}  };\n  return all;\n")
  endif()
  string(APPEND assembler "    .section .note.GNU-stack,\"\",@progbits\n")
  string(CONCAT table
    "// Generated: the table of embedded files.\n#include \"${header}\"\n\n"
    "extern \"C\" {\n${externs}}\n\n"
    "namespace ${namespace} {\n"
    "std::span<const EmbeddedFile> ${name}() {\n${body}}\n"
    "}  // namespace ${namespace}\n")
  set(folder ${CMAKE_CURRENT_BINARY_DIR})
  file(CONFIGURE OUTPUT ${folder}/embedded.s CONTENT "${assembler}" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/embedded.cpp CONTENT "${table}" @ONLY)
  set_source_files_properties(${folder}/embedded.s PROPERTIES OBJECT_DEPENDS "${ARGN}")
  set(${out_var} ${folder}/embedded.s ${folder}/embedded.cpp PARENT_SCOPE)
endfunction()
