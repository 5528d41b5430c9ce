// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: nodes that allocate, free, or depend on a condition, and nodes of any
// type by one call.
#include <fmt/format.h>

#include <memory>

#include "sanitizer/program/graph_calls.hpp"

namespace gauntlet::runtime {
namespace {

/// With empty bodies.
cudaError_t add_conditional(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind,
                            std::size_t count, cudaConditionalNodeParams& params) {
  const cudaError_t error = add_node(out, graph, behind, count, [&](State& s, Work& work) {
    const bool fits = params.type == cudaGraphCondTypeWhile ? params.size == 1
                      : params.type == cudaGraphCondTypeIf  ? params.size == 1 || params.size == 2
                                                            : params.size != 0;
    if (!fits || !s.conditions.contains(params.handle)) return cudaErrorInvalidValue;
    work.call = "cudaGraphAddNode";
    work.type = cudaGraphNodeTypeConditional;
    return cudaSuccess;
  });
  if (error != cudaSuccess) return error;
  return entry([&](State& s) {
    GraphNode& node = node_of(*out);
    node.kind = params.type;
    node.condition = params.handle;
    for (unsigned k = 0; k < params.size; ++k) {
      node.bodies.push_back(std::make_shared<Graph>());
      node.body_handles.push_back(reinterpret_cast<cudaGraph_t>(node.bodies.back().get()));
      s.graphs[node.bodies.back().get()] = node.bodies.back();
    }
    params.phGraph_out = node.body_handles.data();
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                     const cudaGraphNode_t* behind, std::size_t count,
                                     cudaMemAllocNodeParams* params) {
  return add_node(out, graph, behind, count, [&](State& s, Work& work) {
    if (params->bytesize == 0) return cudaErrorInvalidValue;
    const cudaMemLocation at = params->poolProps.location;
    if (at.type != cudaMemLocationTypeDevice) {
      return s.refuse("calls cudaGraphAddMemAllocNode for memory that is not the device's");
    }
    if (at.id != 0) return cudaErrorInvalidDevice;
    work = allocating(s, "cudaGraphAddMemAllocNode", params->bytesize);
    params->dptr = reinterpret_cast<void*>(work.allocates);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                    const cudaGraphNode_t* behind, std::size_t count, void* at) {
  return add_node(out, graph, behind, count, [&](State& s, Work& work) {
    const auto address = reinterpret_cast<Address>(at);
    if (s.heap.find(address) == nullptr) return cudaErrorInvalidValue;
    work = freeing("cudaGraphAddMemFreeNode", address);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* out, cudaGraph_t graph,
                                             unsigned first, unsigned flags) {
  return on_graph(graph, [&](State& s, Graph& of) {
    if (out == nullptr || flags > cudaGraphCondAssignDefault) return cudaErrorInvalidValue;
    static std::uint64_t number = 0;
    *out = ++number;
    s.conditions[number] = {first, {}};
    if (flags == cudaGraphCondAssignDefault) s.conditions[number].first = first;
    of.conditions.push_back(number);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* p) {
  if (out == nullptr || p == nullptr) return cudaErrorInvalidValue;
  switch (p->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& k = p->kernel;
      const cudaKernelNodeParams same{k.func,           k.gridDim,      k.blockDim,
                                      k.sharedMemBytes, k.kernelParams, k.extra};
      return cudaGraphAddKernelNode(out, graph, behind, count, &same);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(out, graph, behind, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2& m = p->memset;
      const cudaMemsetParams same{m.dst, m.pitch, m.value, m.elementSize, m.width, m.height};
      return cudaGraphAddMemsetNode(out, graph, behind, count, &same);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams same{p->host.fn, p->host.userData};
      return cudaGraphAddHostNode(out, graph, behind, count, &same);
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(out, graph, behind, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(out, graph, behind, count);
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams same{};
      same.poolProps = p->alloc.poolProps;
      same.bytesize = p->alloc.bytesize;
      const cudaError_t error = cudaGraphAddMemAllocNode(out, graph, behind, count, &same);
      p->alloc.dptr = same.dptr;
      return error;
    }
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(out, graph, behind, count, p->free.dptr);
    case cudaGraphNodeTypeConditional:
      return add_conditional(out, graph, behind, count, p->conditional);
    default:
      return entry([&](State& s) {
        return s.refuse(
            fmt::format("calls cudaGraphAddNode for a node of type {}", static_cast<int>(p->type)));
      });
  }
}

}  // extern "C"

}  // namespace gauntlet::runtime
