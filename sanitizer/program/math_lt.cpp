// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLASLt: descriptions of products and of matrices, and the product itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
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
MathHandles<Attributes>& descriptions() {
  static auto* const all = new MathHandles<Attributes>;  // exit handlers of the program may ask
  return *all;
}
/// A call ends where there is none such.
Attributes attributes_of(const void* description) {
  Attributes all;
  if (!descriptions().with(number_of(description), [&](const Attributes& of) { all = of; })) {
    throw BlasRefusal{cublas_status.invalid};
  }
  return all;
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

int describe(void* at, Attributes of) {
  if (at == nullptr) return cublas_status.invalid;
  descriptions().add(number_of(at), std::move(of));
  return 0;
}
int describe_new(void** out, Attributes of) {
  if (out != nullptr) *out = State::new_handle();
  return describe(out == nullptr ? nullptr : *out, std::move(of));
}

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
/// Without alpha and beta. `why` not empty: it is not computed here. A call ends where it
/// contradicts itself.
Product product_of(const Asked& asked, const void* a, const void* b, const void* c, void* d,
                   std::string& why) {
  const Attributes of = attributes_of(asked.description), of_a = attributes_of(asked.of_a),
                   of_b = attributes_of(asked.of_b), of_c = attributes_of(asked.of_c),
                   of_d = attributes_of(asked.of_d);
  const BlasRefusal contradiction{cublas_status.invalid};
  Product p;
  p.call = "cublasLtMatmul";
  p.a = matrix_of("A", of_a, a, why);
  p.b = matrix_of("B", of_b, b, why);
  p.c = matrix_of("C", of_c, c, why);
  p.d = matrix_of("D", of_d, d, why);
  const auto op_a = blas_op(value_of(of, op_of_a, 0)), op_b = blas_op(value_of(of, op_of_b, 0));
  if (!op_a || !op_b) throw contradiction;
  p.op_a = *op_a;
  p.op_b = *op_b;
  const bool plain_a = p.op_a == BlasOp::none, plain_b = p.op_b == BlasOp::none;
  p.m = plain_a ? p.a.rows : p.a.columns;
  p.k = plain_a ? p.a.columns : p.a.rows;
  p.n = plain_b ? p.b->columns : p.b->rows;
  const bool fits = (plain_b ? p.b->rows : p.b->columns) == p.k && p.d.rows == p.m &&
                    p.d.columns == p.n && p.c.rows == p.m && p.c.columns == p.n;
  p.batch = value_of(of_d, layout_batch, 1);
  for (const auto* const other : {&of_a, &of_b, &of_c}) {
    if (value_of(*other, layout_batch, 1) != p.batch) throw contradiction;
  }
  if (!fits || p.batch < 1) throw contradiction;
  const auto scale = scale_type(value_of(of, compute_type, 0), p.a.type, p.b->type, p.c.type);
  if (!scale || *scale != static_cast<cudaDataType>(value_of(of, scale_of, 0)) ||
      p.c.type != p.d.type) {
    why = "with types that are not computed here";
  }
  p.scale = scale.value_or(CUDA_R_32F);
  if (value_of(of, pointer_mode, 0) > 1) why = "with a vector of factors";
  if (value_of(of, op_of_c, 0) != 0) why = "with C transposed";
  for (int which = first_scale_pointer; which <= last_scale_pointer; ++which) {
    if (value_of<std::uint64_t>(of, which, 0) != 0) why = "with scaled operands";
  }
  finish(of, p, why);
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

/// A call ends where the product is not computed: not here, or not by cuBLASLt.
void require_computed(State& s, const Product& p, const std::string& why) {
  if (!why.empty()) static_cast<void>(s.refuse("calls cublasLtMatmul " + why));
  if (!why.empty() || !has_kernel(p)) throw BlasRefusal{cublas_status.not_supported};
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
  return describe_new(out, product(compute, scale));
}
int cublasLtMatmulDescInit_internal(void* at, std::size_t, int compute, int scale) {
  return describe(at, product(compute, scale));
}
int cublasLtMatrixLayoutCreate(void** out, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t distance) {
  return describe_new(out, layout(type, rows, columns, distance));
}
int cublasLtMatrixLayoutInit_internal(void* at, std::size_t, int type, std::uint64_t rows,
                                      std::uint64_t columns, std::int64_t distance) {
  return describe(at, layout(type, rows, columns, distance));
}
// Of both kinds of descriptions.
int cublasLt_forget(void* description) {
  return descriptions().drop(number_of(description)) ? 0 : cublas_status.invalid;
}
int cublasLt_set(void* description, int which, const void* value, std::size_t bytes) {
  if (value == nullptr) return cublas_status.invalid;
  const auto* const from = static_cast<const std::byte*>(value);
  const auto set = [&](Attributes& of) { of[which].assign(from, from + bytes); };
  return descriptions().with(number_of(description), set) ? 0 : cublas_status.invalid;
}
int cublasLt_get(const void* description, int which, void* to, std::size_t bytes,
                 std::size_t* written) {
  int status = cublas_status.invalid;
  descriptions().with(number_of(description), [&](const Attributes& of) {
    const auto found = of.find(which);
    if (found == of.end()) return;
    if (written != nullptr) *written = found->second.size();
    const bool reads = to != nullptr && bytes == found->second.size();
    if (bytes == 0 ? written == nullptr : !reads) return;
    if (bytes != 0) std::memcpy(to, found->second.data(), bytes);
    status = 0;
  });
  return status;
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
    const Product p =
        product_of({description, of_a, of_b, of_c, of_d}, nullptr, nullptr, nullptr, nullptr, why);
    require_computed(s, p, why);
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
    Product p = product_of({description, of_a, of_b, of_c, of_d}, a, b, c, d, why);
    if (alpha == nullptr || beta == nullptr) return cublas_status.invalid;
    require_computed(s, p, why);
    const Attributes of = attributes_of(description);
    if (bias_for_nothing(of)) return cublas_status.invalid;
    scale(s, p, value_of(of, pointer_mode, 0) == 1, alpha, beta);
    return put_product(s, stream, std::move(p));
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
