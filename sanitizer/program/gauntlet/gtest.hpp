// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Included by one or more files of a GoogleTest program, this makes `gauntlet run` fail the very
// tests whose kernels, copies or frees have errors or warnings, each with the finding's text.
// Without `gauntlet run` it does nothing. No more is needed, neither a call nor a library.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "gauntlet/run.h"

namespace gauntlet {

class FindingsFailTests : public ::testing::EmptyTestEventListener {
 public:
  FindingsFailTests() {
    look_up(mark_, "gauntlet_mark");
    look_up(findings_since_, "gauntlet_findings_since");
    look_up(finding_, "gauntlet_finding");
  }
  [[nodiscard]] bool under_gauntlet() const {
    return mark_ != nullptr && findings_since_ != nullptr && finding_ != nullptr;
  }

 private:
  template <class F>
  static void look_up(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
  }
  void OnTestStart(const ::testing::TestInfo&) override { begin_ = mark_(); }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    const std::size_t count = findings_since_(begin_);
    for (std::size_t k = 0; k < count; ++k) {
      ADD_FAILURE_AT(test.file(), test.line()) << finding_(k);
    }
  }

  decltype(&gauntlet_mark) mark_ = nullptr;
  decltype(&gauntlet_findings_since) findings_since_ = nullptr;
  decltype(&gauntlet_finding) finding_ = nullptr;
  unsigned long long begin_ = 0;
};

/// Before main.
inline const bool findings_fail_tests = [] {
  auto* const listener = new FindingsFailTests;
  const bool listens = listener->under_gauntlet();
  if (listens) {
    ::testing::UnitTest::GetInstance()->listeners().Append(listener);
  } else {
    delete listener;
  }
  return listens;
}();

}  // namespace gauntlet
