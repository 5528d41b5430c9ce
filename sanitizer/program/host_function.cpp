// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/host_function.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/interrupted.hpp"
#include "base/os/message.hpp"
#include "base/packed.hpp"
#include "base/usage_error.hpp"
#include "machine/engine/module.hpp"
#include "sanitizer/kernel/source.hpp"
#include "sanitizer/program/options.hpp"
#include "sanitizer/program/program.hpp"

namespace gauntlet::runtime {
namespace {

namespace fs = std::filesystem;

/// gauntlet itself: this program, or where this is another one (a test with the library) what PATH
/// names.
std::string gauntlet_program() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  return self.filename() == "gauntlet" ? self.string() : find_program("gauntlet");
}

HostRequest request_of(const Case& c, const Plan& plan, const HostCalled& called,
                       const std::string& name) {
  HostRequest request;
  request.called = called;
  request.function = name;
  request.schedule = c.schedule;
  request.arrays = plan.buffers;
  request.calls = plan.launches;
  request.observed = plan.observed;
  for (Observed& observed : request.observed) observed.type = observed.type.value_or(c.acc);
  return request;
}

}  // namespace

std::unique_ptr<os::Process> HostFunction::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
  }
  const std::string program = gauntlet_program();
  const std::string folder = library_folder(program);
  os::Command command;
  command.argv = {program, "host-worker", library_};
  const char* const old = std::getenv("LD_LIBRARY_PATH");
  command.environment = {fmt::format("LD_LIBRARY_PATH={}{}{}", folder, old == nullptr ? "" : ":",
                                     old == nullptr ? "" : old)};
  command.in = command.out = command.err = "/dev/null";
  command.group = command.socket = true;
  std::unique_ptr<os::Process> worker;
  try {
    worker = std::make_unique<os::Process>(command);
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("{} cannot be started: {}", program, error.code().message()));
  }
  const auto text = os::receive_message(worker->socket(), [&] { return !interrupted_; });
  if (interrupted_) throw Interrupted();
  if (!text) throw UsageError(fmt::format("{} host-worker ended before its first call", program));
  const auto hello = unpacked<HostHello>(*text);
  if (!hello.problem.empty()) throw UsageError(hello.problem);
  const std::lock_guard lock(mutex_);
  signatures_ = hello.signatures;
  return worker;
}

HostFunction::HostFunction(std::string library, std::string name,
                           const std::atomic<bool>& interrupted)
    : library_(std::move(library)), name_(std::move(name)), interrupted_(interrupted) {
  auto first = take();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(first));
}

std::optional<std::string> HostFunction::ask(const std::string& request, bool& late) {
  auto worker = take();
  const auto begin = std::chrono::steady_clock::now();
  const auto going_on = [&] {
    late = std::chrono::steady_clock::now() - begin > std::chrono::seconds(most_seconds_of_a_call);
    return !late && !interrupted_;
  };
  const int socket = worker->socket();
  std::optional<std::string> text;
  if (os::send_message(socket, request)) text = os::receive_message(socket, going_on);
  if (interrupted_) throw Interrupted();
  if (!text) return text;  // without the worker
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
  return text;
}

HostReply HostFunction::run(const Case& c, const Plan& plan, const HostCalled& called) {
  bool late = false;
  HostReply reply;
  if (const auto text = ask(packed(request_of(c, plan, called, name_)), late)) {
    reply = unpacked<HostReply>(*text);
  } else {
    Finding& finding = reply.observation.findings.emplace_back();
    finding.kind = FindingKind::executor_fault;
    finding.detail =
        late ? fmt::format("{} did not return within {} s", name_, most_seconds_of_a_call)
             : fmt::format("the process that calls {} ended", name_);
  }
  reply.observation.schedule = c.schedule;
  return reply;
}

std::string HostFunction::module_file(std::string_view number) const {
  return fmt::format("{}.{}.ptx", library_, number);
}

HostReply HostFunction::recorded(HostRequest request) {
  const std::string key = packed(request);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = recorded_.find(key); known != recorded_.end()) return known->second;
    request.modules = known_;
  }
  bool late = false;
  HostReply reply;
  if (const auto text = ask(packed(request), late)) {
    reply = unpacked<HostReply>(*text);
    if (!reply.observation.findings.empty()) reply.record.unfit = "ends its process";
  } else {
    reply.record.unfit = late ? "does not return" : "ends its process";
    return reply;
  }
  const std::lock_guard lock(mutex_);
  for (const HostModule& module : reply.record.modules) {
    const std::string file = module_file(std::to_string(module.number));
    if (modules_.contains(file)) continue;
    const std::string ptx = sanitize::with_relative_paths(module.ptx, fs::current_path());
    std::ofstream(file, std::ios::binary) << ptx;  // for a GPU
    modules_.emplace(file, simt::load_on_demand(ptx, fs::path(file).filename().string()));
    known_.push_back(module.number);
  }
  reply.record.modules.clear();
  return recorded_.emplace(key, std::move(reply)).first->second;
}

HostFunction::Recorded HostFunction::record(const Case& c, Plan plan, const HostCalled& called) {
  HostRequest request = request_of(c, plan, called, name_);
  request.record = true;
  request.schedule.clear();
  for (Buffer& array : request.arrays) {  // nothing reads what is in them
    array.content.clear();
    array.fill = Fill::poison;
  }
  HostReply reply = recorded(std::move(request));
  HostRecord& record = reply.record;
  plan.launches = std::move(record.launches);
  for (Launch& launch : plan.launches) launch.module = module_file(launch.module);
  plan.rehearsals = record.rehearsals;
  plan.buffers.insert(plan.buffers.end(), record.arrays.begin(), record.arrays.end());
  for (HostFill& filled : record.filled) {
    plan.buffers.at(filled.array - 1).content = std::move(filled.content);
  }
  plan.module = [this](const std::string& file) {
    const std::lock_guard own(mutex_);
    const auto known = modules_.find(file);
    return known == modules_.end() ? nullptr : known->second;
  };
  return {std::move(plan), record.unfit, reply.error, reply.problem};
}

std::vector<Launch> alternating(std::vector<std::pair<const void*, Launch>> all) {
  std::map<const void*, std::size_t> made;
  std::vector<std::pair<std::size_t, std::size_t>> turns;
  for (std::size_t k = 0; k < all.size(); ++k) turns.emplace_back(made[all[k].first]++, k);
  std::ranges::sort(turns);
  std::vector<Launch> launches;
  for (const auto& [turn, k] : turns) launches.push_back(std::move(all[k].second));
  return launches;
}

int serve_host_function(const std::string& library, int socket) {
  void* const machine = dlopen(machine_library, RTLD_NOW | RTLD_GLOBAL);
  if (machine == nullptr) return 2;
  using Serve = int (*)(int, const char*);
  const auto serve = reinterpret_cast<Serve>(dlsym(machine, serve_entry));
  return serve == nullptr ? 2 : serve(socket, library.c_str());
}

}  // namespace gauntlet::runtime
