// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A module on a memory of its own, for tests: arrays in, launches, arrays out.
//
//   Device device(kernel(".param .u64 out", "..."));
//   const auto out = device.output<std::uint32_t>("out", 32);
//   const auto report = device.launch({.block = {32}}, out);
//   device.read<std::uint32_t>(out, 32);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/engine/machine.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::simt::test {

/// The directives that every module starts with: one line.
inline constexpr std::string_view module_header = ".version 9.0 .target sm_90 .address_size 64\n";

/// A module with one entry, `f`; the first line of `body` is line 3. Registers: %p, %h (16 bits),
/// %r (32), %d (64), %x (f32), %y (f64), each numbered 0 to 31.
inline std::string kernel(std::string_view params, std::string_view body,
                          std::string_view variables = "") {
  std::string text(module_header);
  text += std::string(variables) + ".visible .entry f(" + std::string(params) + ") {" +
          ".reg .pred %p<32>; .reg .b16 %h<32>; .reg .b32 %r<32>; .reg .b64 %d<32>; " +
          ".reg .f32 %x<32>; .reg .f64 %y<32>;\n";
  return text + std::string(body) + "\n}\n";
}

struct Launch {
  Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::string schedule = "lockstep";
  bool cooperative = false;
  bool checks = true;
  std::uint64_t step_limit = 0;
  bool may_be_long = false;
  std::uint32_t launch_index = 0;
  std::string entry = "f";
  bool races = false;
  unsigned jobs = 1;
  std::uint64_t alone = 0;
};

class Device {
 public:
  explicit Device(std::string ptx) : Device(load_module(std::move(ptx), "t.ptx")) {}
  explicit Device(std::shared_ptr<const Module> module) : state_(std::move(module), memory) {}

  template <class T>
  Address input(std::string name, const std::vector<T>& values) {
    GlobalMemory::Options o;
    o.read_only = true;
    return filled(std::move(name), o, values);
  }
  /// May be read and written, starts defined.
  template <class T>
  Address array(std::string name, const std::vector<T>& values) {
    return filled(std::move(name), {}, values);
  }
  template <class T>
  Address uninitialised(std::string name, std::size_t count) {
    return allocate<T>(std::move(name), {}, count);
  }
  template <class T>
  Address output(std::string name, std::size_t count) {
    GlobalMemory::Options o;
    o.output = true;
    return allocate<T>(std::move(name), o, count);
  }

  template <class... Arguments>
  LaunchReport launch(const Launch& l, const Arguments&... arguments) {
    LaunchConfig config{.entry = l.entry,
                        .grid = l.grid,
                        .block = l.block,
                        .shared_bytes = l.shared_bytes,
                        .cooperative = l.cooperative,
                        .params = {},
                        .schedule = l.schedule,
                        .step_limit = l.step_limit,
                        .may_be_long = l.may_be_long,
                        .checks = l.checks,
                        .launch_index = l.launch_index};
    config.races = l.races;
    config.jobs = l.jobs;
    config.alone = l.alone;
    (config.add(arguments), ...);
    return simt::launch(state_, config);
  }

  template <class T>
  [[nodiscard]] std::vector<T> read(Address from, std::size_t count) const {
    std::vector<T> values(count);
    memory.read(from, std::as_writable_bytes(std::span(values)));
    return values;
  }
  [[nodiscard]] Address symbol(std::string_view name) const { return state_.symbol(name); }

  GlobalMemory memory;

 private:
  template <class T>
  Address allocate(std::string name, GlobalMemory::Options options, std::size_t count) {
    options.name = std::move(name);
    options.bytes = count * sizeof(T);
    options.element_bytes = sizeof(T);
    return memory.allocate(options);
  }
  template <class T>
  Address filled(std::string name, const GlobalMemory::Options& options,
                 const std::vector<T>& values) {
    const auto address = allocate<T>(std::move(name), options, values.size());
    memory.write(address, std::as_bytes(std::span(values)));
    return address;
  }
  ModuleState state_;
};

/// The kinds of a report's findings, in order.
inline std::vector<FindingKind> kinds(const LaunchReport& report) {
  std::vector<FindingKind> result;
  for (const auto& f : report.findings) result.push_back(f.kind);
  return result;
}
inline bool has(const LaunchReport& report, FindingKind kind) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [=](const auto& f) { return f.kind == kind; });
}

/// For messages: every finding as a user sees it.
inline std::string text(const LaunchReport& report) {
  std::string all = report.completed ? "" : "(not completed)\n";
  for (const auto& f : report.findings) all += to_string(f) + "\n";
  return all;
}
inline ::testing::AssertionResult silent(const LaunchReport& report) {
  if (report.completed && report.findings.empty()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text(report);
}
/// One finding of this kind and nothing else.
inline ::testing::AssertionResult only(const LaunchReport& report, FindingKind kind) {
  if (report.findings.size() == 1 && report.findings[0].kind == kind) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "expected " << name(kind) << " alone, got:\n"
                                       << text(report);
}

/// what() of the ptx::Error that loading throws, "" if there is none.
inline std::string load_error(const std::string& ptx) {
  return message_of<ptx::Error>([&] { (void)load_module(ptx, "t.ptx"); });
}

}  // namespace gauntlet::simt::test
