// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: streams, events and graphs, whose handles are the runtime's.
#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

cudaKernelNodeParams of_runtime(const CUDA_KERNEL_NODE_PARAMS& of) {
  return {of.func != nullptr ? static_cast<void*>(of.func) : static_cast<void*>(of.kern),
          dim3(of.gridDimX, of.gridDimY, of.gridDimZ),
          dim3(of.blockDimX, of.blockDimY, of.blockDimZ),
          of.sharedMemBytes,
          of.kernelParams,
          of.extra};
}

// These are one thing under two names.
static_assert(sizeof(cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS));
static_assert(sizeof(cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS));
static_assert(sizeof(cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS));
static_assert(sizeof(cudaStreamAttrValue) == sizeof(CUstreamAttrValue));

}  // namespace

extern "C" {

GAUNTLET_FORWARD(2, in_context, cuStreamCreate, cudaStreamCreateWithFlags)
GAUNTLET_FORWARD(3, in_context, cuStreamCreateWithPriority, cudaStreamCreateWithPriority)
GAUNTLET_FORWARD(1, driver_entry, cuStreamDestroy, cudaStreamDestroy)
GAUNTLET_FORWARD(1, in_context, cuStreamSynchronize, cudaStreamSynchronize)
GAUNTLET_FORWARD(1, driver_entry, cuStreamQuery, cudaStreamQuery)
GAUNTLET_FORWARD(3, in_context, cuStreamWaitEvent, cudaStreamWaitEvent)
GAUNTLET_FORWARD(4, in_context, cuStreamAddCallback, cudaStreamAddCallback)
GAUNTLET_FORWARD(3, in_context, cuLaunchHostFunc, cudaLaunchHostFunc)
GAUNTLET_FORWARD(2, in_context, cuStreamGetFlags, cudaStreamGetFlags)
GAUNTLET_FORWARD(2, in_context, cuStreamGetPriority, cudaStreamGetPriority)
GAUNTLET_FORWARD(3, in_context, cuStreamSetAttribute, cudaStreamSetAttribute)
GAUNTLET_FORWARD(3, in_context, cuStreamGetAttribute, cudaStreamGetAttribute)
GAUNTLET_FORWARD(2, in_context, cuStreamCopyAttributes, cudaStreamCopyAttributes)
GAUNTLET_FORWARD(2, in_context, cuStreamGetId, cudaStreamGetId)
GAUNTLET_FORWARD(2, in_context, cuStreamGetDevice, cudaStreamGetDevice)
#undef cuStreamGetCtx
CUresult cuStreamGetCtx(CUstream, CUcontext* context) { return cuCtxGetCurrent(context); }
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}
GAUNTLET_FORWARD(4, in_context, cuStreamAttachMemAsync, cudaStreamAttachMemAsync)
GAUNTLET_FORWARD(2, in_context, cuStreamBeginCapture, cudaStreamBeginCapture)
GAUNTLET_FORWARD(2, in_context, cuStreamEndCapture, cudaStreamEndCapture)
GAUNTLET_FORWARD(2, in_context, cuStreamIsCapturing, cudaStreamIsCapturing)
GAUNTLET_FORWARD(1, driver_entry, cuThreadExchangeStreamCaptureMode,
                 cudaThreadExchangeStreamCaptureMode)

GAUNTLET_FORWARD(2, in_context, cuEventCreate, cudaEventCreateWithFlags)
GAUNTLET_FORWARD(1, driver_entry, cuEventDestroy, cudaEventDestroy)
GAUNTLET_FORWARD(2, driver_entry, cuEventRecord, cudaEventRecord)
GAUNTLET_FORWARD(3, in_context, cuEventRecordWithFlags, cudaEventRecordWithFlags)
GAUNTLET_FORWARD(1, driver_entry, cuEventQuery, cudaEventQuery)
GAUNTLET_FORWARD(1, in_context, cuEventSynchronize, cudaEventSynchronize)
GAUNTLET_FORWARD(3, in_context, cuEventElapsedTime, cudaEventElapsedTime)

GAUNTLET_FORWARD(2, driver_entry, cuGraphCreate, cudaGraphCreate)
GAUNTLET_FORWARD(1, in_context, cuGraphDestroy, cudaGraphDestroy)
GAUNTLET_FORWARD(2, in_context, cuGraphClone, cudaGraphClone)
GAUNTLET_FORWARD(4, in_context, cuGraphAddEmptyNode, cudaGraphAddEmptyNode)
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* behind,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS* of) {
  return in_context("cuGraphAddKernelNode", [&] {
    const cudaKernelNodeParams params = of_runtime(*of);
    return cudaGraphAddKernelNode(node, graph, behind, count, &params);
  });
}
GAUNTLET_FORWARD(6, in_context, cuGraphAddMemsetNode, cudaGraphAddMemsetNode)
GAUNTLET_FORWARD(5, in_context, cuGraphAddHostNode, cudaGraphAddHostNode)
GAUNTLET_FORWARD(5, in_context, cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode)
GAUNTLET_FORWARD(5, in_context, cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode)
GAUNTLET_FORWARD(5, in_context, cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode)
GAUNTLET_FORWARD(1, in_context, cuGraphDestroyNode, cudaGraphDestroyNode)
GAUNTLET_FORWARD(3, in_context, cuGraphGetNodes, cudaGraphGetNodes)
GAUNTLET_FORWARD(3, in_context, cuGraphGetRootNodes, cudaGraphGetRootNodes)
GAUNTLET_FORWARD(2, in_context, cuGraphNodeGetType, cudaGraphNodeGetType)
GAUNTLET_FORWARD(3, in_context, cuGraphInstantiateWithFlags, cudaGraphInstantiate)
static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));
GAUNTLET_FORWARD(3, in_context, cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams)
GAUNTLET_FORWARD(3, in_context, cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute)
GAUNTLET_FORWARD(3, in_context, cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute)
GAUNTLET_FORWARD(1, in_context, cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim)
GAUNTLET_FORWARD(2, in_context, cuGraphUpload, cudaGraphUpload)
GAUNTLET_FORWARD(2, in_context, cuGraphLaunch, cudaGraphLaunch)
GAUNTLET_FORWARD(1, in_context, cuGraphExecDestroy, cudaGraphExecDestroy)

}  // extern "C"

}  // namespace gauntlet::runtime
