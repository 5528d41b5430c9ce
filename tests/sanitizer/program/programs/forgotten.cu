// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks what was found in it, and forgets a part of that: forgotten none|first|second.
#include <dlfcn.h>
#include <gauntlet/run.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

template <class F>
F* function(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

__global__ void first(int* out) { out[threadIdx.x + 32] = 0; }
__global__ void second(int* out) { out[threadIdx.x + 32] = 1; }

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  const auto mark = function<decltype(gauntlet_mark)>("gauntlet_mark");
  const auto since = function<decltype(gauntlet_findings_since)>("gauntlet_findings_since");
  const auto text = function<decltype(gauntlet_finding)>("gauntlet_finding");
  const auto forget = function<decltype(gauntlet_forget)>("gauntlet_forget");
  const auto begin = mark();
  std::printf("%zu before a call\n", since(begin));
  int* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(out, 0, 32 * sizeof(int));
  first<<<1, 32>>>(out);
  if (what == "first") forget(begin);
  const auto middle = mark();
  second<<<1, 32>>>(out);
  const std::size_t count = since(middle);
  std::printf("%zu, the first with its name: %d, behind the last: %d\n", count,
              std::strstr(text(0), "second(int*)") != nullptr, text(1) != nullptr);
  if (what == "second") forget(middle);
  const auto late = mark();
  std::printf("%zu of nothing\n", since(late));
  first<<<1, 32>>>(out);
  std::printf("%zu again, %zu in all\n", since(late), since(begin));
  cudaFree(out);
}
