// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What languages with bindings of their own do to the driver: calls without a current context, as
// a collector of garbage makes them, and entries of old.
#include <cuda.h>
#include <cudaProfiler.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::string name_of(CUresult error) {
  const char* name = nullptr;
  cuGetErrorName(error, &name);
  return name == nullptr ? "?" : name;
}
void check(CUresult error, const char* call) {
  if (error == CUDA_SUCCESS) return;
  std::printf("%s: %s\n", call, name_of(error).c_str());
  std::exit(1);
}
#define CHECK(call) check(call, #call)
#define TELL(call) std::printf("%s: %s\n", #call, name_of(call).c_str())

CUcontext context;
CUmodule module;
CUfunction scale;

void without_context() {
  CUdeviceptr at, other, late;
  void *host, *more;
  CUevent event;
  CUstream stream;
  CHECK(cuMemAlloc(&at, 64));
  CHECK(cuMemAlloc(&other, 64));
  CHECK(cuMemAllocHost(&host, 64));
  CHECK(cuEventCreate(&event, CU_EVENT_DEFAULT));
  CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  CHECK(cuMemAllocAsync(&late, 64, stream));
  float values[16] = {};
  int count = 16;
  void* arguments[] = {&at, &count};
  CUdevice device;
  std::size_t free, total;
  CHECK(cuCtxPopCurrent(nullptr));
  TELL(cuMemcpyHtoDAsync(at, values, sizeof values, stream));
  TELL(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  TELL(cuEventRecord(event, stream));
  while (cuStreamQuery(stream) == CUDA_ERROR_NOT_READY) {
  }
  TELL(cuEventQuery(event));
  TELL(cuStreamQuery(stream));
  CUgraph graph;
  TELL(cuGraphCreate(&graph, 0));
  TELL(cuMemcpyHtoD(at, values, sizeof values));
  TELL(cuMemsetD8(at, 0, 4));
  TELL(cuMemAlloc(&other, 64));
  TELL(cuMemAllocHost(&more, 64));
  TELL(cuMemGetInfo(&free, &total));
  TELL(cuEventCreate(&event, CU_EVENT_DEFAULT));
  TELL(cuCtxGetDevice(&device));
  TELL(cuCtxSynchronize());
  TELL(cuProfilerStart());
  TELL(cuMemFreeAsync(late, stream));
  TELL(cuMemFree(at));
  TELL(cuMemFree(other));
  TELL(cuMemFreeHost(host));
  TELL(cuEventDestroy(event));
  TELL(cuStreamDestroy(stream));
  TELL(cuModuleUnload(module));
  CHECK(cuCtxPushCurrent(context));
  CHECK(cuGraphDestroy(graph));
}

void pool() {
  CUmemoryPool pool;
  cuuint64_t threshold = 1, used = 0, high = 0;
  int reuse = 0;
  CUdeviceptr at;
  CHECK(cuDeviceGetMemPool(&pool, 0));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse));
  std::printf("threshold %llu, reuse %d", static_cast<unsigned long long>(threshold), reuse);
  threshold = 1 << 20;
  CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  threshold = 0;
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  CHECK(cuMemAllocAsync(&at, 1000, nullptr));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  std::printf(", then %llu, used %llu", static_cast<unsigned long long>(threshold),
              static_cast<unsigned long long>(used));
  CHECK(cuMemFreeAsync(at, nullptr));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
  CUmemLocation here{};
  here.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool same;
  CHECK(cuMemGetMemPool(&same, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
  std::printf(", %s pool", same == pool ? "the same" : "another");
  CUmemAccess_flags access{};
  CHECK(cuMemPoolGetAccess(&access, pool, &here));
  std::printf(", then %llu of at most %llu, access %d\n", static_cast<unsigned long long>(used),
              static_cast<unsigned long long>(high), static_cast<int>(access));
}

void graph() {
  CUgraph graph;
  CUgraphExec made;
  CUstream stream;
  CUcontext current;
  CUgreenCtx green;
  CHECK(cuGraphCreate(&graph, 0));
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  params.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  CHECK(cuGraphInstantiateWithParams(&made, graph, &params));
  cuuint64_t used = 1;
  CHECK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  CHECK(cuDeviceGraphMemTrim(0));
  CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  CHECK(cuStreamGetCtx_v2(stream, &current, &green));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuGraphExecDestroy(made));
  CHECK(cuGraphDestroy(graph));
  std::printf("graph: %d, of %llu bytes, %s\n", static_cast<int>(params.result_out),
              static_cast<unsigned long long>(used),
              current == context && green == nullptr ? "in its context" : "in another");
}

void of_old() {
  CHECK(cuFuncSetBlockShape(scale, 32, 1, 1));
  TELL(cuFuncSetBlockShape(scale, 0, 1, 1));
  void* start = nullptr;
  CUdriverProcAddressQueryResult status;
  CHECK(cuGetProcAddress("cuProfilerStart", &start, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  std::printf("cuProfilerStart: %d\n", reinterpret_cast<CUresult (*)()>(start)());
  void* const same = dlopen("libcuda.so", RTLD_NOW);
  std::printf("libcuda.so: %s\n",
              same != nullptr && dlsym(same, "cuInit") == reinterpret_cast<void*>(&cuInit)
                  ? "the same"
                  : "another");
  CUcontext attached;
  CHECK(cuCtxAttach(&attached, 0));
  CHECK(cuCtxDetach(attached));
  CHECK(cuCtxSynchronize());
  CHECK(cuCtxDetach(context));
  TELL(cuCtxSynchronize());
  TELL(cuCtxDetach(context));
}

}  // namespace

int main(int, char** argv) {
  const std::string own = argv[0];
  std::ifstream file(own.substr(0, own.rfind('/') + 1) + "driver_kernels.ptx");
  const std::string ptx{std::istreambuf_iterator<char>(file), {}};
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  CHECK(cuModuleLoadData(&module, ptx.c_str()));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  pool();
  graph();
  without_context();
  CHECK(cuModuleLoadData(&module, ptx.c_str()));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  of_old();
}
