# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Libraries of the names and with the entries of the toolkit's, which do nothing but lead to
# libgauntlet_machine.so. Their entries stand in LIST.txt, each with the function that does its work
# where that has another name; of two lines of one name the later one counts. NAME{,_v2,_64} is NAME,
# NAME_v2 and NAME_64; `*` in the function is what stands in the first braces. @LIST is all of another
# list, and @HEADER.h what a header of the toolkit declares. NAME_ptsz and NAME_ptds are what programs call
# that are compiled for a default stream per thread: NAME itself, which is told so (gauntlet_per_thread),
# unless it is defined.
#
# entries_of(OUT_VAR LIST): "NAME" or "NAME FUNCTION" of each entry, always in the same order.
function(entries_of out_var list)
  if(list STREQUAL "cuda.h")
    driver_functions(rows)
    list(TRANSFORM rows REPLACE "^[^ ]+ [^ ]+ " "" OUTPUT_VARIABLE names)
    string(REPLACE " " ";" names "${names}")
    list(REMOVE_DUPLICATES names)
    set(${out_var} ${names} PARENT_SCOPE)
    return()
  endif()
  if(list STREQUAL "cuda_runtime_api.h")
    runtime_functions(names)
    set(${out_var} ${names} PARENT_SCOPE)
    return()
  endif()
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${list}.txt lines)
  set(names "")
  while(lines)
    list(POP_FRONT lines line)
    if(line MATCHES "^@(.+)$")
      entries_of(others ${CMAKE_MATCH_1})
      list(PREPEND lines ${others})
    elseif(line MATCHES "^([^{]*){([^}]*)}([^ ]*)(.*)$")
      set(before "${CMAKE_MATCH_1}")
      set(behind "${CMAKE_MATCH_3}")
      set(function "${CMAKE_MATCH_4}")
      string(REPLACE "," ";" words "${CMAKE_MATCH_2}")
      if(words MATCHES "^@(.+)$")
        entries_of(words ${CMAKE_MATCH_1})
      endif()
      set(expanded "")
      foreach(word IN LISTS words)
        string(REPLACE "*" "${word}" of_word "${function}")
        list(APPEND expanded "${before}${word}${behind}${of_word}")
      endforeach()
      list(PREPEND lines ${expanded})
    else()
      string(REGEX REPLACE " .*$" "" name "${line}")
      list(APPEND names ${name})
      set(entry_${name} "${line}")
    endif()
  endwhile()
  list(REMOVE_DUPLICATES names)
  set(entries "")
  foreach(name IN LISTS names)
    list(APPEND entries "${entry_${name}}")
  endforeach()
  set(${out_var} ${entries} PARENT_SCOPE)
endfunction()

# runtime_functions(OUT_VAR): what the runtime's headers declare, and of those that have one the form
# for a default stream per thread. Not what begins with __cuda, which nvcc's generated code calls.
function(runtime_functions out_var)
  set(names "")
  foreach(header cuda_runtime_api cuda_profiler_api cuda_egl_interop cuda_gl_interop cuda_vdpau_interop)
    file(READ ${GAUNTLET_CUDA_INCLUDE}/${header}.h text)
    string(REGEX MATCHALL "CUDARTAPI(_CDECL)?[ \n]+cuda[A-Za-z0-9_]+[ \n]*[(]|__CUDART_API_PT[SD][SZ][(]cuda[A-Za-z0-9_]+[)]" found "${text}")
    list(TRANSFORM found REPLACE "^CUDARTAPI(_CDECL)?[ \n]+|[ \n]*[()]$" "")
    list(TRANSFORM found REPLACE "^__CUDART_API_PT(.)(.)[(](.+)$" "\\3_pt\\1\\2")
    list(APPEND names ${found})
  endforeach()
  list(TRANSFORM names REPLACE "_ptSZ$" "_ptsz")
  list(TRANSFORM names REPLACE "_ptDS$" "_ptds")
  list(FILTER names EXCLUDE REGEX "WGL")  # Windows alone
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  set(${out_var} ${names} PARENT_SCOPE)
endfunction()

