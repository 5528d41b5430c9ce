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
GAUNTLET_FORWARDS(3, in_context, StreamCreateWithPriority, StreamWaitEvent, LaunchHostFunc,
                  StreamSetAttribute, StreamGetAttribute, EventRecordWithFlags, EventElapsedTime,
                  GraphGetNodes, GraphGetRootNodes, GraphInstantiateWithParams,
                  DeviceGetGraphMemAttribute, DeviceSetGraphMemAttribute)
GAUNTLET_FORWARDS(1, driver_entry, StreamDestroy, StreamQuery, ThreadExchangeStreamCaptureMode,
                  EventDestroy, EventQuery)
GAUNTLET_FORWARDS(1, in_context, StreamSynchronize, EventSynchronize, GraphDestroy,
                  GraphDestroyNode, DeviceGraphMemTrim, GraphExecDestroy)
GAUNTLET_FORWARDS(4, in_context, StreamAddCallback, StreamAttachMemAsync, GraphAddEmptyNode)
GAUNTLET_FORWARDS(2, in_context, StreamGetFlags, StreamGetPriority, StreamCopyAttributes,
                  StreamGetId, StreamGetDevice, StreamBeginCapture, StreamEndCapture,
                  StreamIsCapturing, GraphClone, GraphNodeGetType, GraphUpload, GraphLaunch)
#undef cuStreamGetCtx
CUresult cuStreamGetCtx(CUstream, CUcontext* context) { return cuCtxGetCurrent(context); }
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}

GAUNTLET_FORWARD(2, in_context, cuEventCreate, cudaEventCreateWithFlags)
GAUNTLET_FORWARD(2, driver_entry, cuEventRecord, cudaEventRecord)

GAUNTLET_FORWARD(2, driver_entry, cuGraphCreate, cudaGraphCreate)
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* behind,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS* of) {
  return in_context("cuGraphAddKernelNode", [&] {
    const cudaKernelNodeParams params = of_runtime(*of);
    return cudaGraphAddKernelNode(node, graph, behind, count, &params);
  });
}
GAUNTLET_FORWARD(6, in_context, cuGraphAddMemsetNode, cudaGraphAddMemsetNode)
GAUNTLET_FORWARDS(5, in_context, GraphAddHostNode, GraphAddMemAllocNode, GraphAddMemFreeNode,
                  GraphAddChildGraphNode)
GAUNTLET_FORWARD(3, in_context, cuGraphInstantiateWithFlags, cudaGraphInstantiate)
static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));

}  // extern "C"

}  // namespace gauntlet::runtime
