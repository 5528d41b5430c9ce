// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program of the driver's interface alone: contexts, modules, memory, streams, events, launches.
// With an argument: one mistake, or one part, of that name.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "named.hpp"

namespace {

std::string folder;

void check(CUresult error, const char* call) {
  if (error == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(error, &name);
  std::printf("%s: %s\n", call, name);
  std::exit(1);
}
#define CHECK(call) check(call, #call)

void tell(const char* what, CUresult error) {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(error, &name);
  cuGetErrorString(error, &text);
  std::printf("%s: %s, %s\n", what, name, text);
}

std::vector<char> content(const std::string& name) {
  std::FILE* const file = std::fopen((folder + name).c_str(), "rb");
  std::vector<char> bytes(1 << 20);
  if (file == nullptr) std::exit(3);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size() - 1, file) + 1);
  std::fclose(file);
  return bytes;  // with a zero behind the last
}

constexpr int n = 200;

CUmodule load() {
  CUmodule module;
  CHECK(cuModuleLoadData(&module, content("driver_kernels.ptx").data()));
  return module;
}
CUfunction kernel(CUmodule module, const char* name) {
  CUfunction function;
  CHECK(cuModuleGetFunction(&function, module, name));
  return function;
}
CUdeviceptr numbers() {
  std::vector<int> host(n);
  for (int k = 0; k < n; ++k) host[k] = k;
  CUdeviceptr device;
  CHECK(cuMemAlloc(&device, n * sizeof(int)));
  CHECK(cuMemcpyHtoD(device, host.data(), n * sizeof(int)));
  return device;
}
void add_up(CUmodule module, const char* name) {
  CUdeviceptr values = numbers();
  int count = n;
  void* arguments[] = {&values, &count};
  CHECK(cuLaunchKernel(kernel(module, name), 1, 1, 1, 256, 1, 1, 256 * sizeof(int), nullptr,
                       arguments, nullptr));
  CUdeviceptr total;
  std::size_t bytes = 0;
  CHECK(cuModuleGetGlobal(&total, &bytes, module, "total"));
  int sum = 0;
  CHECK(cuMemcpyDtoH(&sum, total, sizeof sum));
  std::printf("%s: %d, a variable of %zu bytes\n", name, sum, bytes);
  CHECK(cuMemFree(values));
}

void device() {
  int count = 0, version = 0, warp = 0;
  CUdevice device;
  char name[64];
  std::size_t bytes = 0;
  CHECK(cuDriverGetVersion(&version));
  CHECK(cuDeviceGetCount(&count));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGetName(name, sizeof name, device));
  CHECK(cuDeviceTotalMem(&bytes, device));
  CHECK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  std::printf("device: warps of %d, %s\n", warp,
              count > 0 && version >= 12000 && bytes > 0 && *name != '\0' ? "complete" : "wrong");
  tell("device 1000", cuDeviceGet(&device, 1000));
}

void contexts() {
  CUcontext first, second, current;
  CHECK(cuCtxGetCurrent(&first));
  CHECK(cuCtxPopCurrent(&second));
  std::printf("contexts: %s", first == second ? "popped" : "wrong");
  CHECK(cuCtxGetCurrent(&current));
  CUdeviceptr at;
  tell(current == nullptr ? ", none left" : ", one left", cuMemAlloc(&at, 4));
  CHECK(cuCtxPushCurrent(first));
  CHECK(cuDevicePrimaryCtxRetain(&second, 0));
  CHECK(cuCtxSetCurrent(second));
  CUdevice device = -1;
  CHECK(cuCtxGetDevice(&device));
  std::printf("primary: %s, device %d\n", first != second ? "another" : "the same", device);
  CHECK(cuCtxSetCurrent(first));
  CHECK(cuDevicePrimaryCtxRelease(0));
}

void modules() {
  CUmodule module = load();
  add_up(module, "add_up");
  CUfunction none;
  tell("no such kernel", cuModuleGetFunction(&none, module, "nothing"));
  CHECK(cuModuleUnload(module));
  // A fat binary, and its kernel with arguments in one buffer.
  CHECK(cuModuleLoadData(&module, content("driver_kernels.fatbin").data()));
  float host[4] = {1, 2, 3, 4};
  CUdeviceptr values;
  CHECK(cuMemAlloc(&values, sizeof host));
  CHECK(cuMemcpyHtoD(values, host, sizeof host));
  char buffer[12];
  const int count = 3;
  std::memcpy(buffer, &values, 8);
  std::memcpy(buffer + 8, &count, 4);
  std::size_t bytes = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CUfunction scale = kernel(module, "scale");
  CHECK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(host, values, sizeof host));
  std::printf("scaled: %g %g %g %g\n", host[0], host[1], host[2], host[3]);
  tell("a block of 2048", cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, nullptr, nullptr, extra));
  int threads = 0, blocks = 0;
  CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
  CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 1024, 0));
  std::printf("kernel: %d threads, %d blocks of 1024\n", threads, blocks);
  CHECK(cuMemFree(values));
  CHECK(cuModuleUnload(module));
}

