// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/claims/runner.hpp"

namespace gauntlet::claims {

const Runner& runner() {
  static const auto machine = simt_runner();
  return machine;
}

}  // namespace gauntlet::claims
