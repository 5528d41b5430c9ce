// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How many registers a kernel's thread has on an architecture: PTX does not say, ptxas decides.
#pragma once

#include <string>
#include <string_view>

namespace gauntlet::profile {

/// Assembles the entry of a module (Launch::module) for `architecture` ("sm_90") with the ptxas of
/// the CUDA toolkit. Throws UsageError, in one line, where there is no ptxas or it refuses.
[[nodiscard]] int registers_by_ptxas(const std::string& module, const std::string& entry,
                                     std::string_view architecture);

/// The number in ptxas -v's "Used N registers"; 0 where there is none.
[[nodiscard]] int used_registers(std::string_view ptxas_says);

}  // namespace gauntlet::profile
