// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/host_function.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/interrupted.hpp"
#include "base/os/message.hpp"
#include "base/text/json_fields.hpp"
#include "base/usage_error.hpp"
#include "sanitizer/program/host_protocol.hpp"
#include "sanitizer/program/program.hpp"

namespace gauntlet::runtime {
namespace {

namespace fs = std::filesystem;

struct Message {
  Json head;
  std::string_view body;
};

Message parsed(const std::string& text) {
  const auto line = std::min(text.find('\n'), text.size());
  return {parse_json(std::string_view(text).substr(0, line)),
          std::string_view(text).substr(std::min(line + 1, text.size()))};
}

template <class T>
Json described(const T& value) {
  Json json = Json::object();
  add_fields(json, value);
  return json;
}

/// gauntlet itself: this program, or where this is another one (a test with the library) what PATH
/// names.
std::string gauntlet_program() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  return self.filename() == "gauntlet" ? self.string() : find_program("gauntlet");
}

std::string request_of(const Case& c, const Plan& plan, bool stream, const std::string& name) {
  HostRequest request;
  request.function = name;
  request.schedule = c.schedule;
  request.stream = stream;
  std::string body;
  for (const Buffer& buffer : plan.buffers) {
    request.arrays.push_back({buffer.name, buffer.bytes, buffer.element_bytes, buffer.offset,
                              buffer.read_only, buffer.output, !buffer.content.empty()});
    body.append(reinterpret_cast<const char*>(buffer.content.data()), buffer.content.size());
  }
  request.calls = plan.launches.size();
  for (const Launch& call : plan.launches) {
    for (const Arg& arg : call.args) {
      HostValue value;
      if (arg.kind == Arg::Kind::array) value.array = arg.array;
      std::memcpy(&value.bits, arg.bytes.data(), std::min(arg.bytes.size(), sizeof value.bits));
      request.values.push_back(value);
    }
  }
  for (const Observed& observed : plan.observed) {
    request.observed.push_back({observed.buffer, observed.cells, observed.type.value_or(c.acc)});
  }
  return compact_json(described(request)) + '\n' + body;
}

void read_buffers(const Plan& plan, const Case& c, std::string_view body, Observation& to) {
  for (const Observed& observed : plan.observed) {
    ObservedBuffer seen;
    seen.name = observed.buffer;
    seen.type = observed.type.value_or(c.acc);
    seen.bytes.resize(observed.cells * size_of(seen.type));
    if (body.size() < seen.bytes.size() + observed.cells) return;
    std::memcpy(seen.bytes.data(), body.data(), seen.bytes.size());
    body.remove_prefix(seen.bytes.size());
    for (const char defined : body.substr(0, observed.cells)) seen.defined.push_back(defined != 0);
    body.remove_prefix(observed.cells);
    to.buffers.push_back(std::move(seen));
  }
}

}  // namespace

struct HostFunction::Worker {
  explicit Worker(const os::Command& command) : process(command) {}
  os::Process process;
};

std::unique_ptr<HostFunction::Worker> HostFunction::take() {
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
  std::unique_ptr<Worker> worker;
  try {
    worker = std::make_unique<Worker>(command);
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("{} cannot be started: {}", program, error.code().message()));
  }
  const auto text = os::receive_message(worker->process.socket(), [&] { return !interrupted_; });
  if (interrupted_) throw Interrupted();
  if (!text) throw UsageError(fmt::format("{} host-worker ended before its first call", program));
  const auto hello = from_json<HostHello>(parsed(*text).head);
  if (!hello.problem.empty()) throw UsageError(hello.problem);
  const std::lock_guard lock(mutex_);
  signature_ = hello.signature;
  return worker;
}

HostFunction::HostFunction(std::string library, std::string name,
                           const std::atomic<bool>& interrupted)
    : library_(std::move(library)), name_(std::move(name)), interrupted_(interrupted) {
  auto first = take();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(first));
}

HostFunction::~HostFunction() = default;

HostFunction::Ran HostFunction::run(const Case& c, const Plan& plan, bool stream) {
  auto worker = take();
  Ran ran;
  ran.observation.schedule = c.schedule;
  const auto begin = std::chrono::steady_clock::now();
  bool late = false;
  const auto going_on = [&] {
    late = std::chrono::steady_clock::now() - begin > std::chrono::seconds(most_seconds_of_a_call);
    return !late && !interrupted_;
  };
  const int socket = worker->process.socket();
  std::optional<std::string> text;
  if (os::send_message(socket, request_of(c, plan, stream, name_))) {
    text = os::receive_message(socket, going_on);
  }
  if (interrupted_) throw Interrupted();
  if (!text) {
    Finding finding;
    finding.kind = FindingKind::executor_fault;
    finding.detail =
        late ? fmt::format("{} did not return within {} s", name_, most_seconds_of_a_call)
             : fmt::format("the process that calls {} ended", name_);
    ran.observation.findings.push_back(std::move(finding));
    return ran;  // without the worker
  }
  const Message message = parsed(*text);
  auto reply = from_json<HostReply>(message.head);
  ran.error = std::move(reply.error);
  ran.problem = std::move(reply.problem);
  ran.observation.completed = reply.completed;
  ran.observation.findings = std::move(reply.findings);
  ran.observation.counters = reply.counters;
  read_buffers(plan, c, message.body, ran.observation);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
  return ran;
}

int serve_host_function(const std::string& library, int socket) {
  void* const machine = dlopen("libgauntlet_machine.so", RTLD_NOW | RTLD_GLOBAL);
  if (machine == nullptr) return 2;
  using Serve = int (*)(int, const char*);
  const auto serve = reinterpret_cast<Serve>(dlsym(machine, serve_entry));
  return serve == nullptr ? 2 : serve(socket, library.c_str());
}

}  // namespace gauntlet::runtime
