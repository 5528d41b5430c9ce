// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/launch/simt_executor.hpp"
#include "tests/properties/prove/probe.hpp"

namespace gauntlet::prove::test {

Executor& executor() {
  static const auto machine = simt::make_executor({.checks = false, .races = false});
  return *machine;
}

}  // namespace gauntlet::prove::test
