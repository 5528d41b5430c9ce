// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Hand-written kernels for the prover: a body of PTX between the same first and last lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "machine/engine/machine.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove::test {

struct HandWritten {
  Type in = Type::f32, acc = Type::f32;
  Op op = Op::sum;
  std::uint64_t n = 4;
  std::uint32_t block = 4, grid = 1;
  Tail tail = Tail::poison;
  std::uint64_t padded = 0;
  Fill out = Fill::poison;
  std::uint32_t launches = 1;
  bool programmatic = false;  ///< each launch but the first
  std::uint64_t cells = 1;
  bool trees = false;
  std::uint64_t step_limit = 0;
  /// An operation that reads one operand more than PTX has it today, the last one.
  std::string longer = {};
};
/// A module with such an operation.
[[nodiscard]] std::shared_ptr<const simt::Module> module_of(const std::string& ptx,
                                                            const std::string& longer = {});

/// The body finds its thread in %r1 and its block in %r2, the addresses of the input in %rd1, of
/// the output in %rd2, of eight zero words of scratch memory in %rd3, of the thread's own element
/// of 4 bytes in %rd4, `.shared .align 8 .b8 s[4096]`, and the launch's number in [launch].
/// Registers %p1.., %h3.. (16 bits), %r3.., %rd5.., %f1.., %d1.. are its own.
[[nodiscard]] Proof prove_ptx(const std::string& body, const HandWritten& how = {});

/// What it proves.
[[nodiscard]] Case case_of(const HandWritten& how);
[[nodiscard]] Plan plan_of(const HandWritten& how);
[[nodiscard]] std::string kernel_of(const std::string& body);

[[nodiscard]] inline HandWritten integers(Op op = Op::sum) {
  HandWritten how;
  how.in = how.acc = Type::i32;
  how.op = op;
  return how;
}

/// Of one thread each, which may wait for ever.
[[nodiscard]] inline HandWritten blocks(std::uint32_t grid, Fill out = Fill::identity,
                                        std::uint32_t launches = 1) {
  HandWritten how;
  how.grid = grid;
  how.block = 1;
  how.n = grid;
  how.out = out;
  how.launches = launches;
  how.step_limit = 300'000;
  return how;
}

[[nodiscard]] inline bool needs(const Proof& proof, std::string_view rule) {
  return std::any_of(proof.rules.begin(), proof.rules.end(),
                     [&](const auto& r) { return r.rule == rule; });
}

/// Ends a body: thread 0 of the block stores %f1.
inline const std::string thread_0_stores_f1 =
    "setp.ne.s32 %p9, %r1, 0;\n@%p9 bra done;\nst.global.f32 [%rd2], %f1;\n";
/// Begins one: %f1..%f4 are elements 0..3.
inline const std::string four_elements =
    "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\n"
    "ld.global.f32 %f3, [%rd1+8];\nld.global.f32 %f4, [%rd1+12];\n";
/// Behind it: %f1 becomes their sum.
inline const std::string four_summed =
    "add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\nadd.f32 %f1, %f1, %f3;\n";
/// The same of 32-bit words, in %r3..%r6.
inline const std::string four_words =
    "ld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+4];\n"
    "ld.global.u32 %r5, [%rd1+8];\nld.global.u32 %r6, [%rd1+12];\n";
inline const std::string words_summed =
    "add.s32 %r3, %r3, %r4;\nadd.s32 %r5, %r5, %r6;\nadd.s32 %r3, %r3, %r5;\n";
inline const std::string thread_0_stores_r3 =
    "setp.ne.s32 %p9, %r1, 0;\n@%p9 bra done;\nst.global.u32 [%rd2], %r3;\n";
/// Each block's one thread: its element in %f1, its address in %rd5.
inline const std::string element_of_block =
    "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd5, %rd1, %rd5;\nld.global.f32 %f1, [%rd5];\n";

}  // namespace gauntlet::prove::test
