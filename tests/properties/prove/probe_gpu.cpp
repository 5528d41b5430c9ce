// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/executor/gpu.hpp"
#include "tests/properties/prove/probe.hpp"

namespace gauntlet::prove::test {

Executor& executor() { return cuda::gpu(); }

}  // namespace gauntlet::prove::test
