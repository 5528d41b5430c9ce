// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel that a spec names: compiled, found, and its signature compared with the declarations.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/language/copies.hpp"
#include "properties/language/spec.hpp"
#include "sanitizer/kernel/entry.hpp"
#include "sanitizer/kernel/source.hpp"

namespace gauntlet::spec {

struct Kernels {
  sanitize::PtxSource source;
  std::vector<sanitize::KernelEntry> entries;
};

/// The spec's flags for nvcc. Include paths are relative to the spec, wherever the program is
/// started.
[[nodiscard]] std::vector<std::string> flags_of(const Spec& spec);

/// The text that is compiled in the place of a file, which it includes for each copy. Throws
/// UsageError.
[[nodiscard]] std::string wrapper_of(const Spec& spec, const std::string& file);

/// A .cu file is compiled with the spec's flags, an entry with template arguments is instantiated;
/// a .ptx file is read. `made`: a PTX file that this gave before, in place of the spec's; empty for
/// none. Throws UsageError, Interrupted.
[[nodiscard]] Kernels compile(const Spec& spec, const std::string& made,
                              const std::atomic<bool>& interrupted);

/// Those of one copy (properties/language/copies.hpp) under the names that the source gives them;
/// of a spec that has none, all.
[[nodiscard]] Kernels of_copy(const Spec& spec, const Copy& copy, const Kernels& kernels);

/// Throws UsageError where there is none of that name, or several.
[[nodiscard]] const sanitize::KernelEntry& entry_of(const Spec& spec, const LaunchStatement& launch,
                                                    const Kernels& kernels, const Copy& copy = {});

/// What the declarations pass for the parameters. `count`: the elements of an array, for messages.
[[nodiscard]] std::vector<sanitize::GivenArgument> given_arguments(
    const Spec& spec, const std::vector<Parameter>& parameters,
    const std::function<std::uint64_t(std::size_t array)>& count);

/// Throws UsageError where number, order or types of the declarations do not fit the parameters;
/// the line says what to declare instead.
void check_signature(const Spec& spec, const LaunchStatement& launch,
                     const sanitize::KernelEntry& entry);

/// Throws UsageError where every launch takes an output by a pointer to const. `entries`: of the
/// launches, in order.
void check_outputs(const Spec& spec, const std::vector<const sanitize::KernelEntry*>& entries);

/// A first spec for a kernel of a file (the only one where `entry` is empty), as text.
[[nodiscard]] std::string first_spec(const std::string& file, const std::string& entry,
                                     const std::vector<std::string>& flags,
                                     const std::atomic<bool>& interrupted);

}  // namespace gauntlet::spec
