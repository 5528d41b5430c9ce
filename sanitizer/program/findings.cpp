// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What programs can ask of what was found in them (gauntlet/run.h).
#include <mutex>
#include <string>
#include <vector>

#include "sanitizer/program/gauntlet/run.h"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

std::vector<std::string>& texts() {
  thread_local std::vector<std::string> of_thread;
  return of_thread;
}

}  // namespace

extern "C" {

// A program that has made no call yet has no state, and nothing found.
unsigned long long gauntlet_mark() {
  State* const s = made_state();
  if (s == nullptr) return 0;
  const std::lock_guard lock(s->mutex);
  return s->report.mark();
}

std::size_t gauntlet_findings_since(unsigned long long mark) {
  texts().clear();
  if (State* const s = made_state()) {
    const std::lock_guard lock(s->mutex);
    texts() = s->report.told_since(mark);
  }
  return texts().size();
}

const char* gauntlet_finding(std::size_t index) {
  return index < texts().size() ? texts()[index].c_str() : nullptr;
}

void gauntlet_forget(unsigned long long mark) {
  State* const s = made_state();
  if (s == nullptr) return;
  const std::lock_guard lock(s->mutex);
  s->report.forget(mark);
}

}  // extern "C"

}  // namespace gauntlet::runtime
