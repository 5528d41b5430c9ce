// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/driver.hpp"

#include <algorithm>

namespace gauntlet::runtime {

Contexts& contexts() {
  static auto* const all = new Contexts;  // exit handlers of the program may ask
  return *all;
}

std::vector<Context*>& context_stack() {
  thread_local auto* const stack = new std::vector<Context*>;
  return *stack;
}

bool Contexts::knows(const Context* context) const {
  if (context == &primary) return primary.live;
  return std::ranges::any_of(made,
                             [&](const auto& one) { return one.get() == context && one->live; });
}

CUresult check_context() {
  if (!contexts().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard lock(state().mutex);
  return contexts().knows(context_stack().back()) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

void runtime_called() {
  Contexts& all = contexts();
  all.initialised = true;
  std::vector<Context*>& stack = context_stack();
  if (!stack.empty() && all.knows(stack.back())) return;
  all.primary.live = true;
  stack.push_back(&all.primary);
}

CUresult to_driver(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidMemcpyDirection:
      return CUDA_ERROR_INVALID_VALUE;
    default:
      return static_cast<CUresult>(error);  // one number for both since CUDA 10.1
  }
}

const EntryPoint* entry_point(std::string_view name, int version, bool& known) {
  const EntryPoint* best = nullptr;
  known = false;
  for (const EntryPoint& one : entry_points()) {
    if (name != one.name) continue;
    known = true;
    if (one.version <= version && (best == nullptr || one.version > best->version)) best = &one;
  }
  return best;
}

}  // namespace gauntlet::runtime