# driver_functions(OUT_VAR): "NAME VERSION FUNCTION PER_THREAD" of each name of the driver's interface
# and each version in which it began to mean another function; PER_THREAD: the function for a default
# stream per thread. cudaTypedefs.h (cudaProfilerTypedefs.h has the profiler's) has a type for each,
# PFN_NAME_vVERSION and PFN_NAME_vVERSION_ptsz; the n-th function of a name is called NAME_vn.
function(driver_functions out_var)
  set(names "")
  foreach(header cudaTypedefs cudaProfilerTypedefs)
    file(STRINGS ${GAUNTLET_CUDA_INCLUDE}/${header}.h types REGEX "[*]PFN_cu[A-Za-z0-9_]+_v[0-9]+(_pt[sd][sz])?[)]")
    foreach(type IN LISTS types)
      if(type MATCHES "PFN_(cu[A-Za-z0-9_]+)_v([0-9]+(_pt[sd][sz])?)[)]")
        list(APPEND names ${CMAKE_MATCH_1})
        list(APPEND of_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(rows "")
  foreach(name IN LISTS names)
    list(SORT of_${name} COMPARE NATURAL)
    set(function ${name})
    set(number 1)
    foreach(version IN LISTS of_${name})
      if(version MATCHES "(_pt[sd][sz])$")
        list(POP_BACK rows row)
        set(row "${row}${CMAKE_MATCH_1}")
      else()
        set(row "${name} ${version} ${function} ${function}")
        math(EXPR number "${number} + 1")
        set(function ${name}_v${number})
      endif()
      list(APPEND rows "${row}")
    endforeach()
  endforeach()
  set(${out_var} ${rows} PARENT_SCOPE)
endfunction()

# runtime_tables(OUT_VAR LIST...): an assembler file for libgauntlet_machine.so with a table of each
# list's functions, gauntlet_entries_LIST. A function that the sources define takes the place of the
# weak one here; any other is named as what is not supported.
function(runtime_tables out_var)
  set(tables "    .data\n")
  set(functions "")
  # What programs ask by dlsym: sanitizer/program/gauntlet/run.h; and sanitizer/program/host_function.hpp.
  # And how they leave (ending.cpp).
  set(exports "    _exit;\n    _Exit;\n    gauntlet_mark;\n    gauntlet_findings_since;\n    gauntlet_finding;\n    gauntlet_forget;\n    gauntlet_serve;\n")
  foreach(list IN LISTS ARGN)
    string(APPEND exports "    gauntlet_entries_${list};\n")
    entries_of(entries ${list})
    string(APPEND tables "    .globl gauntlet_entries_${list}\n    .balign 8\n"
                         "    .type gauntlet_entries_${list}, @object\n"
                         "gauntlet_entries_${list}:\n")
    foreach(entry IN LISTS entries)
      string(REGEX REPLACE "^.* " "" function "${entry}")
      string(APPEND tables "    .quad ${function}\n")
      list(APPEND functions ${function})
    endforeach()
    string(APPEND tables "    .size gauntlet_entries_${list}, . - gauntlet_entries_${list}\n")
  endforeach()
  list(REMOVE_DUPLICATES functions)
  set(text "# Generated from sanitizer/program/*.txt\n")
  foreach(name IN LISTS functions)
    string(APPEND text "    .text\n    .weak ${name}\n    .type ${name}, @function\n${name}:\n")
    if(name MATCHES "^(.+)_pt[sd][zs]$")
      string(APPEND text "    movq gauntlet_per_thread@GOTTPOFF(%rip), %r11\n    movb $1, %fs:(%r11)\n"
                         "    jmp ${CMAKE_MATCH_1}@PLT\n")
    else()
      string(REGEX REPLACE "_1[12]$" "" shown ${name})
      string(APPEND text "    leaq 1f(%rip), %rdi\n    jmp gauntlet_missing_entry@PLT\n"
                         "    .section .rodata\n1:  .asciz \"${shown}\"\n")
    endif()
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR})
  file(CONFIGURE OUTPUT ${folder}/tables.s @ONLY
       CONTENT "${text}${tables}    .section .note.GNU-stack,\"\",@progbits\n")
  file(CONFIGURE OUTPUT ${folder}/tables.map @ONLY
       CONTENT "{\n  global:\n${exports}  local:\n    *;\n};\n")
  set(${out_var} ${folder}/tables.s PARENT_SCOPE)
endfunction()

