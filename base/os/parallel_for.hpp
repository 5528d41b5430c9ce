// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads over an index.
#pragma once

#include <cstdint>
#include <functional>

namespace gauntlet::os {

/// The number of threads that `jobs` asks for: every processor's where it is 0.
[[nodiscard]] unsigned thread_count(unsigned jobs);

/// Calls work(0), work(1), ... up to `count`, each once and in this order of starting, on this
/// thread and up to jobs - 1 others, until one of them says false or throws. Returns when all have
/// ended; throws what was thrown first. The other threads, which may be fewer if no more are to be
/// had or come late, wait for the next call, with signals blocked that are not of their own faults.
void parallel_for(unsigned jobs, std::uint64_t count,
                  const std::function<bool(std::uint64_t)>& work);

}  // namespace gauntlet::os
