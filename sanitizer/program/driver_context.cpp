// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: contexts. They say who may call; memory, streams and kernels are the
// device's, whatever context made them.
#include <algorithm>

#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

CUcontext handle(Context* context) { return reinterpret_cast<CUcontext>(context); }

/// Work on the contexts of the process, one thread at a time.
template <class F>
CUresult on_contexts(F&& work) {
  if (!contexts().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  const std::lock_guard lock(state().mutex);
  return work(contexts(), context_stack());
}

template <class F>
CUresult on_device(CUdevice device, F&& work) {
  return on_contexts([&](Contexts& all, std::vector<Context*>&) {
    return device == 0 ? work(all) : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult create(CUcontext* out, unsigned flags, CUdevice device) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    Context* const made = all.made.emplace_back(std::make_unique<Context>()).get();
    made->flags = flags;
    stack.push_back(made);
    *out = handle(made);
    return CUDA_SUCCESS;
  });
}

/// nullptr: the program made no such context, or destroyed it.
Context* live_one(const Contexts& all, CUcontext context) {
  for (const auto& one : all.made) {
    if (handle(one.get()) == context && one->live) return one.get();
  }
  return nullptr;
}

/// What is asked of a context, the current one where it is a null pointer.
template <class F>
CUresult of_context(CUcontext context, F&& ask) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    const auto* of = reinterpret_cast<Context*>(context);
    if (of == nullptr && !stack.empty()) of = stack.back();
    if (!all.knows(of)) return CUDA_ERROR_INVALID_CONTEXT;
    ask(of);
    return CUDA_SUCCESS;
  });
}

CUresult destroy(Context* context, std::vector<Context*>& stack) {
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  context->live = false;
  if (!stack.empty() && stack.back() == context) stack.pop_back();
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice device) {
  return create(out, flags, device);
}
CUresult cuCtxCreate_v3(CUcontext* out, CUexecAffinityParam*, int, unsigned flags,
                        CUdevice device) {
  return create(out, flags, device);
}
CUresult cuCtxCreate_v4(CUcontext* out, CUctxCreateParams*, unsigned flags, CUdevice device) {
  return create(out, flags, device);
}
CUresult cuCtxDestroy(CUcontext context) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    return destroy(live_one(all, context), stack);
  });
}
// Counts of old: what is created is attached once.
CUresult cuCtxAttach(CUcontext* out, unsigned flags) {
  return in_context("cuCtxAttach", [&] {
    if (out == nullptr || flags != 0) return cudaErrorInvalidValue;
    Context* const current = context_stack().back();
    ++current->attached;
    *out = handle(current);
    return cudaSuccess;
  });
}
CUresult cuCtxDetach(CUcontext context) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    Context* const of = live_one(all, context);
    return of != nullptr && of->attached-- > 1 ? CUDA_SUCCESS : destroy(of, stack);
  });
}
CUresult cuCtxPushCurrent(CUcontext context) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    auto* const pushed = reinterpret_cast<Context*>(context);
    if (!all.knows(pushed)) return CUDA_ERROR_INVALID_CONTEXT;
    stack.push_back(pushed);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  return on_contexts([&](Contexts&, std::vector<Context*>& stack) {
    if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = handle(stack.back());
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxSetCurrent(CUcontext context) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    auto* const current = reinterpret_cast<Context*>(context);
    if (current != nullptr && !all.knows(current)) return CUDA_ERROR_INVALID_CONTEXT;
    if (!stack.empty()) stack.pop_back();
    if (current != nullptr) stack.push_back(current);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  return on_contexts([&](Contexts&, std::vector<Context*>& stack) {
    *context = stack.empty() ? nullptr : handle(stack.back());
    return CUDA_SUCCESS;
  });
}
#undef cuCtxGetDevice
CUresult cuCtxGetDevice(CUdevice* device) {
  return in_context("cuCtxGetDevice", [&] { return give(device, 0); });
}
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  return of_context(context, [&](const Context*) { *device = 0; });
}
CUresult cuCtxGetFlags(unsigned* flags) {
  return in_context("cuCtxGetFlags", [&] { return give(flags, context_stack().back()->flags); });
}
CUresult cuCtxSetFlags(unsigned flags) {
  return in_context("cuCtxSetFlags", [&] {
    context_stack().back()->flags = flags;
    return cudaSuccess;
  });
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return of_context(context,
                    [&](const Context* of) { *id = reinterpret_cast<unsigned long long>(of); });
}
CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  return on_contexts([&](Contexts&, std::vector<Context*>&) {
    *version = 3020;  // what every driver says
    return CUDA_SUCCESS;
  });
}
#undef cuCtxSynchronize
GAUNTLET_IN_CONTEXT(cuCtxSynchronize, (), cudaDeviceSynchronize())
CUresult cuCtxSynchronize_v2(CUcontext context) {
  return context == nullptr
             ? cuCtxSynchronize()
             : driver_entry("cuCtxSynchronize", [] { return cudaDeviceSynchronize(); });
}
GAUNTLET_IN_CONTEXT(cuCtxResetPersistingL2Cache, (), cudaCtxResetPersistingL2Cache())
GAUNTLET_FORWARD(2, in_context, cuCtxSetLimit, cudaDeviceSetLimit)
GAUNTLET_FORWARD(2, in_context, cuCtxGetLimit, cudaDeviceGetLimit)
GAUNTLET_FORWARD(1, in_context, cuCtxSetCacheConfig, cudaDeviceSetCacheConfig)
GAUNTLET_FORWARD(1, in_context, cuCtxGetCacheConfig, cudaDeviceGetCacheConfig)
GAUNTLET_IN_CONTEXT(cuCtxSetSharedMemConfig, (CUsharedconfig config),
                    forward(cudaDeviceSetSharedMemConfig, config))
GAUNTLET_IN_CONTEXT(cuCtxGetSharedMemConfig, (CUsharedconfig * config),
                    forward(cudaDeviceGetSharedMemConfig, config))
GAUNTLET_FORWARD(2, in_context, cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange)
GAUNTLET_IN_CONTEXT(cuCtxEnablePeerAccess, (CUcontext, unsigned flags),
                    cudaDeviceEnablePeerAccess(0, flags))
GAUNTLET_IN_CONTEXT(cuCtxDisablePeerAccess, (CUcontext), cudaDeviceDisablePeerAccess(0))

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return on_device(device, [&](Contexts& all) {
    ++all.retained;
    all.primary.live = true;
    *context = handle(&all.primary);
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return on_device(device, [](Contexts& all) {
    if (all.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    --all.retained;
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return driver_entry("cuDevicePrimaryCtxReset",
                      [&] { return device == 0 ? cudaDeviceReset() : cudaErrorInvalidDevice; });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return on_device(device, [&](Contexts& all) {
    all.primary.flags = flags;
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return on_device(device, [&](Contexts& all) {
    *flags = all.primary.flags;
    *active = all.primary.live ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"

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
