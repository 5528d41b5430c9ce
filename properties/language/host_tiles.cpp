// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "properties/language/host.hpp"
#include "properties/language/launches.hpp"
#include "properties/language/tiles.hpp"

namespace gauntlet::spec {
namespace {

/// The input of tiles is no buffer, that of calls is the first.
void move_arrays(std::vector<Launch>& launches, int by) {
  for (Launch& launch : launches) {
    for (Arg& arg : launch.args) {
      if (arg.kind == Arg::Kind::array) arg.array += static_cast<std::uint32_t>(by);
    }
  }
}

/// As the spec declares them, in their order; it need not declare all, and not all that it declares
/// are allocated by every form.
void name_allocated(const Spec& spec, std::vector<Buffer>& allocated) {
  auto declared = spec.arrays.begin();
  for (Buffer& buffer : allocated) {
    declared = std::find_if(declared, spec.arrays.end(), std::mem_fn(&Array::allocated));
    if (declared == spec.arrays.end()) return;
    buffer.name = declared->name;
    buffer.element_bytes = static_cast<std::uint32_t>(size_of(declared->type));
    buffer.floats = false;
    ++declared;
  }
}

}  // namespace

HostTiles launches_by_host(const Loaded& loaded, Evaluator& evaluator, const Case& c) {
  const Spec& spec = loaded.program.spec;
  HostTiles made;
  Plan plan;
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    const Array& array = spec.arrays[k];
    if (array.allocated) continue;
    const auto size = static_cast<std::uint32_t>(size_of(array.type));
    plan.buffers.push_back({array.name, evaluator.elements(k) * size, size});
  }
  const auto callers = static_cast<std::ptrdiff_t>(plan.buffers.size());
  made.refusal = make_launches(loaded, evaluator, plan.launches, plan.rehearsals);
  if (!made.refusal.empty()) return made;
  move_arrays(plan.launches, 1);
  plan = loaded.host->complete(c, std::move(plan));
  move_arrays(plan.launches, -1);
  made.launches = std::move(plan.launches);
  made.module = std::move(plan.module);
  std::move(plan.buffers.begin() + callers, plan.buffers.end(), std::back_inserter(made.allocated));
  name_allocated(spec, made.allocated);
  return made;
}

}  // namespace gauntlet::spec
