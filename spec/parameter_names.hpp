// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a source file calls the parameters of a kernel; PTX does not say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet::spec {

/// The names in the first __global__ function `kernel` ("ns::sum<float, 256>" is sum) of a source
/// text that has `count` parameters. One that a spec gives another meaning gets a _. Empty where
/// there is no such function, or one parameter has no name.
[[nodiscard]] std::vector<std::string> parameter_names(std::string_view source,
                                                       std::string_view kernel, std::size_t count);

}  // namespace gauntlet::spec
