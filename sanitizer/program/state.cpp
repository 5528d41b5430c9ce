// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams, and what is put into them.
#include "sanitizer/program/state.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "base/os/parallel_for.hpp"
#include "base/text/json_file.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/program/ending.hpp"
#include "sanitizer/program/gauntlet/run.h"
#include "sanitizer/program/graph.hpp"
#include "sanitizer/program/recording.hpp"

namespace gauntlet::runtime {
namespace {

std::filesystem::path report_folder() {
  const char* const folder = std::getenv(folder_variable);
  return folder == nullptr ? "" : folder;
}

RunOptions read_options() {
  const auto folder = report_folder();
  if (folder.empty()) return {};
  try {
    return from_json<RunOptions>(read_json("gauntlet run", (folder / options_file).string()));
  } catch (const std::exception&) {
    return {};  // a process that outlives `gauntlet run`: nobody reads its report
  }
}

State* the_state = nullptr;

/// Has the constructors of this library run: a library of the program whose own runtime was
/// replaced (audit.cpp) does not name this one, so that its constructors may come first.
void construct() {
  Dl_info self{};
  if (dladdr(&the_state, &self) != 0) dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace

extern "C" {
__thread char gauntlet_per_thread = 0;
}

State::State()
    : options(read_options()),
      report(report_folder(), options.ignored),
      heap([this](Mistake mistake) {
        // What is left where a kernel was at fault mostly follows from that.
        const bool at_fault = !report.process.findings.empty() || report.process.ignored != 0;
        const bool follows = mistake.kind == MistakeKind::undefined_left && at_fault;
        if (!follows) report.add(std::move(mistake));
      }),
      order(heap, [this](Mistake mistake) { report.add(std::move(mistake)); }),
      virtual_memory(heap, order),
      host_watch(heap, order),
      jobs_(os::thread_count(options.jobs)) {
  heap.handle = [this](Address at) -> std::string {
    if (textures.array(reinterpret_cast<const void*>(at)) == nullptr) return "";
    return "a cudaArray_t (copied by cudaMemcpy2DToArray and its like, freed by cudaFreeArray)";
  };
  report.write();
}

State& state() {
  static State* const made = [] {
    construct();
    // What the race detector keeps of a launch's arrays, the next launch needs again: to have the
    // system clear it anew each time can cost more than the kernel.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    the_state = new State;
    watch_device_pointers();
    watch_for_end();
    return the_state;
  }();
  return *made;
}

State* made_state() { return the_state; }

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

void State::end(const std::string& why) {
  // What the program printed comes first, as if it had ended by itself. Its exit handlers are not
  // called: they would go on with what cannot go on.
  std::fflush(nullptr);
  Report::say(why);
  report.process.ended = why;
  report.write();
  leave(2);
}

cudaError_t State::refuse(std::string_view what) {
  const std::lock_guard lock(mutex);
  report.refuse(fmt::format("the program {}, which is not supported", what));
  return cudaErrorNotSupported;
}

void* State::new_handle() {
  // Unlike any pointer that means something by itself (0 to 2 are CUDA's own streams).
  return ::operator new(1);
}

void State::failed_launch(const Kernel& kernel, cudaError_t error, bool unread) {
  if (!unread) return;
  unread_ = {.kind = MistakeKind::unread_error,
             .severity = Severity::warning,
             .call = "<<<>>>",
             .detail = fmt::format("the launch of {} failed with {}, and the error was not read: "
                                   "call cudaGetLastError after it",
                                   ptx::short_name(kernel.signature()), cudaGetErrorName(error)),
             .stack = frames(trace(), kernel.signature()),
             .notes = {}};
}

void State::tell_unread() {
  if (unread_ && sticky == cudaSuccess) report.add(std::move(*unread_));
  unread_.reset();
}

void State::get_ready() {
  jobs_ = 1;
  for (const auto& module : modules_) {
    try {
      load(*module);
    } catch (const BadImage&) {  // whoever launches something of it is told
    }
  }
}

void State::at_exit() {
  const std::lock_guard lock(mutex);
  tell_unread();
  if (sticky == cudaSuccess) tell_what_is_left("exit");
  report.write();
}

void State::tell_what_is_left(std::string_view call) {
  if (options.leaks) heap.tell_leaks();
  heap.tell_left_undefined(call);
}

void State::reset() {
  order.host_waits();
  tell_what_is_left("cudaDeviceReset");
  virtual_memory.clear();
  while (!shared_arrays.taken.empty()) give_back(shared_arrays.taken.begin()->first);
  shared_arrays.given.clear();
  heap.reset();
  order.forget_all();
  graph_execs.clear();
  events.clear();
  streams.clear();
  pools.clear();
  limits = {};
  graph_memory = {};
  textures.clear();
  heap.memory.textures.clear();
  for (const auto& module : modules_) {
    if (module->registered) {
      module->state.reset();
    } else if (!module->unloaded) {
      unload(*module);
    }
  }
  for (auto& [host, kernel] : kernels_) kernel.most_dynamic_shared = -1;
}

namespace {
/// Behind the program's own exit handlers, and those of its libraries.
__attribute__((destructor)) void at_exit() {
  if (the_state != nullptr) the_state->at_exit();
}
}  // namespace

State::Stream* State::stream(cudaStream_t handle) {
  if (handle == nullptr) handle = per_thread ? cudaStreamPerThread : cudaStreamLegacy;
  if (handle == cudaStreamLegacy) return &default_;
  if (handle == cudaStreamPerThread) {
    // Unlike its id a thread's number is not used again.
    static std::uint64_t threads = 0;
    thread_local const std::uint64_t number = ++threads;
    const auto [found, fresh] = per_thread_.try_emplace(number);
    if (fresh) {
      found->second.party = order.add(fmt::format("the default stream of thread {}", number),
                                      StreamOrder::Kind::blocking);
    }
    return &found->second;
  }
  const auto found = streams.find(handle);
  return found == streams.end() ? nullptr : &found->second;
}

cudaStream_t State::add_stream(std::string_view call, unsigned flags) {
  const auto handle = static_cast<cudaStream_t>(new_handle());
  Stream& stream = streams[handle];
  stream.flags = flags;
  stream.party = order.add(fmt::format("{}#{}", spelled(call), ++made_[std::string(spelled(call))]),
                           (flags & cudaStreamNonBlocking) != 0 ? StreamOrder::Kind::non_blocking
                                                                : StreamOrder::Kind::blocking);
  return handle;
}

Kernel& State::known_kernel(const void* host_or_handle) {
  Kernel* const known = kernel(host_or_handle);
  refuse_if(known == nullptr, cudaErrorInvalidDeviceFunction);
  return *known;
}

State::Stream& State::known_stream(cudaStream_t handle) {
  Stream* const known = stream(handle);
  refuse_if(known == nullptr, cudaErrorInvalidResourceHandle);
  return *known;
}

void State::put(cudaStream_t handle, Work work) {
  Stream* const to = &known_stream(handle);
  if (!driver_call().empty() && work.call.starts_with("cuda")) work.call = driver_call();
  if (to->capture != nullptr) return keep(*to, std::move(work));
  refuse_if(to == &default_ && spoil_captures(*this), cudaErrorStreamCaptureImplicit);
  const OperationPtr operation =
      order.begin(to->party, std::move(work.call), trace(), {}, work.overlap);
  recording != nullptr ? recording->put(*this, handle, work, operation)
                       : work.run(*this, operation);
}

void State::synchronise(cudaStream_t handle) {
  Stream* const of = &known_stream(handle);
  if (of->capture != nullptr) of->capture->spoilt = true;
  refuse_if(of->capture != nullptr, cudaErrorStreamCaptureUnsupported);
  // To wait for the legacy default stream is to wait for what that would wait for.
  if (of == &default_) order.begin(of->party, "cudaStreamSynchronize", {});
  order.host_waits(order.clock(of->party));
}

// What programs can ask of what was found in them (gauntlet/run.h).

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
