// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver's interface (libcuda.so.1). Its entries are the runtime's under other names and with
// contexts: streams, events, memory and kernels are the same, and a program may mix both.
#pragma once

#include <cuda.h>
#include <driver_types.h>

#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

/// A context. All of a process share one device and its memory.
struct Context {
  unsigned flags = 0;
  bool live = true;
  unsigned attached = 1;  ///< cuCtxCreate's caller, and who called cuCtxAttach
};

/// The contexts of the process, and those that this thread has put on top of each other.
struct Contexts {
  bool initialised = false;  ///< by cuInit, or by a call of the runtime
  Context primary{0, false};
  unsigned retained = 0;  ///< how often the primary one is
  std::vector<std::unique_ptr<Context>> made;
  [[nodiscard]] bool knows(const Context* context) const;
};
[[nodiscard]] Contexts& contexts();
[[nodiscard]] std::vector<Context*>& context_stack();

/// The driver's code for what the runtime calls otherwise; most have one number in both.
[[nodiscard]] CUresult to_driver(cudaError_t error);

/// While it lives, findings of this thread are told under the name of a driver's entry, and the
/// runtime's last error is left as it is.
class DriverCall {
 public:
  /// `name` with or without the number of its version: "cuMemAlloc" of "cuMemAlloc_v2".
  explicit DriverCall(std::string_view name)
      : outer_(std::exchange(driver_call(), without_version(name))), error_(last_error()) {}
  ~DriverCall() {
    driver_call() = outer_;
    last_error() = error_;
  }
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

 private:
  static std::string_view without_version(std::string_view name) {
    if (name.empty() || name.back() < '0' || name.back() > '9') return name;
    const std::size_t last = name.rfind('_');
    const bool versioned = last != name.npos && name.substr(last).starts_with("_v");
    return versioned ? name.substr(0, last) : name;
  }
  std::string_view outer_;
  cudaError_t error_;
};

/// CUDA_SUCCESS where this thread has a current context that was not destroyed.
[[nodiscard]] CUresult check_context();

