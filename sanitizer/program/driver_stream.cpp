// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: streams, events and graphs, whose handles are the runtime's.
#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

cudaKernelNodeParams of_runtime(const CUDA_KERNEL_NODE_PARAMS& of) {
  cudaKernelNodeParams params{};
  params.func = of.func != nullptr ? static_cast<void*>(of.func) : static_cast<void*>(of.kern);
  params.gridDim = dim3(of.gridDimX, of.gridDimY, of.gridDimZ);
  params.blockDim = dim3(of.blockDimX, of.blockDimY, of.blockDimZ);
  params.sharedMemBytes = of.sharedMemBytes;
  params.kernelParams = of.kernelParams;
  params.extra = of.extra;
  return params;
}

// These are one thing under two names.
static_assert(sizeof(cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS));
static_assert(sizeof(cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS));
static_assert(sizeof(cudaStreamAttrValue) == sizeof(CUstreamAttrValue));
const cudaMemsetParams* of_runtime(const CUDA_MEMSET_NODE_PARAMS* of) {
  return reinterpret_cast<const cudaMemsetParams*>(of);
}

}  // namespace

extern "C" {

GAUNTLET_IN_CONTEXT(cuStreamCreate, (CUstream * stream, unsigned flags),
                    cudaStreamCreateWithFlags(stream, flags))
GAUNTLET_IN_CONTEXT(cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority),
                    cudaStreamCreateWithPriority(stream, flags, priority))
GAUNTLET_WITHOUT_CONTEXT(cuStreamDestroy, (CUstream stream), cudaStreamDestroy(stream))
GAUNTLET_IN_CONTEXT(cuStreamSynchronize, (CUstream stream), cudaStreamSynchronize(stream))
GAUNTLET_WITHOUT_CONTEXT(cuStreamQuery, (CUstream stream), cudaStreamQuery(stream))
GAUNTLET_IN_CONTEXT(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
                    cudaStreamWaitEvent(stream, event, flags))
GAUNTLET_IN_CONTEXT(cuStreamAddCallback,
                    (CUstream stream, CUstreamCallback callback, void* data, unsigned flags),
                    cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback),
                                          data, flags))
GAUNTLET_IN_CONTEXT(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void* data),
                    cudaLaunchHostFunc(stream, function, data))
GAUNTLET_IN_CONTEXT(cuStreamGetFlags, (CUstream stream, unsigned* flags),
                    cudaStreamGetFlags(stream, flags))
GAUNTLET_IN_CONTEXT(cuStreamGetPriority, (CUstream stream, int* priority),
                    cudaStreamGetPriority(stream, priority))
GAUNTLET_IN_CONTEXT(cuStreamSetAttribute,
                    (CUstream stream, CUstreamAttrID id, const CUstreamAttrValue* value),
                    cudaStreamSetAttribute(stream, static_cast<cudaStreamAttrID>(id),
                                           reinterpret_cast<const cudaStreamAttrValue*>(value)))
GAUNTLET_IN_CONTEXT(cuStreamGetAttribute,
                    (CUstream stream, CUstreamAttrID id, CUstreamAttrValue* value),
                    cudaStreamGetAttribute(stream, static_cast<cudaStreamAttrID>(id),
                                           reinterpret_cast<cudaStreamAttrValue*>(value)))
GAUNTLET_IN_CONTEXT(cuStreamCopyAttributes, (CUstream to, CUstream from),
                    cudaStreamCopyAttributes(to, from))
GAUNTLET_IN_CONTEXT(cuStreamGetId, (CUstream stream, unsigned long long* id),
                    cudaStreamGetId(stream, id))
GAUNTLET_IN_CONTEXT(cuStreamGetDevice, (CUstream stream, CUdevice* device),
                    cudaStreamGetDevice(stream, device))
#undef cuStreamGetCtx
CUresult cuStreamGetCtx(CUstream, CUcontext* context) { return cuCtxGetCurrent(context); }
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}
GAUNTLET_IN_CONTEXT(cuStreamAttachMemAsync,
                    (CUstream stream, CUdeviceptr at, std::size_t bytes, unsigned flags),
                    cudaStreamAttachMemAsync(stream, pointer(at), bytes, flags))
GAUNTLET_IN_CONTEXT(cuStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode),
                    cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)))
GAUNTLET_IN_CONTEXT(cuStreamEndCapture, (CUstream stream, CUgraph* graph),
                    cudaStreamEndCapture(stream, graph))
GAUNTLET_IN_CONTEXT(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus* status),
                    cudaStreamIsCapturing(stream,
                                          reinterpret_cast<cudaStreamCaptureStatus*>(status)))
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return driver_entry("cuThreadExchangeStreamCaptureMode", [&] {
    return cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode));
  });
}

GAUNTLET_IN_CONTEXT(cuEventCreate, (CUevent * event, unsigned flags),
                    cudaEventCreateWithFlags(event, flags))
GAUNTLET_WITHOUT_CONTEXT(cuEventDestroy, (CUevent event), cudaEventDestroy(event))
GAUNTLET_WITHOUT_CONTEXT(cuEventRecord, (CUevent event, CUstream stream),
                         cudaEventRecord(event, stream))
