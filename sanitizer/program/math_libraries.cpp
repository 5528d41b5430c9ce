// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The entries of the mathematical libraries that do something; LIBRARY.txt says which they are, and
// which names stand for one of them. Any other is named as what is not supported.
#include "sanitizer/program/math_libraries.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

std::optional<MathStatus> math_status(std::string_view entry) {
  constexpr std::array<std::pair<std::string_view, MathStatus>, 6> all{
      {{"cublas", cublas_status},
       {"curand", curand_status},
       {"cufft", cufft_status},
       {"cusolver", cusolver_status},
       {"pegasus", cusolver_status},
       {"cusparse", cusparse_status}}};
  for (const auto& [library, status] : all) {
    if (entry.starts_with(library)) return status;
  }
  return std::nullopt;
}

MathHandles<MathSettings>& math_handles() {
  static auto* const all = new MathHandles<MathSettings>;  // exit handlers of the program may ask
  return *all;
}

namespace {

/// As the library's own would do, a handle makes the device's context current.
void library_called() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  runtime_called();
}

/// Handles are addresses, and those of cuFFT, its plans, numbers.
template <class H>
int create_handle(MathStatus status, H* out) {
  library_called();
  if (out == nullptr) return status.invalid;
  if constexpr (std::is_pointer_v<H>) {
    *out = State::new_handle();
    math_handles().add(number_of(*out));
  } else {
    *out = static_cast<H>(math_handles().add_number());
  }
  return 0;
}
template <class H>
int destroy_handle(MathStatus status, H handle) {
  return math_handles().drop(number_of(handle)) ? 0 : status.no_handle;
}
template <class H>
int configure_handle(MathStatus status, H handle) {
  return math_handles().knows(number_of(handle)) ? 0 : status.no_handle;
}

struct Version {
  int major, minor, patch;
};
/// Of the stand-in that the program loaded: CUDA 13.0's, or that of the last CUDA 12, whose name
/// has another number.
Version version(const char* name13, Version cuda13, Version cuda12) {
  void* const loaded = dlopen(name13, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == nullptr) return cuda12;
  dlclose(loaded);
  return cuda13;
}
Version cublas_version() {
  for (const char* const name : {"libcublas.so.13", "libcublasLt.so.13"}) {
    const Version found = version(name, {13, 1, 0}, {12, 9, 1});
    if (found.major == 13) return found;
  }
  return {12, 9, 1};
}
Version cufft_version() { return version("libcufft.so.12", {12, 0, 0}, {11, 4, 1}); }
Version cusolver_version() { return version("libcusolver.so.12", {12, 0, 4}, {11, 7, 5}); }
constexpr Version curand_version{10, 4, 0}, cusparse_version{12, 6, 3};

int version_number(Version v, int major = 1000) {
  return v.major * major + v.minor * 100 + v.patch;
}

/// libraryPropertyType: the major number, the minor one, the patch level.
int put_property(MathStatus status, Version v, int wanted, int* value) {
  if (value == nullptr || wanted < 0 || wanted > 2) return status.invalid;
  *value = wanted == 0 ? v.major : wanted == 1 ? v.minor : v.patch;
  return 0;
}

int put_version(MathStatus status, int value, int* to) {
  if (to == nullptr) return status.invalid;
  *to = value;
  return 0;
}

/// Of a status: success, no such handle, invalid, not supported, or any other.
const char* text_of(MathStatus of, int status, std::array<const char*, 5> texts) {
  const int known[] = {0, of.no_handle, of.invalid, of.not_supported};
  return texts[static_cast<std::size_t>(std::ranges::find(known, status) - known)];
}

/// A plan of a transform needs no memory here.
int make_plan(int handle, std::size_t* work_bytes) {
  if (work_bytes != nullptr) *work_bytes = 0;
  return configure_handle(cufft_status, handle);
}

}  // namespace

