// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/timer.hpp"

#include <algorithm>

namespace gauntlet::timing {
namespace {

constexpr double seconds_of_sample = 0.002;
constexpr double most_iterations = 8;

}  // namespace

double Timer::once() {
  work.restore(stream);
  if (slots * bytes < flush.bytes()) flush.run(stream);
  return graph.run() / slots;
}

Samples Timer::measure(const std::string& label, unsigned repetitions) {
  const double seconds = once() * slots;
  const auto iterations = static_cast<unsigned>(
      std::clamp(seconds_of_sample / std::max(seconds, 1e-9), 1.0, most_iterations));
  return sample(label, iterations, repetitions, [&] { return once(); });
}

}  // namespace gauntlet::timing
