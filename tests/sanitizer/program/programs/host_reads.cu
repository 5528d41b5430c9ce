// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Undefined values that kernels store in memory that the host shares, and what the host does with
// them: one mistake by its name, or with `right` behind it what is just no mistake.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

#include "named.hpp"

namespace {

constexpr int n = 2048;
volatile int seen;

/// From element 64 on every second one is undefined.
__global__ void store(int* x) {
  __shared__ int unwritten[32];
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    x[k] = k >= 64 && k % 2 == 1 ? unwritten[k % 32] : k;
  }
}
__global__ void overwrite(int* x) {
  for (int k = threadIdx.x; k < n; k += blockDim.x) x[k] = k;
}

enum class Memory { managed, pinned, registered };
int* host = nullptr;
/// What the host calls them; kernels have stored into it, and it has been waited for.
int* stored(Memory memory = Memory::managed) {
  int* device = nullptr;
  if (memory == Memory::managed) {
    cudaMallocManaged(&host, n * sizeof(int));
    device = host;
  } else if (memory == Memory::pinned) {
    cudaHostAlloc(&host, n * sizeof(int), cudaHostAllocMapped);
    cudaHostGetDevicePointer(&device, host, 0);
  } else {
    host = static_cast<int*>(std::aligned_alloc(4096, n * sizeof(int)));
    cudaHostRegister(host, n * sizeof(int), cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&device, host, 0);
  }
  store<<<1, 64>>>(device);
  cudaDeviceSynchronize();
  return host;
}
/// Only what is right; and at the end nothing undefined is left.
void even_ones(int* x) {
  int sum = 0;
  for (int k = 0; k < n; k += 2) sum += x[k];
  seen = sum + (getppid() == 0);  // a system call, which ends nothing
}
void defined_now() {
  overwrite<<<1, 64>>>(host);
  cudaDeviceSynchronize();
}

void read_of(Memory memory) {
  int* const x = stored(memory);
  even_ones(x);
  seen = x[right ? 100 : 101];
  defined_now();
}
NAMED(reads_managed) { read_of(Memory::managed); }
NAMED(reads_pinned) { read_of(Memory::pinned); }
NAMED(reads_registered) { read_of(Memory::registered); }
NAMED(reads_beside_what_it_wrote) {
  int* const x = stored();
  x[101] = 1;
  seen = x[right ? 101 : 103];
  defined_now();
}
NAMED(reads_behind_a_fill) {
  int* const x = stored();
  std::memset(x, 0, right ? n * sizeof(int) : 256);
  for (int k = 0; k < n; k += 8) seen = x[k + 1];
  defined_now();
}
NAMED(reads_behind_a_kernel) {
  int* const x = stored();
  right ? overwrite<<<1, 64>>>(x) : store<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  seen = x[1001];
  defined_now();
}
NAMED(reads_behind_a_copy) {
  int* const x = stored();
  static int ones[n];
  cudaMemcpy(x, ones, right ? n * sizeof(int) : 400, cudaMemcpyDefault);
  seen = x[1001];
  defined_now();
}
NAMED(adds) {
  int* const x = stored();
  for (int k = 0; k < 128; ++k) {
    if (k < 64 || k % 2 == 0 || (k == 101 && !right)) ++x[k];
  }
  defined_now();
}
NAMED(copies_by_a_call) {
  int* const x = stored();
  static int some[n];
  cudaMemcpy(some, x, right ? 256 : 512, cudaMemcpyDefault);
  defined_now();
}
NAMED(copies_by_itself) {
  int* const x = stored();
  static int some[64];
  std::memcpy(some, right ? x : x + 8, 240);
  seen = some[3];
  defined_now();
}
NAMED(reads_a_pair) {
  struct alignas(8) Pair {
    int first, second;
  };
  int* const x = stored();
  static volatile long long both;
  Pair pair;
  std::memcpy(&pair, x + (right ? 20 : 200), sizeof pair);
  both = pair.first + pair.second;
  defined_now();
}
NAMED(reads_in_a_graph) {
  int* const x = stored();
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  store<<<1, 64, 0, stream>>>(x);
  cudaLaunchHostFunc(
      stream, [](void* at) { seen = static_cast<int*>(at)[right ? 100 : 101]; }, x);
  overwrite<<<1, 64, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  defined_now();
}
NAMED(passes_on) {
  int *const x = stored(), *y = nullptr, value = 0;
  cudaMalloc(&y, n * sizeof(int));
  if (right) std::memset(x, 0, n * sizeof(int));
  cudaMemcpy(y, x, n * sizeof(int), cudaMemcpyDefault);
  defined_now();
  cudaMemcpy(&value, y + 101, sizeof value, cudaMemcpyDefault);
  cudaMemset(y, 0, n * sizeof(int));
}

