# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# gauntlet_add_test(NAME SPEC FILE.gauntlet [TARGET target] [CASES n] [SEED n] [GPU]): a test that runs
# `gauntlet check FILE.gauntlet`, with the label gauntlet (docs/own_kernels.md).
#
#   SPEC    relative to the current source folder, in which the program is started
#   TARGET  the kernel is compiled as this target is: include folders, definitions, C++ standard, the
#           lowest of its CUDA_ARCHITECTURES and, where the project has the language CUDA, its options
#           and CMAKE_CUDA_FLAGS. Its properties are read when the build is generated, but for
#           CUDA_ARCHITECTURES, which are those of the moment of this call
#   CASES   drawn; the program's default without it
#   SEED    of the drawn cases
#   GPU     also NAME.gpu, the same with --on cuda: labels gauntlet and gpu, RESOURCE_GROUPS gpus:1,
#           skipped where no GPU can be used. GAUNTLET_GPU_TESTS asks for it everywhere
include_guard(DIRECTORY)
option(GAUNTLET_GPU_TESTS "gauntlet_add_test adds a second test of each spec, on a GPU" OFF)

# The flags of a target for nvcc, one on each line, into a file that is written when the build is
# generated; its name into OUT_VAR. CMake evaluates a target's options for each language of the project
# and writes a file for each.
function(_gauntlet_flags out_var call name target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${call}: TARGET ${target} is no target; add it before this call")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language NONE C CXX CUDA)
    if(language IN_LIST languages)
      set(evaluated ${language})
    endif()
  endforeach()
  if(NOT evaluated OR evaluated STREQUAL NONE)
    message(FATAL_ERROR "${call}: TARGET needs a project with the language CXX or CUDA")
  endif()
  get_target_property(type ${target} TYPE)
  set(kind)
  if(type STREQUAL INTERFACE_LIBRARY)
    set(kind INTERFACE_)
  endif()
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES)
    set(${property} "$<TARGET_PROPERTY:${target},${kind}${property}>")
  endforeach()

  set(standard)  # nvcc's own
  foreach(number 11 14 17 20 23)
    set(wanted "$<OR:$<IN_LIST:cxx_std_${number},${COMPILE_FEATURES}>,$<IN_LIST:cuda_std_${number},${COMPILE_FEATURES}>>")
    set(standard "$<IF:${wanted},-std=c++${number},${standard}>")
  endforeach()
  set(said "$<TARGET_PROPERTY:${target},$<IF:$<STREQUAL:${evaluated},CUDA>,CUDA,CXX>_STANDARD>")
  set(content "$<IF:$<BOOL:${said}>,-std=c++${said},${standard}>\n")

  get_target_property(architectures ${target} CUDA_ARCHITECTURES)
  if(NOT architectures)
    set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  endif()
  list(TRANSFORM architectures REPLACE "-(real|virtual)$" "")
  list(FILTER architectures INCLUDE REGEX "^[0-9]+[af]?$")
  if(architectures)
    list(SORT architectures COMPARE NATURAL)
    list(GET architectures 0 lowest)
    string(APPEND content "-arch=compute_${lowest}\n")
  endif()

  foreach(pair "-I:INCLUDE_DIRECTORIES" "-D:COMPILE_DEFINITIONS")
    string(REGEX MATCH "^(..):(.*)$" unused ${pair})
    set(list "$<REMOVE_DUPLICATES:${${CMAKE_MATCH_2}}>")
    string(APPEND content "$<$<BOOL:${list}>:${CMAKE_MATCH_1}$<JOIN:${list},\n${CMAKE_MATCH_1}>>\n")
  endforeach()
  if(evaluated STREQUAL CUDA AND CMAKE_CUDA_COMPILER_ID STREQUAL NVIDIA)
    string(APPEND content "SHELL:${CMAKE_CUDA_FLAGS}\n$<JOIN:${COMPILE_OPTIONS},\n>\n")
  endif()
  string(MAKE_C_IDENTIFIER "${name}" file)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/gauntlet_tests/${file}.$<CONFIG>.flags.")
  file(GENERATE OUTPUT "${file}$<COMPILE_LANGUAGE>" CONTENT "${content}" TARGET ${target})
  set(${out_var} "${file}${evaluated}" PARENT_SCOPE)
endfunction()

function(gauntlet_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GPU" "SPEC;TARGET;CASES;SEED" "")
  set(call "gauntlet_add_test(${name})")
  if(arg_UNPARSED_ARGUMENTS)
    list(GET arg_UNPARSED_ARGUMENTS 0 word)
    message(FATAL_ERROR "${call}: unknown argument ${word}; write SPEC, TARGET, CASES, SEED or GPU")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    list(GET arg_KEYWORDS_MISSING_VALUES 0 word)
    message(FATAL_ERROR "${call}: nothing stands behind ${word}")
  endif()
  if(NOT arg_SPEC)
    message(FATAL_ERROR "${call}: the spec is missing; write SPEC FILE.gauntlet")
  endif()
  get_filename_component(spec "${arg_SPEC}" ABSOLUTE)
  if(NOT spec MATCHES "\\.gauntlet$")
    message(FATAL_ERROR "${call}: SPEC ${arg_SPEC}: the name of a spec ends in .gauntlet")
  endif()
  if(NOT EXISTS "${spec}")
    message(FATAL_ERROR "${call}: SPEC ${arg_SPEC}: there is no file ${spec}")
  endif()
  foreach(word CASES SEED)
    if(DEFINED arg_${word} AND NOT arg_${word} MATCHES "^[1-9][0-9]*$")
      message(FATAL_ERROR "${call}: ${word} ${arg_${word}}: a number from 1 on is needed")
    endif()
  endforeach()
  if((arg_GPU OR GAUNTLET_GPU_TESTS) AND DEFINED GAUNTLET_CUDA AND NOT GAUNTLET_CUDA AND NOT GAUNTLET_CATALOGUE)
    message(FATAL_ERROR "${call}: GPU: the program is built without what needs one; add -DGAUNTLET_CUDA=ON")
  endif()

  set(command $<TARGET_FILE:gauntlet::gauntlet> check ${arg_SPEC} --jobs 1)
  if(arg_CASES)
    list(APPEND command --cases ${arg_CASES})
  endif()
  if(arg_SEED)
    list(APPEND command --seed ${arg_SEED})
  endif()
  if(arg_TARGET)
    _gauntlet_flags(flags "${call}" "${name}" "${arg_TARGET}")
    list(APPEND command --flags "${flags}")
  endif()
  # Both may write the counterexamples beside the spec.
  set(properties RESOURCE_LOCK "${spec}")
  if(CMAKE_CUDA_COMPILER)
    cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH toolkit)
    list(APPEND properties ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${toolkit}")
  endif()
  add_test(NAME ${name} COMMAND ${command} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS gauntlet ${properties})
  if(NOT arg_GPU AND NOT GAUNTLET_GPU_TESTS)
    return()
  endif()
  # ctest --resource-spec-file says which GPU: "id:1,slots:1".
  set(on_that_gpu [[
gpu=${CTEST_RESOURCE_GROUP_0_GPUS#id:}
[ -z "$gpu" ] || export CUDA_VISIBLE_DEVICES="${gpu%%,*}"
exec "$@"]])
  add_test(NAME ${name}.gpu COMMAND sh -c "${on_that_gpu}" sh ${command} --on cuda
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name}.gpu PROPERTIES LABELS "gauntlet;gpu" RESOURCE_GROUPS gpus:1
                       SKIP_RETURN_CODE 3 ${properties})
endfunction()
