// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiled by nvcc for the host alone: CUB's dispatch code does not parse elsewhere.
#include <cuda_runtime.h>

// The dispatch asks the runtime for earlier errors after each launch. There is no launch here, and
// where no driver is installed the question itself would fail.
__host__ __device__ inline cudaError_t no_earlier_error() { return cudaSuccess; }
#define cudaPeekAtLastError no_earlier_error
#define cudaGetLastError no_earlier_error

#include <cstring>
#include <type_traits>

#include "kernels/cub_device.cuh"
#include "kernels/cub_dispatch.hpp"

namespace gauntlet::kernels {
namespace {

// The arrays' addresses while CUB is asked: far apart, aligned as an allocation is, never used.
constexpr std::uint64_t input_address = 1ull << 40;
constexpr std::uint64_t output_address = 2ull << 40;
constexpr std::uint64_t temporary_address = 3ull << 40;

constexpr int architectures[] = {__CUDA_ARCH_LIST__};
static_assert(std::size(architectures) == 1, "the kernels are compiled for one architecture");

CubArgument argument(const void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const auto offset = address & ((1ull << 40) - 1);
  switch (address - offset) {
    case input_address:
      return {CubArgument::Kind::input, offset, {}};
    case output_address:
      return {CubArgument::Kind::output, offset, {}};
    default:
      return {CubArgument::Kind::temporary, offset, {}};
  }
}

template <class T>
CubArgument argument(const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    return argument(static_cast<const void*>(value));
  } else {
    CubArgument result;
    result.bytes.resize(sizeof(T));
    // An empty class has one byte of no meaning: zero, so that equal launches have equal bytes.
    if constexpr (!std::is_empty_v<T>) std::memcpy(result.bytes.data(), &value, sizeof(T));
    return result;
  }
}

/// In place of CUB's pointers to kernels.
template <class Acc>
struct Kernels {
  static CubKernel SingleTileKernel() { return CubKernel::single; }
  static CubKernel ReductionKernel() { return CubKernel::upsweep; }
  static CubKernel SingleTileSecondKernel() { return CubKernel::final; }
  static constexpr std::size_t AccumSize() { return sizeof(Acc); }
};

/// In place of CUB's <<<...>>>.
struct Recorder {
  std::vector<CubLaunch>* launches;
  dim3 grid, block;
  std::size_t shared_bytes;

  template <class... Arguments>
  cudaError_t doit(CubKernel kernel, const Arguments&... arguments) const {
    launches->push_back({kernel,
                         {grid.x, grid.y, grid.z},
                         {block.x, block.y, block.z},
                         static_cast<std::uint32_t>(shared_bytes),
                         {argument(arguments)...}});
    return cudaSuccess;
  }
};

struct RecorderFactory {
  std::vector<CubLaunch>* launches = nullptr;
  CubDevice device;

  Recorder operator()(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t,
                      bool = false) const {
    return {launches, grid, block, shared_bytes};
  }
  cudaError_t PtxVersion(int& version) const {
    version = architectures[0];
    return cudaSuccess;
  }
  cudaError_t MultiProcessorCount(int& count) const {
    count = device.multiprocessors;
    return cudaSuccess;
  }
  cudaError_t MaxSmOccupancy(int& blocks, CubKernel, int, int = 0) const {
    blocks = device.blocks_per_multiprocessor;
    return cudaSuccess;
  }
};

/// Receives the policy that CUB picks for the architecture.
struct PolicyReader {
  CubPolicy policy;
  template <class Active>
  cudaError_t Invoke() {
    policy.block_threads = Active::SingleTilePolicy::BLOCK_THREADS;
    policy.items_per_thread = Active::SingleTilePolicy::ITEMS_PER_THREAD;
    return cudaSuccess;
  }
};

template <class In, class Acc, class Operation>
CubDispatch dispatch(std::uint32_t n, std::optional<std::uint64_t> storage_bytes,
                     CubDevice device) {
  using Operator = typename Operation::type;
  using Hub = cub::detail::reduce::policy_hub<Acc, gauntlet_cub::DeviceOffset, Operator>;
  using Dispatch =
      cub::DispatchReduce<const In*, Acc*, gauntlet_cub::DeviceOffset, Operator, Acc, Acc,
                          cuda::std::__identity, Hub, Kernels<Acc>, RecorderFactory>;
  CubDispatch result;
  std::size_t bytes = storage_bytes.value_or(0);
  result.error = Dispatch::Dispatch(
      storage_bytes ? reinterpret_cast<void*>(temporary_address) : nullptr, bytes,
      reinterpret_cast<const In*>(input_address), reinterpret_cast<Acc*>(output_address), n,
      Operator{}, Operation::identity(), nullptr, {}, {},
      RecorderFactory{&result.launches, device});
  result.storage_bytes = bytes;
  PolicyReader reader;
  Hub::MaxPolicy::Invoke(architectures[0], reader);
  result.policy = reader.policy;
  return result;
}

struct Entry {
  CubInstance instance;
  CubDispatch (*dispatch)(std::uint32_t, std::optional<std::uint64_t>, CubDevice);
};

#define GAUNTLET_CUB_ENTRY(IN, ACC, OP, MODULE)   \
  {{Type::IN, Type::ACC, Op::OP, MODULE},         \
   &dispatch<gauntlet_cub::IN, gauntlet_cub::ACC, \
             gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>>},
#define GAUNTLET_CUB_FLOAT_ENTRY(IN, ACC, OP) GAUNTLET_CUB_ENTRY(IN, ACC, OP, "cub_device_float")
#define GAUNTLET_CUB_HALF_ENTRY(IN, ACC, OP) GAUNTLET_CUB_ENTRY(IN, ACC, OP, "cub_device_half")
#define GAUNTLET_CUB_INTEGER_ENTRY(IN, ACC, OP) \
  GAUNTLET_CUB_ENTRY(IN, ACC, OP, "cub_device_integer")

const Entry entry_limit[] = {GAUNTLET_CUB_FLOAT_INSTANCES(GAUNTLET_CUB_FLOAT_ENTRY)
                                 GAUNTLET_CUB_HALF_INSTANCES(GAUNTLET_CUB_HALF_ENTRY)
                                     GAUNTLET_CUB_INTEGER_INSTANCES(GAUNTLET_CUB_INTEGER_ENTRY)};

}  // namespace

std::optional<CubDispatch> cub_dispatch(Type in, Type acc, Op op, std::uint32_t n,
                                        std::optional<std::uint64_t> storage_bytes,
                                        CubDevice device) {
  for (const Entry& entry : entry_limit) {
    if (entry.instance.in == in && entry.instance.acc == acc && entry.instance.op == op) {
      return entry.dispatch(n, storage_bytes, device);
    }
  }
  return std::nullopt;
}

const std::vector<CubInstance>& cub_device_instances() {
  static const std::vector<CubInstance> instances = [] {
    std::vector<CubInstance> result;
    for (const Entry& entry : entry_limit) result.push_back(entry.instance);
    return result;
  }();
  return instances;
}

}  // namespace gauntlet::kernels
