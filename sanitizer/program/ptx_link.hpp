// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What nvlink does for machine code, for PTX: the texts of translation units that were compiled
// apart (nvcc -rdc=true, cuLinkAddData) become one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet::runtime {

/// 90 of the text "sm_90, debug"; 0: it names none.
[[nodiscard]] std::uint32_t arch_of_target(std::string_view target);

/// One text with the functions and variables of all units. What one unit declares as .extern is
/// what another defines; of weak definitions the first is kept; names without linkage that several
/// units have are made different (NAME$unit2 in the second). Sections of debuggers are left out.
/// PTX ISA 9.0, 5.6 (linking directives). Throws std::runtime_error, in a few words, where a name
/// with linkage is defined twice or a text cannot be cut into its declarations. `archs`: gets of
/// each kernel what its own unit is for, 90 for sm_90, where there are several units.
using KernelArchs = std::map<std::string, std::uint32_t, std::less<>>;
[[nodiscard]] std::string link_ptx(const std::vector<std::string>& units,
                                   KernelArchs* archs = nullptr);

}  // namespace gauntlet::runtime
