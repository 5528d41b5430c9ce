// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a source file calls the parameters of a kernel, which PTX does not say, and their types,
// which the name of an extern "C" kernel does not say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet::spec {

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

}  // namespace gauntlet::spec
