// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLASLt: descriptions of products and of matrices, and the product itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "sanitizer/program/product.hpp"

namespace gauntlet::runtime {
namespace {

/// cublasLtMatmulDescAttributes_t and cublasLtMatrixLayoutAttribute_t, those that are read here.
enum Of : int {
  compute_type = 0,
  scale_of = 1,
  pointer_mode = 2,
  op_of_a = 3,
  op_of_b = 4,
  op_of_c = 5,
  epilogue_of = 7,
  bias_at = 8,
  bias_stride = 10,
  first_scale_pointer = 17,
  last_scale_pointer = 21,
  bias_type = 26,
  layout_type = 0,
  layout_order = 1,
  layout_rows = 2,
  layout_columns = 3,
  layout_distance = 4,
  layout_batch = 5,
  layout_stride = 6,
  layout_plane = 7
};

using Attributes = std::map<int, std::vector<std::byte>>;

/// Descriptions by their address: cublasLt...Create's handle, or memory of the program's own.
class Descriptions {
 public:
  void add(const void* at, Attributes attributes) {
    const std::lock_guard lock(mutex_);
    all_[at] = std::move(attributes);
  }
  bool drop(const void* at) {
    const std::lock_guard lock(mutex_);
    return all_.erase(at) == 1;
  }
  bool set(const void* at, int which, const void* value, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(at);
    if (found == all_.end() || value == nullptr) return false;
    const auto* const from = static_cast<const std::byte*>(value);
    found->second[which].assign(from, from + bytes);
    return true;
  }
  std::optional<Attributes> of(const void* at) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(at);
    if (found == all_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::mutex mutex_;
  std::map<const void*, Attributes> all_;
};
Descriptions& descriptions() {
  static auto* const all = new Descriptions;  // exit handlers of the program may ask
  return *all;
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
/// Shorter or longer ones are whole numbers of another width.
template <class T>
T value_of(const Attributes& of, int which, T otherwise) {
  const auto found = of.find(which);
  if (found == of.end()) return otherwise;
  T value{};
  std::memcpy(&value, found->second.data(), std::min(sizeof value, found->second.size()));
  return value;
}

int read_attribute(const void* at, int which, void* to, std::size_t bytes, std::size_t* written) {
  const auto of = descriptions().of(at);
  const auto found = of ? of->find(which) : Attributes::const_iterator{};
  if (!of || found == of->end()) return cublas_status.invalid;
  if (written != nullptr) *written = found->second.size();
  if (bytes == 0) return written == nullptr ? cublas_status.invalid : 0;
  if (to == nullptr || bytes != found->second.size()) return cublas_status.invalid;
  std::memcpy(to, found->second.data(), bytes);
  return 0;
}

Attributes layout(int type, std::uint64_t rows, std::uint64_t columns, std::int64_t distance) {
  return {{layout_type, bytes_of(type)},
          {layout_order, bytes_of(0)},
          {layout_rows, bytes_of(rows)},
          {layout_columns, bytes_of(columns)},
          {layout_distance, bytes_of(distance)},
          {layout_batch, bytes_of(1)},
          {layout_stride, bytes_of(std::int64_t{0})},
          {layout_plane, bytes_of(std::int64_t{0})}};
}
Attributes product(int compute, int scale) {
  return {{compute_type, bytes_of(compute)},
          {scale_of, bytes_of(scale)},
          {pointer_mode, bytes_of(0)},
          {op_of_a, bytes_of(0)},
          {op_of_b, bytes_of(0)},
          {op_of_c, bytes_of(0)},
          {epilogue_of, bytes_of(1)},
          {bias_at, bytes_of(std::uint64_t{0})}};
}

int add(void** out, Attributes of) {
  if (out == nullptr) return cublas_status.invalid;
  *out = State::new_handle();
  descriptions().add(*out, std::move(of));
  return 0;
}
int add_in_place(void* at, Attributes of) {
  if (at == nullptr) return cublas_status.invalid;
  descriptions().add(at, std::move(of));
  return 0;
}
int drop(void* at) { return descriptions().drop(at) ? 0 : cublas_status.invalid; }

/// A matrix by its layout; what is not computed with here is said in `why`.
Matrix matrix_of(std::string_view role, const Attributes& of, const void* at, std::string& why) {
  Matrix m;
  m.role = role;
  m.type = static_cast<cudaDataType>(value_of(of, layout_type, 0));
  m.rows = value_of<std::int64_t>(of, layout_rows, 0);
  m.columns = value_of<std::int64_t>(of, layout_columns, 0);
  m.at = reinterpret_cast<Address>(at);
  m.stride = value_of<std::int64_t>(of, layout_stride, 0);
  const auto distance = value_of<std::int64_t>(of, layout_distance, 0);
  const int order = value_of(of, layout_order, 0);
  m.step = order == 1 ? distance : 1;
  m.distance = order == 1 ? 1 : distance;
  if (order > 1) why = fmt::format("with {} in order {}", role, order);
  if (value_of<std::int64_t>(of, layout_plane, 0) != 0) why = "with planes of complex numbers";
  if (element_bytes(m.type) == 0) why = "with types that are not computed here";
  return m;
}

constexpr int none = 1, relu = 2, bias = 4, gelu = 32;

/// A vector that no epilogue adds; cublasLtMatmul of CUDA 13 refuses it, its heuristics do not.
bool bias_for_nothing(const Attributes& of) {
  return (value_of(of, epilogue_of, none) & bias) == 0 &&
         value_of<std::uint64_t>(of, bias_at, 0) != 0;
}

void finish(const Attributes& of, Product& p, std::string& why) {
  const int epilogue = value_of(of, epilogue_of, none);
  if ((epilogue & ~(none | relu | bias | gelu)) != 0) {
    why = fmt::format("with epilogue {}", epilogue);
    return;
  }
  p.activation = (epilogue & relu) != 0   ? Activation::relu
                 : (epilogue & gelu) != 0 ? Activation::gelu
                                          : Activation::none;
  if ((epilogue & bias) == 0) return;
  const int type = value_of(of, bias_type, -1);
  p.bias = vector("bias", type < 0 ? p.d.type : static_cast<cudaDataType>(type), p.m,
                  value_of<const void*>(of, bias_at, nullptr), 1);
  p.bias->stride = value_of<std::int64_t>(of, bias_stride, 0);
}

struct Asked {
  const void *description, *of_a, *of_b, *of_c, *of_d;
};
/// Without alpha and beta. nullopt: it contradicts itself; `why` not empty: it is not computed
/// here.
std::optional<Product> product_of(const Asked& asked, const void* a, const void* b, const void* c,
                                  void* d, std::string& why) {
  const auto of = descriptions().of(asked.description), of_a = descriptions().of(asked.of_a),
             of_b = descriptions().of(asked.of_b), of_c = descriptions().of(asked.of_c),
             of_d = descriptions().of(asked.of_d);
  if (!of || !of_a || !of_b || !of_c || !of_d) return std::nullopt;
  Product p;
  p.call = "cublasLtMatmul";
  p.a = matrix_of("A", *of_a, a, why);
  p.b = matrix_of("B", *of_b, b, why);
  p.c = matrix_of("C", *of_c, c, why);
  p.d = matrix_of("D", *of_d, d, why);
  const auto op_a = blas_op(value_of(*of, op_of_a, 0)), op_b = blas_op(value_of(*of, op_of_b, 0));
  if (!op_a || !op_b) return std::nullopt;
  p.op_a = *op_a;
  p.op_b = *op_b;
  const bool plain_a = p.op_a == BlasOp::none, plain_b = p.op_b == BlasOp::none;
  p.m = plain_a ? p.a.rows : p.a.columns;
  p.k = plain_a ? p.a.columns : p.a.rows;
  p.n = plain_b ? p.b->columns : p.b->rows;
  const bool fits = (plain_b ? p.b->rows : p.b->columns) == p.k && p.d.rows == p.m &&
                    p.d.columns == p.n && p.c.rows == p.m && p.c.columns == p.n;
  p.batch = value_of(*of_d, layout_batch, 1);
  for (const auto* const other : {&*of_a, &*of_b, &*of_c}) {
    if (value_of(*other, layout_batch, 1) != p.batch) return std::nullopt;
  }
  if (!fits || p.batch < 1) return std::nullopt;
  const auto scale = scale_type(value_of(*of, compute_type, 0), p.a.type, p.b->type, p.c.type);
  if (!scale || *scale != static_cast<cudaDataType>(value_of(*of, scale_of, 0)) ||
      p.c.type != p.d.type) {
    why = "with types that are not computed here";
  }
  p.scale = scale.value_or(CUDA_R_32F);
  if (value_of(*of, pointer_mode, 0) > 1) why = "with a vector of factors";
  if (value_of(*of, op_of_c, 0) != 0) why = "with C transposed";
  for (int which = first_scale_pointer; which <= last_scale_pointer; ++which) {
    if (value_of<std::uint64_t>(*of, which, 0) != 0) why = "with scaled operands";
  }
  finish(*of, p, why);
  return p;
}

/// Of s8 cuBLASLt multiplies A transposed by B as it is, in words of four elements (cuBLAS,
/// cublasLtMatmul, conditions of kernels for integers).
bool has_kernel(const Product& p) {
  constexpr std::int64_t word = 4;
  if (p.a.type != CUDA_R_8I) return true;
  bool good =
      p.op_a != BlasOp::none && p.op_b == BlasOp::none && p.m % word == 0 && p.k % word == 0;
  for (const Matrix* const one : {&p.a, &*p.b, &p.c, &p.d}) {
    good &= one->step == 1 && one->distance % word == 0 && one->at % word == 0;
  }
  return good;
}

int refuse(State& s, const std::string& why) {
  static_cast<void>(s.refuse("calls cublasLtMatmul " + why));
  return cublas_status.not_supported;
}

/// cublasLtMatmulHeuristicResult_t.
struct Heuristic {
  std::uint64_t algorithm[8];
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

}  // namespace

extern "C" {

int cublasLtMatmulDescCreate(void** out, int compute, int scale) {
  return add(out, product(compute, scale));
}
int cublasLtMatmulDescInit_internal(void* at, std::size_t, int compute, int scale) {
  return add_in_place(at, product(compute, scale));
}
int cublasLtMatmulDescDestroy(void* description) { return drop(description); }
int cublasLtMatmulDescSetAttribute(void* of, int which, const void* value, std::size_t bytes) {
  return descriptions().set(of, which, value, bytes) ? 0 : cublas_status.invalid;
}
int cublasLtMatmulDescGetAttribute(const void* of, int which, void* to, std::size_t bytes,
                                   std::size_t* written) {
  return read_attribute(of, which, to, bytes, written);
}
int cublasLtMatrixLayoutCreate(void** out, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t distance) {
  return add(out, layout(type, rows, columns, distance));
}
int cublasLtMatrixLayoutInit_internal(void* at, std::size_t, int type, std::uint64_t rows,
                                      std::uint64_t columns, std::int64_t distance) {
  return add_in_place(at, layout(type, rows, columns, distance));
}
int cublasLtMatrixLayoutDestroy(void* description) { return drop(description); }
int cublasLtMatrixLayoutSetAttribute(void* of, int which, const void* value, std::size_t bytes) {
  return descriptions().set(of, which, value, bytes) ? 0 : cublas_status.invalid;
}
int cublasLtMatrixLayoutGetAttribute(const void* of, int which, void* to, std::size_t bytes,
                                     std::size_t* written) {
  return read_attribute(of, which, to, bytes, written);
}

/// There is one algorithm, which needs no workspace.
int cublasLtMatmulAlgoGetHeuristic(void*, const void* description, const void* of_a,
                                   const void* of_b, const void* of_c, const void* of_d,
                                   const void* preference, int wanted, void* results, int* count) {
  if (preference == nullptr || results == nullptr || count == nullptr || wanted < 1) {
    return cublas_status.invalid;
  }
  *count = 0;
  return library_call("cublasLtMatmulAlgoGetHeuristic", [&](State& s) -> int {
    std::string why;
    const auto p =
        product_of({description, of_a, of_b, of_c, of_d}, nullptr, nullptr, nullptr, nullptr, why);
    if (!p) return cublas_status.invalid;
    if (!why.empty()) return refuse(s, why);
    if (!has_kernel(*p)) return cublas_status.not_supported;
    Heuristic one{};
    one.waves = 1;
    std::memcpy(results, &one, sizeof one);
    *count = 1;
    return 0;
  });
}
int cublasLtMatmulAlgoInit(void*, int, int, int, int, int, int, int, void* algorithm) {
  if (algorithm == nullptr) return cublas_status.invalid;
  std::memset(algorithm, 0, sizeof(Heuristic::algorithm));
  return 0;
}

int cublasLtMatmul(void* handle, const void* description, const void* alpha, const void* a,
                   const void* of_a, const void* b, const void* of_b, const void* beta,
                   const void* c, const void* of_c, void* d, const void* of_d, const void*, void*,
                   std::size_t, cudaStream_t stream) {
  return library_call("cublasLtMatmul", [&](State& s) -> int {
    if (!math_handles().knows(number_of(handle))) return cublas_status.no_handle;
    std::string why;
    auto p = product_of({description, of_a, of_b, of_c, of_d}, a, b, c, d, why);
    if (!p || alpha == nullptr || beta == nullptr) return cublas_status.invalid;
    if (!why.empty()) return refuse(s, why);
    if (!has_kernel(*p)) return cublas_status.not_supported;
    const auto of = descriptions().of(description);
    if (bias_for_nothing(*of)) return cublas_status.invalid;
    const bool on_device = value_of(*of, pointer_mode, 0) == 1;
    const auto x = scalar_of(s, p->call, on_device, "alpha", p->scale, alpha);
    if (!x) return blas_execution_failed;
    const auto y = scalar_of(s, p->call, on_device, "beta", p->scale, beta);
    if (!y) return blas_execution_failed;
    p->alpha = *x;
    p->beta = *y;
    keep_apart(*p);
    return put_product(s, stream, std::move(*p));
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
