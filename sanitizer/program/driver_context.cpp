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

constexpr cudaError_t invalid_context = cudaErrorDeviceUninitialized;  // by its number

/// Work on the contexts of the process, one thread at a time, whatever failed before.
template <class F>
CUresult on_contexts(F&& work) {
  if (!contexts().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  const std::lock_guard lock(state().mutex);
  try {
    work(contexts(), context_stack());
    return CUDA_SUCCESS;
  } catch (const Refusal& refusal) {
    return to_driver(refusal.error);
  }
}

template <class F>
CUresult on_device(CUdevice device, F&& work) {
  return on_contexts([&](Contexts& all, std::vector<Context*>&) {
    refuse_if(device != 0, cudaErrorInvalidDevice);
    work(all);
  });
}

CUresult create(CUcontext* out, unsigned flags, CUdevice device) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    refuse_if(out == nullptr);
    refuse_if(device != 0, cudaErrorInvalidDevice);
    Context* const made = all.made.emplace_back(std::make_unique<Context>()).get();
    made->flags = flags;
    stack.push_back(made);
    *out = handle(made);
  });
}

/// A call ends where the program made no such context, or destroyed it.
Context& live_one(const Contexts& all, CUcontext context) {
  for (const auto& one : all.made) {
    if (handle(one.get()) == context && one->live) return *one;
  }
  throw Refusal{invalid_context};
}

/// What is asked of a context, the current one where it is a null pointer.
template <class F>
CUresult of_context(CUcontext context, F&& ask) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    const auto* of = reinterpret_cast<Context*>(context);
    if (of == nullptr && !stack.empty()) of = stack.back();
    refuse_if(!all.knows(of), invalid_context);
    ask(of);
  });
}

void destroy(Context& context, std::vector<Context*>& stack) {
  context.live = false;
  if (!stack.empty() && stack.back() == &context) stack.pop_back();
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
  return on_contexts(
      [&](Contexts& all, std::vector<Context*>& stack) { destroy(live_one(all, context), stack); });
}
// Counts of old: what is created is attached once.
CUresult cuCtxAttach(CUcontext* out, unsigned flags) {
  return in_context("cuCtxAttach", [&](State&) {
    refuse_if(out == nullptr || flags != 0);
    Context* const current = context_stack().back();
    ++current->attached;
    *out = handle(current);
  });
}
CUresult cuCtxDetach(CUcontext context) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    Context& of = live_one(all, context);
    if (of.attached-- <= 1) destroy(of, stack);
  });
}
CUresult cuCtxPushCurrent(CUcontext context) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    auto* const pushed = reinterpret_cast<Context*>(context);
    refuse_if(!all.knows(pushed), invalid_context);
    stack.push_back(pushed);
  });
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  return on_contexts([&](Contexts&, std::vector<Context*>& stack) {
    refuse_if(stack.empty(), invalid_context);
    if (context != nullptr) *context = handle(stack.back());
    stack.pop_back();
  });
}
CUresult cuCtxSetCurrent(CUcontext context) {
  return on_contexts([&](Contexts& all, std::vector<Context*>& stack) {
    auto* const current = reinterpret_cast<Context*>(context);
    refuse_if(current != nullptr && !all.knows(current), invalid_context);
    if (!stack.empty()) stack.pop_back();
    if (current != nullptr) stack.push_back(current);
  });
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  return on_contexts([&](Contexts&, std::vector<Context*>& stack) {
    *context = stack.empty() ? nullptr : handle(stack.back());
  });
}
#undef cuCtxGetDevice
GAUNTLET_IN_CONTEXT(cuCtxGetDevice, (CUdevice * device), give(device, 0))
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  return of_context(context, [&](const Context*) { *device = 0; });
}
GAUNTLET_IN_CONTEXT(cuCtxGetFlags, (unsigned* flags), give(flags, context_stack().back()->flags))
CUresult cuCtxSetFlags(unsigned flags) {
  return in_context("cuCtxSetFlags", [&](State&) { context_stack().back()->flags = flags; });
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return of_context(context,
                    [&](const Context* of) { *id = reinterpret_cast<unsigned long long>(of); });
}
CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  return on_contexts([&](Contexts&, std::vector<Context*>&) {
    *version = 3020;  // what every driver says
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
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return on_device(device, [](Contexts& all) {
    refuse_if(all.retained == 0, invalid_context);
    --all.retained;
  });
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return driver_entry("cuDevicePrimaryCtxReset",
                      [&] { return device == 0 ? cudaDeviceReset() : cudaErrorInvalidDevice; });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return on_device(device, [&](Contexts& all) { all.primary.flags = flags; });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return on_device(device, [&](Contexts& all) {
    *flags = all.primary.flags;
    *active = all.primary.live ? 1 : 0;
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
