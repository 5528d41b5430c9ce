// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The PTX of tests/spec/kernels, so that the test can be carried to a machine with a GPU.
#pragma once

#include <span>

#include "core/embedded.hpp"

namespace gauntlet::spec::test {

[[nodiscard]] std::span<const EmbeddedFile> embedded();

}  // namespace gauntlet::spec::test