# runtime_library(TARGET LIST NAME [VERSION]): the library, its file's name and soname, and the
# version that its symbols have.
function(runtime_library target list name)
  entries_of(entries ${list})
  set(text "# Generated from sanitizer/program/${list}.txt\n    .text\n")
  set(exports "")
  set(at 0)
  foreach(entry IN LISTS entries)
    string(REGEX REPLACE " .*$" "" symbol "${entry}")
    string(APPEND text "    .globl ${symbol}\n    .type ${symbol}, @function\n${symbol}:\n"
                       "    movq gauntlet_entries_${list}@GOTPCREL(%rip), %r11\n"
                       "    jmp *${at}(%r11)\n")
    string(APPEND exports "    ${symbol};\n")
    math(EXPR at "${at} + 8")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target})
  file(CONFIGURE OUTPUT ${file}.s @ONLY
       CONTENT "${text}    .section .note.GNU-stack,\"\",@progbits\n")
  file(CONFIGURE OUTPUT ${file}.map @ONLY
       CONTENT "${ARGN} {\n  global:\n${exports}  local:\n    *;\n};\n")
  add_library(${target} SHARED ${file}.s)
  target_link_libraries(${target} PRIVATE gauntlet_machine -nostdlib -Wl,--version-script=${file}.map)
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} PREFIX "" OUTPUT_NAME ${name} SUFFIX ""
    NO_SONAME ON LINKER_LANGUAGE CXX LINK_DEPENDS ${file}.map
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  target_link_options(${target} PRIVATE -Wl,-soname,${name} -Wl,--enable-new-dtags)
  install(TARGETS ${target} LIBRARY DESTINATION lib/gauntlet)
endfunction()

# also_named(TARGET NAME): the library under another name too, which programs look up at run time.
function(also_named target name)
  get_target_property(file ${target} OUTPUT_NAME)
  set(link ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(CREATE_LINK ${file} ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION lib/gauntlet)
endfunction()

# driver_entry_points(LIST): sanitizer/program/entry_points.inc, a row for each of driver_functions.
function(driver_entry_points list)
  entries_of(entries ${list})
  driver_functions(rows)
  list(TRANSFORM rows REPLACE " " ", ")
  list(TRANSFORM rows REPLACE "^(.+)$" "GAUNTLET_ENTRY_POINT(\\1)\n")
  string(CONCAT rows ${rows})
  foreach(entry IN LISTS entries)
    if(entry MATCHES "^(.+) (.+)$")
      string(REGEX REPLACE " ${CMAKE_MATCH_1}([,)])" " ${CMAKE_MATCH_2}\\1" rows "${rows}")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/sanitizer/program/entry_points.inc @ONLY CONTENT "${rows}")
endfunction()

# driver_errors(): sanitizer/program/driver_errors.inc, a row for each CUresult of the toolkit's cuda.h.
function(driver_errors)
  file(STRINGS ${GAUNTLET_CUDA_INCLUDE}/cuda.h lines REGEX "^ +CUDA_(SUCCESS|ERROR_[A-Z0-9_]+) += +[0-9]+")
  list(TRANSFORM lines REPLACE "^ +(CUDA_[A-Z0-9_]+) .*$" "GAUNTLET_ERROR(\\1)\n")
  string(CONCAT rows ${lines})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/sanitizer/program/driver_errors.inc @ONLY CONTENT "${rows}")
endfunction()

# device_attributes(): sanitizer/program/device_attributes.inc, a row for each cudaDeviceAttr that is a
# member of cudaDeviceProp by name, but for upper and lower case.
function(device_attributes)
  file(READ ${GAUNTLET_CUDA_INCLUDE}/driver_types.h text)
  string(REGEX MATCHALL "cudaDevAttr[A-Za-z0-9]+ += " attributes "${text}")
  string(REGEX REPLACE "^.*struct __device_builtin__ cudaDeviceProp\n{" "" text "${text}")
  string(REGEX REPLACE "\n}.*$" "" text "${text}")
  string(REPLACE ";" "," text "${text}")
  string(REGEX MATCHALL " [A-Za-z0-9]+," members "${text}")
  foreach(member IN LISTS members)
    string(REGEX REPLACE "[ ,]" "" member "${member}")
    string(TOLOWER ${member} lower)
    set(of_${lower} ${member})
  endforeach()
  set(rows "")
  foreach(attribute IN LISTS attributes)
    string(REGEX REPLACE "^cudaDevAttr| += $" "" name "${attribute}")
    string(TOLOWER ${name} lower)
    if(DEFINED of_${lower})
      string(APPEND rows "GAUNTLET_ATTRIBUTE(cudaDevAttr${name}, p.${of_${lower}})\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/sanitizer/program/device_attributes.inc @ONLY CONTENT "${rows}")
endfunction()