/// Right, with what is left told as a note.
NAMED(never_reads) { even_ones(stored()); }
/// System calls on such pages do what they do without.
NAMED(calls_the_system) {
  int* const x = stored();
  int ends[2];
  if (pipe(ends) != 0) return;
  std::printf("%d ", int(write(ends[1], x, 64)));
  std::printf("%d ", int(read(ends[0], x + 101, 64)));
  std::printf("%d ", x[103]);
  std::printf("%d ", std::system("exit 3") >> 8);
}
/// "NAME: right" where as much is told as is wrong: of loads of so many bytes from a defined word
/// on, which an undefined one follows; and behind stores from an undefined word on, of which each
/// second one is, of a read of the next one.
struct Instruction {
  const char* name;
  int bytes;
  void (*run)(int*);
};
#define LOADS(text) \
  [](int* at) { asm volatile(text : : "r"(at) : "rax", "xmm0", "xmm9", "memory"); }
const Instruction loads[] = {
    {"movb", 1, LOADS("movb (%0), %%al")},          {"movzbl", 1, LOADS("movzbl (%0), %%eax")},
    {"movswl", 2, LOADS("movswl (%0), %%eax")},     {"movl", 4, LOADS("movl (%0), %%eax")},
    {"movslq", 4, LOADS("movslq (%0), %%rax")},     {"movq", 8, LOADS("movq (%0), %%rax")},
    {"movss", 4, LOADS("movss (%0), %%xmm0")},      {"movsd", 8, LOADS("movsd (%0), %%xmm9")},
    {"mulss", 4, LOADS("mulss (%0), %%xmm9")},      {"addsd", 8, LOADS("addsd (%0), %%xmm0")},
    {"movups", 16, LOADS("movups (%0), %%xmm9")},   {"movdqu", 16, LOADS("movdqu (%0), %%xmm0")},
    {"movdqa", 16, LOADS("movdqa (%0), %%xmm0")},   {"paddd", 16, LOADS("paddd (%0), %%xmm9")},
    {"vmovss", 4, LOADS("vmovss (%0), %%xmm9")},    {"vmovups", 32, LOADS("vmovups (%0), %%ymm0")},
    {"vmovdqu", 32, LOADS("vmovdqu (%0), %%ymm9")}, {"prefetcht0", 0, LOADS("prefetcht0 (%0)")}};
const Instruction stores[] = {
    {"movl", 4, LOADS("movl $1, (%0)")},          {"movq", 8, LOADS("movq %%rax, (%0)")},
    {"movss", 4, LOADS("movss %%xmm9, (%0)")},    {"movlps", 8, LOADS("movlps %%xmm0, (%0)")},
    {"movups", 16, LOADS("movups %%xmm0, (%0)")}, {"vmovdqu", 32, LOADS("vmovdqu %%ymm9, (%0)")}};
const Instruction updates[] = {{"addl", 4, LOADS("addl $1, (%0)")},
                               {"orb", 1, LOADS("orb $1, (%0)")},
                               {"notl", 4, LOADS("notl (%0)")},
                               {"incq", 8, LOADS("incq (%0)")},
                               {"xadd", 4, LOADS("lock xaddl %%eax, (%0)")},
                               {"xchg", 4, LOADS("xchgl %%eax, (%0)")}};
NAMED(instructions) {
  int* const x = stored();
  using Mark = unsigned long long (*)();
  using Since = std::size_t (*)(unsigned long long);
  const auto mark = reinterpret_cast<Mark>(dlsym(RTLD_DEFAULT, "gauntlet_mark"));
  const auto since = reinterpret_cast<Since>(dlsym(RTLD_DEFAULT, "gauntlet_findings_since"));
  const auto told = [&](const Instruction& one, bool wrong, const auto& host) {
    store<<<1, 64>>>(x);
    cudaDeviceSynchronize();
    const auto begin = mark();
    host();
    std::printf("%s: %s\n", one.name, (since(begin) != 0) == wrong ? "right" : "wrong");
  };
  for (const Instruction& one : loads) told(one, one.bytes > 4, [&] { one.run(x + 100); });
  for (const Instruction& one : stores) {
    told(one, one.bytes <= 8, [&] {
      one.run(x + 101);
      seen = x[103];
    });
  }
  for (const Instruction& one : updates) told(one, true, [&] { one.run(x + 101); });
  for (const Instruction& one : updates) told(one, one.bytes > 4, [&] { one.run(x + 100); });
}
NAMED(several_threads) {
  int* const x = stored();
  std::thread([=] { x[101] = 7; }).join();
  std::thread reader([=] { seen = x[101]; });
  reader.join();
  std::printf("%d ", seen);
}

}  // namespace

int main(int count, char** arguments) {
  run_named(count, arguments);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
