# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DNVCC=... -DARCH=compute_NN -DSOURCE=FILE.cu -DWANTED=true|false -P expect_no_architecture.cmake
#
# WANTED: nvcc must refuse the architecture, by its name and for no other reason. Otherwise it must
# compile the same file.
execute_process(COMMAND ${NVCC} -ptx -std=c++20 -arch=${ARCH} ${SOURCE} -o -
                RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(WANTED)
  if(status EQUAL 0)
    message(FATAL_ERROR "nvcc builds for ${ARCH}")
  endif()
  if(NOT err MATCHES "[Uu]nsupported gpu architecture '${ARCH}'")
    message(FATAL_ERROR "nvcc fails for another reason: ${err}")
  endif()
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "nvcc should build for ${ARCH}: ${err}")
endif()
