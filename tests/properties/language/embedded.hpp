// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The PTX of tests/properties/language/kernels, so that the test can be carried to a machine with a
// GPU.
#pragma once

#include <span>

#include "base/embedded.hpp"

namespace gauntlet::spec::test {

[[nodiscard]] std::span<const EmbeddedFile> embedded();

}  // namespace gauntlet::spec::test