void libraries() {
  CUlibrary library;
  CUkernel found;
  CHECK(cuLibraryLoadData(&library, content("driver_kernels.ptx").data(), nullptr, nullptr, 0,
                          nullptr, nullptr, 0));
  CHECK(cuLibraryGetKernel(&found, library, "add_up"));
  unsigned count = 0;
  CHECK(cuLibraryGetKernelCount(&count, library));
  CUdeviceptr values = numbers();
  int cells = n;
  void* arguments[] = {&values, &cells};
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 256;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = 1024;
  CHECK(cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(found), arguments, nullptr));
  CUdeviceptr total;
  int sum = 0;
  CHECK(cuLibraryGetGlobal(&total, nullptr, library, "total"));
  CHECK(cuMemcpyDtoH(&sum, total, sizeof sum));
  std::printf("library: %u kernels, sum %d\n", count, sum);
  CHECK(cuMemFree(values));
  CHECK(cuLibraryUnload(library));
}

void linker() {
  const char* const caller =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
      ".visible .entry call_it(.param .u64 out)\n{\n"
      " .reg .b32 %r<2>; .reg .b64 %d<2>; .param .b32 a; .param .b32 b;\n"
      " ld.param.u64 %d0, [out]; cvta.to.global.u64 %d1, %d0; mov.b32 %r0, 21;\n"
      " st.param.b32 [a], %r0; call (b), twice, (a); ld.param.b32 %r1, [b];\n"
      " st.global.b32 [%d1], %r1; ret;\n}\n";
  const char* const callee =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n"
      " .reg .b32 %r<2>;\n ld.param.b32 %r0, [x]; add.s32 %r1, %r0, %r0;\n"
      " st.param.b32 [r], %r1; ret;\n}\n";
  CUlinkState state;
  CHECK(cuLinkCreate(0, nullptr, nullptr, &state));
  for (const char* const text : {caller, callee}) {
    CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text), std::strlen(text) + 1,
                        "unit", 0, nullptr, nullptr));
  }
  void* image = nullptr;
  std::size_t bytes = 0;
  CHECK(cuLinkComplete(state, &image, &bytes));
  CUmodule module;
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuLinkDestroy(state));
  CUdeviceptr out;
  CHECK(cuMemAlloc(&out, 4));
  void* arguments[] = {&out};
  CHECK(
      cuLaunchKernel(kernel(module, "call_it"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  int value = 0;
  CHECK(cuMemcpyDtoH(&value, out, 4));
  std::printf("linked: %d\n", value);
  CHECK(cuMemFree(out));
  CHECK(cuModuleUnload(module));
}

void memory() {
  CUdeviceptr at, base;
  std::size_t pitch = 0, bytes = 0;
  CHECK(cuMemAllocPitch(&at, &pitch, 12, 3, 4));
  CHECK(cuMemsetD2D32(at, pitch, 0x01020304, 3, 3));
  CHECK(cuMemsetD16(at + pitch, 0x0506, 6));
  CHECK(cuMemsetD8(at + 2 * pitch + 1, 9, 2));
  int rows[3][3];
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = at;
  copy.srcPitch = pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = rows;
  copy.dstPitch = sizeof rows[0];
  copy.WidthInBytes = sizeof rows[0];
  copy.Height = 3;
  CHECK(cuMemcpy2D(&copy));
  std::printf("rows: %08x %08x %08x\n", rows[0][2], rows[1][0], rows[2][0]);
  CHECK(cuMemGetAddressRange(&base, &bytes, at + 5));
  unsigned type = 0, managed = 7;
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
  CHECK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, at));
  std::printf("range: %s, of type %u, managed %u\n", base == at ? "found" : "wrong", type, managed);
  tell("a host pointer", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                               reinterpret_cast<CUdeviceptr>(&type)));
  tell("no bytes", cuMemAlloc(&base, 0));
  CHECK(cuMemFree(at));
  CHECK(cuMemAllocManaged(&at, 8, CU_MEM_ATTACH_GLOBAL));
  CHECK(cuMemsetD32(at, 11, 2));
  CHECK(cuCtxSynchronize());
  std::printf("managed: %d\n", reinterpret_cast<int*>(at)[1]);
  CHECK(cuMemFree(at));
}

