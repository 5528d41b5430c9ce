// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet --version` says.
#pragma once

#include <string>
#include <string_view>

namespace gauntlet::cli {

/// Version and commit of the sources, as the build found them (ci/cmake/Version.cmake); the commit
/// is "unknown" outside a repository.
[[nodiscard]] std::string_view project_version();
[[nodiscard]] std::string_view commit();

/// "gauntlet 0.9 (commit 0123456789ab), CUDA toolkit 13.0": what its results are signed with.
[[nodiscard]] std::string version_line();

/// Version, commit, the CUDA toolkit and the PTX that the kernels were compiled with and to.
[[nodiscard]] std::string version_text();

}  // namespace gauntlet::cli