GAUNTLET_IN_CONTEXT(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
                    cudaEventRecordWithFlags(event, stream, flags))
GAUNTLET_WITHOUT_CONTEXT(cuEventQuery, (CUevent event), cudaEventQuery(event))
GAUNTLET_IN_CONTEXT(cuEventSynchronize, (CUevent event), cudaEventSynchronize(event))
GAUNTLET_IN_CONTEXT(cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end),
                    cudaEventElapsedTime(milliseconds, start, end))

GAUNTLET_WITHOUT_CONTEXT(cuGraphCreate, (CUgraph * graph, unsigned flags),
                         cudaGraphCreate(graph, flags))
GAUNTLET_IN_CONTEXT(cuGraphDestroy, (CUgraph graph), cudaGraphDestroy(graph))
GAUNTLET_IN_CONTEXT(cuGraphClone, (CUgraph * clone, CUgraph graph), cudaGraphClone(clone, graph))
GAUNTLET_IN_CONTEXT(cuGraphAddEmptyNode,
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* behind,
                     std::size_t count),
                    cudaGraphAddEmptyNode(node, graph, behind, count))
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* behind,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS* of) {
  return in_context("cuGraphAddKernelNode", [&] {
    const cudaKernelNodeParams params = of_runtime(*of);
    return cudaGraphAddKernelNode(node, graph, behind, count, &params);
  });
}
GAUNTLET_IN_CONTEXT(cuGraphAddMemsetNode,
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* behind,
                     std::size_t count, const CUDA_MEMSET_NODE_PARAMS* of, CUcontext),
                    cudaGraphAddMemsetNode(node, graph, behind, count, of_runtime(of)))
GAUNTLET_IN_CONTEXT(cuGraphAddHostNode,
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* behind,
                     std::size_t count, const CUDA_HOST_NODE_PARAMS* of),
                    cudaGraphAddHostNode(node, graph, behind, count,
                                         reinterpret_cast<const cudaHostNodeParams*>(of)))
CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* behind,
                                std::size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* of) {
  return in_context("cuGraphAddMemAllocNode", [&] {
    cudaMemAllocNodeParams same{};
    const CUmemLocation at = of->poolProps.location;
    same.poolProps.location = {static_cast<cudaMemLocationType>(at.type), at.id};
    same.bytesize = of->bytesize;
    const cudaError_t error = cudaGraphAddMemAllocNode(node, graph, behind, count, &same);
    of->dptr = reinterpret_cast<CUdeviceptr>(same.dptr);
    return error;
  });
}
GAUNTLET_IN_CONTEXT(cuGraphAddMemFreeNode,
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* behind,
                     std::size_t count, CUdeviceptr at),
                    cudaGraphAddMemFreeNode(node, graph, behind, count, pointer(at)))
GAUNTLET_IN_CONTEXT(cuGraphAddChildGraphNode,
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* behind,
                     std::size_t count, CUgraph child),
                    cudaGraphAddChildGraphNode(node, graph, behind, count, child))
GAUNTLET_IN_CONTEXT(cuGraphDestroyNode, (CUgraphNode node), cudaGraphDestroyNode(node))
GAUNTLET_IN_CONTEXT(cuGraphGetNodes, (CUgraph graph, CUgraphNode* nodes, std::size_t* count),
                    cudaGraphGetNodes(graph, nodes, count))
GAUNTLET_IN_CONTEXT(cuGraphGetRootNodes, (CUgraph graph, CUgraphNode* nodes, std::size_t* count),
                    cudaGraphGetRootNodes(graph, nodes, count))
GAUNTLET_IN_CONTEXT(cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType* type),
                    cudaGraphNodeGetType(node, reinterpret_cast<cudaGraphNodeType*>(type)))
GAUNTLET_IN_CONTEXT(cuGraphInstantiateWithFlags,
                    (CUgraphExec * made, CUgraph graph, unsigned long long flags),
                    cudaGraphInstantiateWithFlags(made, graph, flags))
static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));
GAUNTLET_IN_CONTEXT(cuGraphInstantiateWithParams,
                    (CUgraphExec * made, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params),
                    cudaGraphInstantiateWithParams(
                        made, graph, reinterpret_cast<cudaGraphInstantiateParams*>(params)))
GAUNTLET_IN_CONTEXT(
    cuDeviceGetGraphMemAttribute, (CUdevice device, CUgraphMem_attribute which, void* value),
    cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(which), value))
GAUNTLET_IN_CONTEXT(
    cuDeviceSetGraphMemAttribute, (CUdevice device, CUgraphMem_attribute which, void* value),
    cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(which), value))
GAUNTLET_IN_CONTEXT(cuDeviceGraphMemTrim, (CUdevice device), cudaDeviceGraphMemTrim(device))
GAUNTLET_IN_CONTEXT(cuGraphUpload, (CUgraphExec graph, CUstream stream),
                    cudaGraphUpload(graph, stream))
GAUNTLET_IN_CONTEXT(cuGraphLaunch, (CUgraphExec graph, CUstream stream),
                    cudaGraphLaunch(graph, stream))
GAUNTLET_IN_CONTEXT(cuGraphExecDestroy, (CUgraphExec graph), cudaGraphExecDestroy(graph))

}  // extern "C"

}  // namespace gauntlet::runtime