void streams() {
  CUstream stream;
  CUevent before, behind;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuEventCreate(&before, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&behind, CU_EVENT_DEFAULT));
  CUdeviceptr at;
  int* host = nullptr;
  CHECK(cuMemAlloc(&at, 4 * n));
  CHECK(cuMemAllocHost(reinterpret_cast<void**>(&host), 4 * n));
  CHECK(cuEventRecord(before, stream));
  CHECK(cuMemsetD32Async(at, 3, n, stream));
  CHECK(cuMemcpyDtoHAsync(host, at, 4 * n, stream));
  CHECK(cuEventRecord(behind, stream));
  CHECK(cuEventSynchronize(behind));
  float milliseconds = -1;
  CHECK(cuEventElapsedTime(&milliseconds, before, behind));
  std::printf("stream: %d, %s\n", host[n - 1], milliseconds >= 0 ? "timed" : "wrong");
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemFree(at));
  CHECK(cuMemFreeHost(host));
  CHECK(cuEventDestroy(before));
  CHECK(cuEventDestroy(behind));
  CHECK(cuStreamDestroy(stream));
}

void entry_points() {
  CUresult (*allocate)(CUdeviceptr*, std::size_t) = nullptr;
  CUdriverProcAddressQueryResult status;
  CHECK(cuGetProcAddress("cuMemAlloc", reinterpret_cast<void**>(&allocate), 12000,
                         CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CUdeviceptr at = 0;
  CHECK(allocate(&at, 16));
  std::printf("entry point: %d", static_cast<int>(status));
  CHECK(cuMemFree(at));
  void* none = &at;
  tell("", cuGetProcAddress("cuNothing", &none, 12000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
  std::printf("%s\n", none == nullptr ? "none" : "an address");
}

// Mistakes.
NAMED(race) { add_up(load(), "add_up_without_barrier"); }
NAMED(copy_after_free) {
  CUdeviceptr at = numbers();
  int value = 0;
  CHECK(cuMemFree(at));
  tell("copied", cuMemcpyDtoH(&value, at, 4));
}
NAMED(copy_beyond) {
  std::vector<int> host(n + 1);
  CHECK(cuMemcpyHtoD(numbers(), host.data(), 4 * n));
  tell("copied", cuMemcpyHtoD(numbers(), host.data(), 4 * n + 4));
}
NAMED(overlapping_copy) {
  const CUdeviceptr at = numbers();
  CHECK(cuMemcpyDtoD(at + 400, at, 400));
  tell("copied", cuMemcpyDtoD(at + 396, at, 400));
}
NAMED(overlapping_rows) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = copy.dstDevice = numbers();
  copy.srcPitch = copy.dstPitch = 80;
  copy.WidthInBytes = 40;
  copy.Height = 5;
  copy.dstXInBytes = 40;
  CHECK(cuMemcpy2D(&copy));
  copy.dstXInBytes = 0;
  copy.dstY = 4;
  tell("copied", cuMemcpy2D(&copy));
}
NAMED(fill_beyond) { tell("filled", cuMemsetD32(numbers(), 1, n + 1)); }
NAMED(double_free) {
  CUdeviceptr at = numbers();
  CHECK(cuMemFree(at));
  tell("freed", cuMemFree(at));
}
NAMED(after_unload) {
  CUmodule module = load();
  CUdeviceptr total;
  int value = 0;
  CHECK(cuModuleGetGlobal(&total, nullptr, module, "total"));
  CHECK(cuMemcpyDtoH(&value, total, 4));
  CHECK(cuModuleUnload(module));
  tell("copied", cuMemcpyDtoH(&value, total, 4));
}
NAMED(missing) { tell("destroyed", cuMipmappedArrayDestroy(nullptr)); }
NAMED(machine_code) {
  CUmodule module;
  tell("loaded", cuModuleLoadData(&module,
                                  "\x7f"
                                  "ELF and more"));
}
NAMED(no_ptx) {
  CUmodule module;
  char log[200] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const CUresult error = cuModuleLoadDataEx(
      &module, ".version 7.0\n.target sm_75\n.address_size 64\n.nonsense\n", 2, options, values);
  tell("loaded", error);
  std::printf("%s\n", *log != '\0' ? "with a log" : "without");
}

}  // namespace

int main(int count, char** arguments) {
  folder = arguments[0];
  folder.resize(folder.rfind('/') + 1);
  int devices = 0;
  if (count == 1) tell("before cuInit", cuDeviceGetCount(&devices));
  CHECK(cuInit(0));
  CUdevice gpu;
  CUcontext context;
  CHECK(cuDeviceGet(&gpu, 0));
  CHECK(cuCtxCreate(&context, nullptr, 0, gpu));
  for (void (*const part)() :
       {device, contexts, modules, libraries, linker, memory, streams, entry_points}) {
    if (count == 1) part();
  }
  run_named(count, arguments);
  CHECK(cuCtxDestroy(context));
}
