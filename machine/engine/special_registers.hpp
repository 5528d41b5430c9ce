// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// %tid, %ntid and their kin (PTX ISA 9.0, chapter 10): registers that have their value before a
// warp executes anything.
#pragma once

#include "machine/code/code.hpp"
#include "machine/engine/machine.hpp"
#include "machine/state/block.hpp"

namespace gauntlet::simt {

/// Gives a special register its value in each lane of a warp. `workspace`: of a cooperative launch.
void set_special(const SpecialRegister& s, const Kernel& kernel, const LaunchConfig& config,
                 Address workspace, const Block& b, Warp& w);

}  // namespace gauntlet::simt
