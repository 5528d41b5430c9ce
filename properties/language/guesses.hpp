// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// First guesses of what a kernel's parameters are, from their types and the names in the source:
// the declarations of a spec, or a whole command line of `gauntlet sanitize`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/launch.hpp"
#include "sanitizer/kernel/entry.hpp"
#include "sanitizer/kernel/parameter_use.hpp"

namespace gauntlet::spec {

// What a source file calls the parameters of a kernel, which PTX does not say, and their types,
// which the name of an extern "C" kernel does not say.

struct DeclaredParameter {
  std::string type;  ///< as demanglers write it: "float const*"; empty where it is something else
  std::string name;  ///< one that a spec gives another meaning gets a _
  bool operator==(const DeclaredParameter&) const = default;
};

/// Those of the first __global__ function `kernel` ("ns::sum<float, 256>" is sum) of a source text
/// that has `count` parameters. Empty where there is no such function, or one parameter has no
/// name.
[[nodiscard]] std::vector<DeclaredParameter> declared_parameters(std::string_view source,
                                                                 std::string_view kernel,
                                                                 std::size_t count);

/// Of dynamic shared memory, where a kernel has some.
inline constexpr std::uint64_t shared_bytes_of_thread = 8;

/// What the source file says of the kernel's parameters; empty of PTX, or where it does not say.
[[nodiscard]] std::vector<DeclaredParameter> declared_in(const std::string& file,
                                                         const sanitize::KernelEntry& entry);

/// The parameters speak of a table of rows and columns.
[[nodiscard]] bool rows_and_columns(const std::vector<DeclaredParameter>& declared);

/// What the first output may be of the first input, as a spec's `result` says it; of x and y where
/// there is none.
[[nodiscard]] std::string example_result(const sanitize::KernelEntry& entry,
                                         const std::vector<DeclaredParameter>& declared,
                                         const std::vector<sanitize::ParameterUse>& uses);

/// The declarations that fit a signature, one a line, what was guessed marked. `declared`: the
/// parameters in the source, or none; `uses`: what the kernel does with each, or none.
[[nodiscard]] std::vector<std::string> declarations(
    const sanitize::KernelEntry& entry, const std::vector<DeclaredParameter>& declared,
    const std::vector<sanitize::ParameterUse>& uses = {});

/// A launch on 1000 elements, or on 10 rows of 100: its extents, and its arguments as `arg` takes
/// them.
struct ExampleLaunch {
  Launch launch;
  std::vector<std::string> arguments;
};
[[nodiscard]] ExampleLaunch example_launch(const std::string& file,
                                           const sanitize::KernelEntry& entry);

}  // namespace gauntlet::spec
