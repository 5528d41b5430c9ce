// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Members of Heap: what it tells of arrays, and of those that are left when the program ends.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "machine/engine/system_calls.hpp"
#include "sanitizer/program/heap.hpp"

namespace gauntlet::runtime {

std::vector<std::string> Heap::story(const Array& array) const {
  if (array.static_variable) return {};
  const auto at = [](const Trace& trace, std::string_view what) {
    std::string text;
    std::vector<Frame> user = frames(trace);
    user.resize(std::min<std::size_t>(user.size(), 2));
    for (const Frame& f : user) {
      text += fmt::format(", {} {}", text.empty() ? what : "called from",
                          f.line != 0 ? fmt::format("{}:{}", f.file, f.line)
                                      : fmt::format("{} of {}", f.function, f.module));
    }
    return text;
  };
  return {fmt::format("{}: {}{}{}", array.name, counted(array.bytes, "byte"),
                      at(array.allocated, "allocated at"),
                      array.freed ? at(array.released, "freed at") : "")};
}

void Heap::mistake(MistakeKind kind, std::string_view call, std::string detail, const Array* array,
                   Severity severity) const {
  tell_({.kind = kind,
         .severity = severity,
         .call = std::string(spelled(call)),
         .detail = std::move(detail),
         .stack = frames(trace()),
         .notes = array == nullptr ? std::vector<std::string>() : story(*array)});
}

void Heap::tell_leaks() const {
  constexpr std::size_t most_named = 8;
  struct Site {
    Mistake leak;
    std::vector<const Array*> arrays;
  };
  std::vector<Site> sites;
  for (const auto& [base, array] : arrays_) {
    if (array.freed || array.static_variable || array.space == Space::registered) continue;
    Mistake leak;
    leak.call = array.name.substr(0, array.name.find('#'));
    leak.stack = frames(array.allocated);
    const auto known = std::ranges::find_if(sites, [&](const Site& site) {
      return site.leak.call == leak.call && site.leak.stack == leak.stack;
    });
    if (known == sites.end()) {
      sites.push_back({std::move(leak), {&array}});
    } else {
      known->arrays.push_back(&array);
    }
  }
  const auto tell = [&](Mistake leak, const Leaked& left, const std::string& detail) {
    leak.kind = MistakeKind::leak;
    leak.count = left.arrays;
    leak.bytes = left.bytes;
    leak.detail = detail;
    tell_(std::move(leak));
  };
  for (Site& site : sites) {
    Leaked left;
    std::string names;
    for (const Array* const array : site.arrays) {
      ++left.arrays;
      left.bytes += array->bytes;
      if (left.arrays > most_named) continue;
      names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", array->name, array->bytes);
    }
    tell(std::move(site.leak), left,
         left.arrays == 1 ? fmt::format("{}, {}, was not freed", site.arrays.front()->name,
                                        counted(left.bytes, "byte"))
                          : fmt::format("{}, were not freed: {}{}", left.text(), names,
                                        left.arrays > most_named ? ", ..." : ""));
  }
  Leaked of_kernels;
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const simt::Allocation& one = memory.at(k);
    if (one.freed || !one.name.starts_with(simt::kernel_heap_prefix)) continue;
    ++of_kernels.arrays;
    of_kernels.bytes += one.bytes;
  }
  if (of_kernels.arrays == 0) return;
  Mistake leak;
  leak.call = "malloc in kernels";
  tell(std::move(leak), of_kernels,
       fmt::format("{} that kernels allocated, {} in all, were not freed",
                   counted(of_kernels.arrays, "array"), counted(of_kernels.bytes, "byte")));
}

void Heap::tell_left_undefined(std::string_view call) const {
  for (const auto& [base, array] : arrays_) {
    if (!array.static_variable) tell_left_undefined(call, array, false);
  }
}

}  // namespace gauntlet::runtime
