// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The host's BLAS, by which cuBLAS's products are computed: a library with the C interface of the
// BLAS Technical Forum (Debian: libblas3, or libopenblas0 and others in its place), loaded when it
// is first needed.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

namespace gauntlet::runtime {

/// As the C interface numbers them.
enum class BlasOp : int { none = 111, transposed = 112, conjugate = 113 };

/// "" once it is loaded. Else why it cannot be: one sentence that says what to install.
[[nodiscard]] const std::string& blas_missing();

/// c = alpha op(a) op(b) + beta c of matrices by columns, without gaps: c is m x n, op(a) m x k.
/// T: float, double, std::complex of them. The BLAS is loaded.
template <class T>
void gemm(BlasOp op_a, BlasOp op_b, int m, int n, int k, T alpha, const T* a, const T* b, T beta,
          T* c);
/// The Euclidean norm of n numbers.
template <class T>
double nrm2(int n, const T* x);

}  // namespace gauntlet::runtime
