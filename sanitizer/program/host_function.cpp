// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/host_function.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>
#include <utility>

#include "base/interrupted.hpp"
#include "base/os/message.hpp"
#include "base/text/json_fields.hpp"
#include "base/usage_error.hpp"
#include "machine/engine/module.hpp"
#include "sanitizer/kernel/source.hpp"
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

HostRequest request_of(const Case& c, const Plan& plan, HostFunction::Called called,
                       const std::string& name) {
  HostRequest request;
  request.which = called.which;
  request.function = name;
  request.schedule = c.schedule;
  request.stream = called.stream;
  for (const Buffer& buffer : plan.buffers) {
    request.arrays.push_back({buffer.name, buffer.bytes, buffer.element_bytes, buffer.offset,
                              buffer.read_only, buffer.output, !buffer.content.empty()});
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
  return request;
}

/// With the content of the arrays.
std::string text_of(const HostRequest& request, const Plan& plan) {
  std::string text = compact_json(described(request)) + '\n';
  for (const Buffer& buffer : plan.buffers) {
    text.append(reinterpret_cast<const char*>(buffer.content.data()), buffer.content.size());
  }
  return text;
}

/// Takes so many bytes off the front.
std::vector<std::byte> taken(std::string_view& from, std::uint64_t bytes) {
  const auto front = std::as_bytes(std::span(from.substr(0, bytes)));
  from.remove_prefix(front.size());
  return {front.begin(), front.end()};
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

HostFunction::~HostFunction() = default;

std::optional<std::string> HostFunction::ask(const std::string& request, bool& late) {
  auto worker = take();
  const auto begin = std::chrono::steady_clock::now();
  const auto going_on = [&] {
    late = std::chrono::steady_clock::now() - begin > std::chrono::seconds(most_seconds_of_a_call);
    return !late && !interrupted_;
  };
  const int socket = worker->process.socket();
  std::optional<std::string> text;
  if (os::send_message(socket, request)) text = os::receive_message(socket, going_on);
  if (interrupted_) throw Interrupted();
  if (!text) return text;  // without the worker
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
  return text;
}

HostFunction::Ran HostFunction::run(const Case& c, const Plan& plan, Called called) {
  Ran ran;
  ran.observation.schedule = c.schedule;
  bool late = false;
  const auto text = ask(text_of(request_of(c, plan, called, name_), plan), late);
  if (!text) {
    Finding finding;
    finding.kind = FindingKind::executor_fault;
    finding.detail =
        late ? fmt::format("{} did not return within {} s", name_, most_seconds_of_a_call)
             : fmt::format("the process that calls {} ended", name_);
    ran.observation.findings.push_back(std::move(finding));
    return ran;
  }
  const Message message = parsed(*text);
  auto reply = from_json<HostReply>(message.head);
  ran.error = std::move(reply.error);
  ran.problem = std::move(reply.problem);
  ran.observation.completed = reply.completed;
  ran.observation.findings = std::move(reply.findings);
  ran.observation.counters = reply.counters;
  read_buffers(plan, c, message.body, ran.observation);
  return ran;
}

std::string HostFunction::module_file(std::uint32_t number) const {
  return fmt::format("{}.{}.ptx", library_, number);
}

HostFunction::Recorded HostFunction::record(const Case& c, Plan plan, Called called) {
  HostRequest request = request_of(c, plan, called, name_);
  request.record = true;
  request.schedule.clear();
  for (HostArray& array : request.arrays) array.filled = false;  // nothing reads it
  const std::string key = compact_json(described(request));
  Recorded recorded;
  std::optional<std::string> text;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = recorded_.find(key); known != recorded_.end()) text = known->second;
    request.modules = known_;
  }
  bool late = false;
  if (!text) text = ask(compact_json(described(request)) + '\n', late);
  if (!text) {
    recorded.unfit = late ? "does not return" : "ends its process";
    return recorded;
  }
  const Message message = parsed(*text);
  if (!message.head.contains("unfit")) {  // its process has told in its place
    const auto ended = from_json<HostReply>(message.head);
    recorded.problem = ended.problem;
    if (!ended.findings.empty()) recorded.unfit = "ends its process";
    return recorded;
  }
  const auto record = from_json<HostRecord>(message.head);
  recorded.error = record.error;
  recorded.problem = record.problem;
  recorded.unfit = record.unfit;
  std::string_view body = message.body;
  plan.launches.clear();
  for (const HostLaunch& from : record.launches) {
    Launch launch{module_file(from.module), from.entry,       from.grid,        from.block,
                  from.shared_bytes,        from.cooperative, from.programmatic};
    for (const HostArgument& argument : from.arguments) {
      launch.args.push_back(Arg::of_array(argument.array, argument.offset));
      if (argument.array != 0) continue;
      launch.args.back() = {};
      launch.args.back().bytes = taken(body, argument.bytes);
    }
    plan.launches.push_back(std::move(launch));
  }
  plan.rehearsals = static_cast<std::uint32_t>(record.rehearsals);
  for (const HostArray& own : record.arrays) {
    plan.buffers.push_back({own.name, own.bytes, own.element_bytes});
  }
  for (const HostBytes& filled : record.filled) {
    plan.buffers.at(filled.number - 1).content = taken(body, filled.bytes);
  }
  const std::lock_guard lock(mutex_);
  recorded_.emplace(key, text->substr(0, text->size() - body.size()));
  for (const HostBytes& module : record.modules) {
    const std::string file = module_file(module.number);
    const std::string_view text_of_module = body.substr(0, module.bytes);
    body.remove_prefix(text_of_module.size());
    if (modules_.contains(file)) continue;
    const std::string ptx = sanitize::with_relative_paths(text_of_module, fs::current_path());
    std::ofstream(file, std::ios::binary) << ptx;  // for a GPU
    modules_.emplace(file, simt::load_on_demand(ptx, fs::path(file).filename().string()));
    known_.push_back(module.number);
  }
  plan.module = [this](const std::string& file) {
    const std::lock_guard own(mutex_);
    const auto known = modules_.find(file);
    return known == modules_.end() ? nullptr : known->second;
  };
  recorded.plan = std::move(plan);
  return recorded;
}

int serve_host_function(const std::string& library, int socket) {
  void* const machine = dlopen("libgauntlet_machine.so", RTLD_NOW | RTLD_GLOBAL);
  if (machine == nullptr) return 2;
  using Serve = int (*)(int, const char*);
  const auto serve = reinterpret_cast<Serve>(dlsym(machine, serve_entry));
  return serve == nullptr ? 2 : serve(socket, library.c_str());
}

}  // namespace gauntlet::runtime