/// An entry that needs no context: what gives a handle back, or finds a context by it (measured
/// with driver 580 on an H200). `work` calls the runtime and returns what that does, or is one of
/// its entries, which gets the state.
template <class F>
CUresult driver_entry(std::string_view name, F&& work) {
  if (!contexts().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  const DriverCall call(name);
  if constexpr (std::is_invocable_v<F, State&>) {
    return to_driver(entry(work));
  } else {
    return to_driver(work());
  }
}

/// An entry that works in the current context.
template <class F>
CUresult in_context(std::string_view name, F&& work) {
  if (const CUresult wrong = check_context(); wrong != CUDA_SUCCESS) return wrong;
  return driver_entry(name, work);
}

/// Defines a driver's entry that is one of the runtime's; `name` is what cuda.h makes of it, such
/// as cuMemAlloc_v2 of cuMemAlloc.
#define GAUNTLET_IN_CONTEXT(name, parameters, work) \
  CUresult name parameters {                        \
    return in_context(#name, [&] { return work; }); \
  }

/// The same by the state `s`; `where`: in_context or driver_entry.
#define GAUNTLET_DRIVER(where, name, parameters, ...)                            \
  CUresult name parameters {                                                     \
    return where(#name, [&]([[maybe_unused]] State& s) { return __VA_ARGS__; }); \
  }

template <class F>
struct Parameters;
template <class R, class... P>
struct Parameters<R(P...)> {
  template <std::size_t k>
  using At = std::tuple_element_t<k, std::tuple<P...>>;
};

/// An argument of the driver's as the runtime's interface has it: handles, enums and structs of the
/// two have one layout; device pointers are numbers here and addresses there.
template <class To, class From>
To as_runtime(From from) {
  if constexpr (std::is_convertible_v<From, To> || std::is_enum_v<To>) {
    return static_cast<To>(from);
  } else if constexpr (std::is_class_v<To>) {
    return std::bit_cast<To>(from);
  } else {
    return reinterpret_cast<To>(from);
  }
}

/// Calls an entry of the runtime with the first ones of a driver's arguments; the others, contexts
/// and devices, say nothing here.
template <class... To, class... From>
cudaError_t forward(cudaError_t (*entry)(To...), From... from) {
  const std::tuple all(from...);
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    return entry(as_runtime<To>(std::get<k>(all))...);
  }
  (std::index_sequence_for<To...>());
}

/// Defines an entry of the driver, of `count` parameters, that is one of the runtime's with the
/// first ones of these; `where`: in_context or driver_entry.
#define GAUNTLET_FORWARD(count, where, name, of_runtime)                          \
  CUresult name(GAUNTLET_PARAMETERS_##count(name)) {                              \
    return where(#name, [&] { return forward(of_runtime, GAUNTLET_P_##count); }); \
  }
/// Defines several of them, cuNAME and cudaNAME each.
#define GAUNTLET_FORWARDS(count, where, ...) \
  GAUNTLET_REPEATED(GAUNTLET_FORWARDS_FROM(count, where, __VA_ARGS__))
#define GAUNTLET_FORWARDS_FROM(count, where, name, ...) \
  GAUNTLET_FORWARD(count, where, cu##name, cuda##name)  \
  __VA_OPT__(GAUNTLET_FORWARDS_NEXT GAUNTLET_NONE(count, where, __VA_ARGS__))
#define GAUNTLET_FORWARDS_NEXT() GAUNTLET_FORWARDS_FROM
#define GAUNTLET_NONE ()
#define GAUNTLET_REPEATED(...) GAUNTLET_FOUR(GAUNTLET_FOUR(GAUNTLET_FOUR(__VA_ARGS__)))
#define GAUNTLET_FOUR(...) GAUNTLET_ONCE(GAUNTLET_ONCE(GAUNTLET_ONCE(GAUNTLET_ONCE(__VA_ARGS__))))
#define GAUNTLET_ONCE(...) __VA_ARGS__
#define GAUNTLET_PARAMETER(name, k) Parameters<decltype(name)>::At<k> p##k
#define GAUNTLET_PARAMETERS_1(name) GAUNTLET_PARAMETER(name, 0)
#define GAUNTLET_PARAMETERS_2(name) GAUNTLET_PARAMETERS_1(name), GAUNTLET_PARAMETER(name, 1)
#define GAUNTLET_PARAMETERS_3(name) GAUNTLET_PARAMETERS_2(name), GAUNTLET_PARAMETER(name, 2)
#define GAUNTLET_PARAMETERS_4(name) GAUNTLET_PARAMETERS_3(name), GAUNTLET_PARAMETER(name, 3)
#define GAUNTLET_PARAMETERS_5(name) GAUNTLET_PARAMETERS_4(name), GAUNTLET_PARAMETER(name, 4)
#define GAUNTLET_PARAMETERS_6(name) GAUNTLET_PARAMETERS_5(name), GAUNTLET_PARAMETER(name, 5)
#define GAUNTLET_P_1 p0
#define GAUNTLET_P_2 GAUNTLET_P_1, p1
#define GAUNTLET_P_3 GAUNTLET_P_2, p2
#define GAUNTLET_P_4 GAUNTLET_P_3, p3
#define GAUNTLET_P_5 GAUNTLET_P_4, p4
#define GAUNTLET_P_6 GAUNTLET_P_5, p5

/// Device code that the program loads itself, by the runtime's libraries or the driver's modules:
/// as State::add_image. What cannot be run is told on standard error, and in `why`.
struct LoadedImage {
  cudaError_t error = cudaSuccess;
  LoadedModule* module = nullptr;
  std::string why = {};
};
[[nodiscard]] LoadedImage load_image(const void* image);
/// The same of a file.
[[nodiscard]] LoadedImage load_file(const char* path);

inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

/// What cuGetProcAddress finds: from which version on a name means which function.
struct EntryPoint {
  const char* name;
  int version;  ///< 3020 of CUDA 3.2
  void (*function)();
  void (*per_thread)();  ///< of a default stream per thread
};
[[nodiscard]] std::span<const EntryPoint> entry_points();

/// The newest that is not newer than `version`; `known`: there is one of that name.
[[nodiscard]] const EntryPoint* entry_point(std::string_view name, int version, bool& known);

// What a linker of device code is given, by the driver's interface (cuLink*) or by nvJitLink, as
// PTX.

struct LinkUnits {
  std::vector<std::string> units;  ///< texts of PTX
  std::string linked;              ///< one text, once they are linked
};

/// Adds PTX, the PTX of a fat binary, or PTX that stands where a program expects machine code
/// (sanitizer/program/tools). What has no PTX is told to the user, and refused.
cudaError_t add_unit(LinkUnits& to, CUjitInputType type, const void* data, std::size_t bytes);
cudaError_t add_unit_file(LinkUnits& to, CUjitInputType type, const char* path);

/// Sets `linked`. What does not fit together is told to the user.
cudaError_t link_units(LinkUnits& of);

}  // namespace gauntlet::runtime
