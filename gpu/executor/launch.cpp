// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/launch.hpp"

#include <vector>

#include "gpu/executor/cuda_error.hpp"

namespace gauntlet::cuda {

void start(cudaKernel_t kernel, const Launch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address,
           const std::function<std::uint64_t(const std::string& name)>& symbol,
           cudaStream_t stream) {
  // Kept: a thread that launches small kernels does little else.
  static thread_local std::vector<std::uint64_t> addresses;
  static thread_local std::vector<void*> pointers;
  addresses.resize(launch.args.size());
  pointers.resize(launch.args.size());
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const Arg& arg = launch.args[i];
    pointers[i] = &addresses[i];
    switch (arg.kind) {
      case Arg::Kind::array:
        addresses[i] = address(arg.array) + arg.byte_offset;
        break;
      case Arg::Kind::symbol:
        addresses[i] = symbol(arg.symbol) + arg.byte_offset;
        break;
      case Arg::Kind::value:
        pointers[i] = const_cast<std::byte*>(arg.bytes.data());
        break;
    }
  }
  std::vector<cudaLaunchAttribute> attributes;
  if (launch.cooperative) {
    attributes.emplace_back().id = cudaLaunchAttributeCooperative;
    attributes.back().val.cooperative = 1;
  }
  if (launch.programmatic) {  // captured, an edge between two kernels (CUDA 12.3)
    attributes.emplace_back().id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes.back().val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = {launch.grid.x, launch.grid.y, launch.grid.z};
  config.blockDim = {launch.block.x, launch.block.y, launch.block.z};
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  check_launch(
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers.data()));
}

void make_ready(Library& library, const JobLaunch& launch) {
  if (launch.index != JobLaunch::of_file) {
    (void)library.kernel(launch.index);
    if (launch.shared_bytes != 0) library.allow_shared(launch.index, launch.shared_bytes);
  } else {
    library.allow_shared(library.kernel(launch.module, launch.entry.c_str()), launch.shared_bytes);
  }
}

std::uint64_t symbol_of(Library& library, const JobLaunch& launch, const std::string& name) {
  return launch.index != JobLaunch::of_file ? library.symbol(launch.index, name)
                                            : library.symbol(launch.module, name);
}

void start(Library& library, const JobLaunch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address, cudaStream_t stream) {
  const cudaKernel_t kernel = launch.index != JobLaunch::of_file
                                  ? library.kernel(launch.index)
                                  : library.kernel(launch.module, launch.entry.c_str());
  start(
      kernel, launch, address,
      [&](const std::string& name) { return symbol_of(library, launch, name); }, stream);
}

}  // namespace gauntlet::cuda