extern "C" {

#define GAUNTLET_HANDLES(library, H)                                                   \
  int library##_create(H* out) { return create_handle(library##_status, out); }        \
  int library##_destroy(H handle) { return destroy_handle(library##_status, handle); } \
  int library##_configure(H handle) { return configure_handle(library##_status, handle); }
GAUNTLET_HANDLES(cublas, void*)
GAUNTLET_HANDLES(curand, void*)
GAUNTLET_HANDLES(cufft, int)
GAUNTLET_HANDLES(cusolver, void*)
GAUNTLET_HANDLES(cusparse, void*)
#undef GAUNTLET_HANDLES
int cublas_nothing() { return 0; }
int cusparse_nothing() { return 0; }

#define GAUNTLET_SETTING(library, set, get, type, otherwise)                                    \
  int set(void* handle, type value) { return set_math(library##_status, handle, #set, value); } \
  int get(void* handle, type* value) {                                                          \
    return get_math<type>(library##_status, handle, #set, otherwise, value);                    \
  }
GAUNTLET_SETTING(cublas, cublasSetStream_v2, cublasGetStream_v2, void*, nullptr)
GAUNTLET_SETTING(cublas, cublasSetPointerMode_v2, cublasGetPointerMode_v2, int, 0)
GAUNTLET_SETTING(cublas, cublasSetAtomicsMode, cublasGetAtomicsMode, int, 0)
GAUNTLET_SETTING(cublas, cublasSetMathMode, cublasGetMathMode, int, 0)
GAUNTLET_SETTING(cublas, cublasSetSmCountTarget, cublasGetSmCountTarget, int, 0)
GAUNTLET_SETTING(cublas, cublasSetEmulationStrategy, cublasGetEmulationStrategy, int, 0)
GAUNTLET_SETTING(cusolver, cusolverDnSetStream, cusolverDnGetStream, void*, nullptr)
GAUNTLET_SETTING(cusolver, cusolverSpSetStream, cusolverSpGetStream, void*, nullptr)
GAUNTLET_SETTING(cusolver, cusolverDnSetDeterministicMode, cusolverDnGetDeterministicMode, int, 1)
GAUNTLET_SETTING(cusolver, cusolverDnSetMathMode, cusolverDnGetMathMode, int, 1)
GAUNTLET_SETTING(cusolver, cusolverDnSetEmulationStrategy, cusolverDnGetEmulationStrategy, int, 0)
GAUNTLET_SETTING(cusparse, cusparseSetStream, cusparseGetStream, void*, nullptr)
GAUNTLET_SETTING(cusparse, cusparseSetPointerMode, cusparseGetPointerMode, int, 0)
#undef GAUNTLET_SETTING

// Of a description of a matrix; asked, it returns the value itself.
#define GAUNTLET_OF_MATRIX(name)                                                         \
  int cusparseSetMat##name(void* of, int value) {                                        \
    return set_math(cusparse_status, of, "cusparseSetMat" #name, value);                 \
  }                                                                                      \
  int cusparseGetMat##name(void* of) {                                                   \
    int value = 0;                                                                       \
    static_cast<void>(get_math(cusparse_status, of, "cusparseSetMat" #name, 0, &value)); \
    return value;                                                                        \
  }
GAUNTLET_OF_MATRIX(Type)
GAUNTLET_OF_MATRIX(FillMode)
GAUNTLET_OF_MATRIX(DiagType)
GAUNTLET_OF_MATRIX(IndexBase)
#undef GAUNTLET_OF_MATRIX

int cufftGetSize(int handle, std::size_t* bytes) { return make_plan(handle, bytes); }
int cufftMakePlan1d(int handle, int, int, int, std::size_t* bytes) {
  return make_plan(handle, bytes);
}
int cufftMakePlan2d(int handle, int, int, int, std::size_t* bytes) {
  return make_plan(handle, bytes);
}
int cufftMakePlan3d(int handle, int, int, int, int, std::size_t* bytes) {
  return make_plan(handle, bytes);
}
int cufftMakePlanMany(int handle, int, int*, int*, int, int, int*, int, int, int, int,
                      std::size_t* bytes) {
  return make_plan(handle, bytes);
}
int cufftMakePlanMany64(int handle, int, long long*, long long*, long long, long long, long long*,
                        long long, long long, int, long long, std::size_t* bytes) {
  return make_plan(handle, bytes);
}
int cufftXtMakePlanMany(int handle, int, long long*, long long*, long long, long long, int,
                        long long*, long long, long long, int, long long, std::size_t* bytes, int) {
  return make_plan(handle, bytes);
}

#define GAUNTLET_VERSION(library, version, major)                             \
  int library##GetVersion(int* to) {                                          \
    return put_version(library##_status, version_number(version, major), to); \
  }                                                                           \
  GAUNTLET_PROPERTY(library, version)
#define GAUNTLET_PROPERTY(library, version)                        \
  int library##GetProperty(int wanted, int* value) {               \
    return put_property(library##_status, version, wanted, value); \
  }
GAUNTLET_VERSION(cublas, cublas_version(), 10000)
GAUNTLET_VERSION(curand, curand_version, 1000)
GAUNTLET_VERSION(cufft, cufft_version(), 1000)
GAUNTLET_VERSION(cusolver, cusolver_version(), 1000)
GAUNTLET_PROPERTY(cusparse, cusparse_version)
#undef GAUNTLET_VERSION
#undef GAUNTLET_PROPERTY
int cublasGetVersion_v2(void* handle, int* to) {
  const int known = configure_handle(cublas_status, handle);
  return known != 0 ? known : cublasGetVersion(to);
}
int cusparseGetVersion(void* handle, int* to) {
  const int known = configure_handle(cusparse_status, handle);
  return known != 0 ? known : put_version(cusparse_status, version_number(cusparse_version), to);
}
std::size_t cublasLtGetVersion() {
  return static_cast<std::size_t>(version_number(cublas_version(), 10000));
}
std::size_t cublasGetCudartVersion() { return cublas_version().major == 13 ? 13000 : 12090; }

// Those that occur here.
const char* cublasGetStatusName(int status) {
  return text_of(
      cublas_status, status,
      {"CUBLAS_STATUS_SUCCESS", "CUBLAS_STATUS_NOT_INITIALIZED", "CUBLAS_STATUS_INVALID_VALUE",
       "CUBLAS_STATUS_NOT_SUPPORTED", "CUBLAS_STATUS_UNKNOWN"});
}
const char* cublasGetStatusString(int status) {
  return text_of(cublas_status, status,
                 {"success", "no such handle", "invalid value", "not supported", "unknown status"});
}
const char* cusparseGetErrorName(int status) {
  return text_of(cusparse_status, status,
                 {"CUSPARSE_STATUS_SUCCESS", "CUSPARSE_STATUS_NOT_INITIALIZED",
                  "CUSPARSE_STATUS_INVALID_VALUE", "CUSPARSE_STATUS_NOT_SUPPORTED",
                  "CUSPARSE_STATUS_UNKNOWN"});
}
const char* cusparseGetErrorString(int status) {
  constexpr const char* other = "no such handle, or invalid value";
  return text_of(cusparse_status, status, {"success", other, other, "not supported", other});
}

}  // extern "C"

}  // namespace gauntlet::runtime
