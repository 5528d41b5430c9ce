// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel whose spec has forms, types or constants is compiled several times by one run of nvcc:
// a file of ours includes it once for each, in a namespace of its own, behind definitions of what
// the source asks for. Lines stay those of the user's file.
//
//   #if FIX(barrier)       the form has the fix
//   #if T_IS(i32)          the types; and ACC_IS(f64), OP_IS(min)
//   T, ACC                 the types of an element and of the accumulator
//   VOLATILE_ACC           volatile ACC, of which f16 and bf16 have no copies in CUDA
//   OP(a, b), IDENTITY     the operator, over ACC
//   ATOMIC_OP(cell, value) the same atomically
//   B                      after `define B = block`
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "properties/language/spec.hpp"

namespace gauntlet::spec {

struct Copy {
  gauntlet::Form form;
  Instance instance;
  std::vector<std::uint64_t> values;  ///< of the constants that there are in it
};

/// A type in CUDA C++.
[[nodiscard]] std::string_view spelled(Type type);

/// "f32->f32 f16->f32". Throws UsageError.
[[nodiscard]] std::vector<TypePair> pairs_of(std::string_view text, const Where& where);

/// The form has the constant in this combination.
[[nodiscard]] bool applies(const Constant& constant, std::string_view form,
                           const Instance& instance);
[[nodiscard]] std::vector<Constant> constants_of(const Spec& spec, std::string_view form,
                                                 const Instance& instance);

/// The combinations that a form is compiled in: with every fix all; else the first one, or those
/// that the documents have.
[[nodiscard]] std::vector<Instance> instances_of(const Spec& spec, std::string_view form);

/// What a form's conditions and expressions ask for.
[[nodiscard]] Words asked_words(const Spec& spec, const gauntlet::Form& form,
                                const Instance& instance);

/// Every combination of the values of these; one, empty, where there is none.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> values_of(
    const std::vector<Constant>& constants);

/// All that are compiled. Throws UsageError where they are too many.
[[nodiscard]] std::vector<Copy> copies_of(const Spec& spec);

/// Where the copy's kernels are: "gauntlet__fixed__f32_f32_sum__B64".
[[nodiscard]] std::string space_of(const Spec& spec, const Copy& copy);

/// What the PTX calls a __device__ variable of the kernel's file.
[[nodiscard]] std::string symbol_of(const Spec& spec, const Copy& copy, const std::string& name);

/// A name, or a signature, without such namespaces.
[[nodiscard]] std::string without_spaces(std::string name);

/// An entry as the spec names it, with what T, ACC and constants stand for in the copy.
[[nodiscard]] std::string entry_in(const Spec& spec, const Copy& copy, const std::string& entry);

/// A text with replace(word, what follows) in the place of each word, which may take what follows.
template <class F>
[[nodiscard]] std::string with_words(std::string_view text, F&& replace) {
  std::string made;
  while (!text.empty()) {
    const auto end = std::ranges::find_if_not(text, in_name) - text.begin();
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end));
    if (word.empty()) made += text.front();
    text.remove_prefix(std::max<std::size_t>(word.size(), 1));
    if (!word.empty()) made += replace(word, text);
  }
  return made;
}

/// The text that nvcc compiles. `path`: of the user's file; `source`: what it says. Throws
/// UsageError where the file asks for a fix that the spec lacks, or never for one that it has, or
/// for a type or an operator that there is not.
[[nodiscard]] std::string wrapper(const Spec& spec, const std::string& path,
                                  std::string_view source);

/// The source as one form has it, in the first of its combinations: each `#if` that asks for
/// FIX(NAME) or for a type or an operator is decided, all else stays.
[[nodiscard]] std::string source_of_form(const Spec& spec, const gauntlet::Form& form,
                                         const std::string& path, std::string_view source);

struct OperatorText {
  std::string functions;  ///< OP(a, b), identity_of_OP() and what `atomic` needs, over ACC
  std::string atomic;     ///< what ATOMIC_OP(cell, value) stands for
};

/// Integers wrap around; of two floats, one of them NaN, minimum and maximum are the other, as
/// fminf says. An atomic is CUDA's own where there is one, else a compare-and-swap of the type's
/// width; accumulators of one byte have none.
[[nodiscard]] OperatorText operator_text(Type acc, Op op);

// The conditions of a kernel's source that ask for what a spec says of it: `#if FIX(barrier)`, and
// T_IS(i32), ACC_IS(f64) and OP_IS(sum), for the types and the operator.

/// A line of the preprocessor: "#  if FIX(barrier)" is {"if", "FIX(barrier)"}; of another line both
/// are empty. What stands in a comment behind it is left out.
struct Directive {
  std::string_view word, rest;
};
[[nodiscard]] Directive directive_of(std::string_view line);

/// A place that asks for something, such as a fix.
struct Asked {
  std::string name;
  int line = 0;
  std::string text;  ///< of the line
};
/// `function`: "FIX", "T_IS" or another.
[[nodiscard]] std::vector<Asked> asked_in(std::string_view source, std::string_view function);

/// Throws UsageError "FILE:LINE: ...: no such fix".
[[noreturn]] void fail_unknown(const std::string& path, const Asked& fix,
                               const std::vector<std::string_view>& known);

/// The source with every condition decided that asks for fixes and, where `words` has types, for
/// these and the operator, and only that. Throws UsageError for a condition that is of more than
/// such questions, numbers, ! && || and parentheses. `defined`: names whose #ifdef and #ifndef are
/// decided too.
[[nodiscard]] std::string decided(std::string_view source, const std::string& path,
                                  const Words& words,
                                  const std::vector<std::pair<std::string, bool>>& defined = {});

/// Calls f(line) for each, without its end.
template <class F>
void for_each_line(std::string_view text, F&& f) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    f(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

}  // namespace gauntlet::spec
