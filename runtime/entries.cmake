# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# runtime_entries(OUT_VAR MAP_VAR): of runtime/entries.txt, all that the toolkit's library exports, an
# assembler file that defines each weakly, and the linker's map that exports them under the toolkit's
# version. An entry that the sources define takes the place of the weak one; any other ends the
# program with its name. NAME_ptsz and NAME_ptds are what programs call that are compiled for a default
# stream per thread: NAME itself.
function(runtime_entries out_var map_var)
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/entries.txt entries)
  set(text "# Generated from runtime/entries.txt\n")
  set(exports "")
  foreach(name IN LISTS entries)
    string(APPEND text "    .text\n    .weak ${name}\n    .type ${name}, @function\n${name}:\n")
    if(name MATCHES "^(.+)_pt[sd][zs]$")
      string(APPEND text "    jmp ${CMAKE_MATCH_1}@PLT\n")
    else()
      string(APPEND text "    leaq 1f(%rip), %rdi\n    jmp gauntlet_missing_entry@PLT\n"
                         "    .section .rodata\n1:  .asciz \"${name}\"\n")
    endif()
    string(APPEND exports "    ${name};\n")
  endforeach()
  string(APPEND text "    .section .note.GNU-stack,\"\",@progbits\n")
  set(folder ${CMAKE_CURRENT_BINARY_DIR})
  file(CONFIGURE OUTPUT ${folder}/entries.s CONTENT "${text}" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/entries.map
       CONTENT "libcudart.so.13 {\n  global:\n${exports}  local:\n    *;\n};\n" @ONLY)
  set(${out_var} ${folder}/entries.s PARENT_SCOPE)
  set(${map_var} ${folder}/entries.map PARENT_SCOPE)
endfunction()
