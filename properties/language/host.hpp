// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A function of the host in the place of a kernel and its launches: `host FILE FUNCTION`. It is
// compiled into a library with the shared runtime, for which the stand-in is taken when it is
// loaded (sanitizer/program/host_function.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "properties/case/executor.hpp"
#include "properties/language/spec.hpp"
#include "sanitizer/program/host_function.hpp"

namespace gauntlet::spec {

/// Compiles it to `library`, a file: one function for each form and combination of types, in the
/// order of copies_of. Throws UsageError where there is no such function; Interrupted.
[[nodiscard]] std::shared_ptr<runtime::HostFunction> compile_host(
    const Spec& spec, const std::string& library, const std::atomic<bool>& interrupted);

/// What nvcc compiles: one function for each form and combination of types, in the order of
/// copies_of, behind gauntlet_host_signature and gauntlet_host_call
/// (base/host_library.hpp). `file`: the user's. Throws UsageError.
[[nodiscard]] std::string host_source(const Spec& spec, const std::string& file);

/// Cases of a spec with tiles are those of the catalogue: they have the launches themselves.
inline constexpr std::string_view tiles_need_launches = "a spec with tile";

class Host {
 public:
  /// Gives the launches in the place of a plan's calls.
  using Recorded = runtime::HostFunction::Recorded;
  using Record = std::function<Recorded(const Case&, Plan)>;

  /// Function number `which` of the library. `recorded_for`: who needs the launches which it makes;
  /// empty: it is run. Throws UsageError where its parameters are not those that are declared.
  Host(const Spec& spec, std::shared_ptr<runtime::HostFunction> function, std::uint32_t which,
       std::string recorded_for);
  /// One that is part of this program.
  Host(const Spec& spec, const std::string& signature, Record record);

  /// The plan of its calls with who makes them, or with the launches in their place. Throws
  /// UsageError where it returns an error or throws, where it calls what is not supported, or does
  /// something beside launching.
  [[nodiscard]] Plan complete(const Case& c, Plan plan) const;

 private:
  /// Compares the parameters with the declarations; whether there is a stream among them.
  [[nodiscard]] bool check(const Spec& spec, const std::string& signature) const;
  [[nodiscard]] Observation run(const Case& c, const Plan& plan) const;
  void take_error(const Case& c, const std::string& problem, const std::string& error) const;

  const Where where_;
  const std::string name_, recorded_for_;
  runtime::HostCalled called_;
  std::shared_ptr<runtime::HostFunction> function_;
  Record record_;  ///< not set: it is run
};

}  // namespace gauntlet::spec
