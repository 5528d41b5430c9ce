// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A function of the host in the place of a kernel and its launches: `host FILE FUNCTION`. It is
// compiled into a library with the shared runtime, for which the stand-in is taken when it is
// loaded (sanitizer/program/host_function.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "properties/case/executor.hpp"
#include "properties/language/spec.hpp"
#include "sanitizer/program/host_function.hpp"

namespace gauntlet::spec {

class Host {
 public:
  /// Compiles it to `library`, a file. Throws UsageError where there is no such function, or where
  /// its parameters are not those that are declared; Interrupted.
  Host(const Spec& spec, const std::string& library, const std::atomic<bool>& interrupted);

  /// Throws UsageError where it returns an error or throws though nothing was found, or where it
  /// calls what is not supported.
  [[nodiscard]] Observation run(const Case& c, const Plan& plan);

 private:
  const Where where_;
  const std::string name_;
  bool stream_ = false;
  std::unique_ptr<runtime::HostFunction> function_;
};

}  // namespace gauntlet::spec
