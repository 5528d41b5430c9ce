// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that launches twice, unless its second word is "idle", and dies at once or between the
// two launches, in the way that its first word names.
#include <unistd.h>

#include <cassert>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>

namespace {

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }

void say_and_leave(int) {
  static_cast<void>(write(1, "mine\n", 5));
  _exit(5);
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1];
  int* x = nullptr;
  cudaMalloc(&x, 64 * sizeof(int));
  if (way == "own_handler") std::signal(SIGABRT, say_and_leave);
  for (int k = 0; k < 2 && arguments[2] == nullptr; ++k) {
    fill<<<1, 64>>>(x);
    if (way == "terminated") std::raise(SIGTERM);
    if (way == "out_of_time") std::raise(SIGXCPU);
  }
  if (way == "assert") assert(x == nullptr);
  if (way == "terminate") std::terminate();
  if (way == "divide") std::raise(SIGFPE);
  if (way == "null") *reinterpret_cast<volatile int*>(16) = 1;
  if (way == "freed_twice") {
    char* volatile twice = static_cast<char*>(std::malloc(64));
    std::free(twice);
    std::free(twice);
  }
  if (way == "_exit") _exit(3);
  if (way == "_Exit") _Exit(3);
  if (way == "quick_exit") std::quick_exit(3);
  if (way == "copy_exits" && vfork() == 0) _exit(0);
  if (way == "copy_exits") return 3;
  if (way == "killed") std::raise(SIGKILL);
  std::abort();
}
