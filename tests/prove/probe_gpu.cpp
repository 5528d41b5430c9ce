// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/gpu.hpp"
#include "tests/prove/probe.hpp"

namespace gauntlet::prove::test {

Executor& executor() { return cuda::gpu(); }

}  // namespace gauntlet::prove::test
