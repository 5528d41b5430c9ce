// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The process that calls a function of the host (host_function.hpp): it loads the library once, and
// answers each request in a copy of itself, so that every call finds the same state, and what ends
// the copy ends nothing else.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/host_library.hpp"
#include "base/os/message.hpp"
#include "base/packed.hpp"
#include "machine/engine/device.hpp"
#include "properties/launch/case_run.hpp"
#include "sanitizer/program/device.hpp"
#include "sanitizer/program/ending.hpp"
#include "sanitizer/program/host_function.hpp"
#include "sanitizer/program/recording.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

/// Arrays of the caller in the memory of the process.
class CallersArrays final : public Device {
 public:
  explicit CallersArrays(Heap& heap) : heap_(heap) {}
  [[nodiscard]] Address allocate(const gauntlet::Array& array) override {
    return heap_.place(array);
  }
  void write(Address to, std::span<const std::byte> bytes, bool defined) override {
    heap_.memory.write(to, bytes);
    if (!defined) heap_.memory.undefine(to, bytes.size());
  }
  void read(Address from, std::span<std::byte> bytes) override { heap_.memory.read(from, bytes); }
  [[nodiscard]] std::vector<CellState> states(Address from, std::uint32_t cell_bytes,
                                              std::span<const std::byte> content) override {
    return simt::cell_states(heap_.memory, from, cell_bytes, content.size());
  }
  LaunchReport launch(const Launch&, std::span<const Address>) override { return {}; }
  [[nodiscard]] Address symbol(const std::string&, std::string_view) override { return 0; }

 private:
  Heap& heap_;
};

FindingKind kind_of(MistakeKind kind) {
  switch (kind) {
    case MistakeKind::leak:
      return FindingKind::leak;
    case MistakeKind::race_write_write:
    case MistakeKind::race_write_read:
    case MistakeKind::race_read_write:
    case MistakeKind::race_atomic:
      return FindingKind::host_race;
    default:
      return FindingKind::host_call;
  }
}

bool is_race_of_streams(const Mistake& mistake) {
  return kind_of(mistake.kind) == FindingKind::host_race;
}

/// Without the frame that called the function.
std::string users_part(const std::string& note) {
  return note.substr(0, note.find(", called from gauntlet_host"));
}

/// As findings of a run are.
Finding finding_of(const Mistake& mistake) {
  Finding finding;
  finding.kind = kind_of(mistake.kind);
  finding.severity = mistake.severity;
  finding.kernel = mistake.call;
  finding.detail = mistake.detail;
  finding.count = mistake.count;
  const auto placed = std::ranges::find_if(
      mistake.stack, [](const Frame& f) { return f.line != 0 && !f.file.empty(); });
  if (placed != mistake.stack.end()) {
    finding.at.file = placed->file;
    finding.at.line = placed->line;
  }
  for (const std::string& note : mistake.notes) finding.detail += "; " + users_part(note);
  return finding;
}

Finding finding_of(const KernelFinding& one) {
  Finding finding = one.finding;
  // Where the function's own arrays come from; the caller's have a name alone.
  for (const std::string& note : one.notes) {
    if (note.find("allocated at") != note.npos) finding.detail += "; " + users_part(note);
  }
  return finding;
}

class Run {
 public:
  Run(const HostLibrary& library, const HostRequest& request)
      : library_(library), request_(request), device_(state().heap) {
    plan_.takes_input = false;
    plan_.buffers = request.arrays;
    plan_.observed = request.observed;
    plan_.launches.resize(1);
    plan_.launches[0].entry = request.function;
  }

  HostReply reply() {
    State& s = state();
    s.options.schedule = request_.schedule;
    s.options.other_orders = false;     // the schedule is for the caller to say
    s.options.step_limit = 10'000'000;  // cases are small: who takes longer has no end
    if (request_.called.device) {       // this process is a copy, for one request
      multiprocessors = request_.called.device->multiprocessors;
      blocks_per_multiprocessor = request_.called.device->blocks_per_multiprocessor;
    }
    arrays_ = prepare(device_, {}, plan_);
    if (request_.called.stream) (void)cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    if (request_.record) {
      record();
      return std::move(reply_);
    }
    const std::uint64_t before = s.heap.live_bytes();
    bool going_on = true;
    for (std::uint64_t k = 0; going_on && k < request_.calls.size(); ++k) going_on = call(k);
    if (going_on) read_as_a_caller_does();
    take_findings();
    if (going_on) look_at_inputs();
    seen().completed = going_on;
    std::vector<Finding> found;
    std::swap(found, seen().findings);
    collect(device_, {}, plan_, arrays_, seen());
    seen().findings.insert(seen().findings.begin(), found.begin(), found.end());
    if (going_on) look_for_leaks(before);
    take_problem();
    for (const KernelCount& kernel : s.report.process.kernels) {
      seen().counters.launches += kernel.launches;
      seen().counters.warp_instructions += kernel.warp_instructions;
    }
    return std::move(reply_);
  }

 private:
  Observation& seen() { return reply_.observation; }

  void record() {
    State& s = state();
    Recording recording(arrays_, request_.modules, request_.called.alternate);
    s.recording = &recording;
    for (std::uint64_t k = 0; reply_.error.empty() && k < request_.calls.size(); ++k) {
      recording.begin_call();
      (void)call(k);
    }
    for (const Mistake& mistake : s.report.process.mistakes) {
      if (mistake.severity == Severity::note) continue;
      recording.unfit(fmt::format("makes a mistake, {}: {}", mistake.call, mistake.detail));
    }
    take_problem();
    reply_.record = recording.finish(s);
  }

  void take_problem() {
    const auto& unsupported = state().report.process.unsupported;
    if (!unsupported.empty()) reply_.problem = unsupported[0];
  }

  /// False: nothing is to follow.
  bool call(std::uint64_t number) {
    (void)cudaGetLastError();
    const HostReturn made = call_host(
        *library_.call, request_.called.which, request_.calls.at(number).args,
        [this](std::uint32_t array) { return arrays_.at(array); }, stream_);
    reply_.error = made.thrown;
    if (made.returned != 0) {
      reply_.error = fmt::format("returned {}, {}", made.returned,
                                 cudaGetErrorName(static_cast<cudaError_t>(made.returned)));
    }
    if (request_.called.stream) {
      (void)cudaStreamSynchronize(stream_);
    } else {
      (void)cudaDeviceSynchronize();
    }
    State& s = state();
    if (reply_.error.empty() && s.sticky == cudaSuccess) s.tell_unread();
    return reply_.error.empty() && s.sticky == cudaSuccess;
  }

  /// In the stream, or whatever was waited for: what is in no order with that is found.
  void read_as_a_caller_does() {
    for (const Observed& observed : plan_.observed) {
      const auto buffer = std::ranges::find(plan_.buffers, observed.buffer, &Buffer::name);
      if (buffer->bytes == 0) continue;
      std::vector<std::byte> bytes(buffer->bytes);
      const Address from =
          arrays_.at(Plan::buffer(static_cast<std::uint32_t>(buffer - plan_.buffers.begin())));
      auto& mistakes = state().report.process.mistakes;
      const auto told = static_cast<std::ptrdiff_t>(mistakes.size());
      (void)cudaMemcpyAsync(bytes.data(), reinterpret_cast<void*>(from), bytes.size(),
                            cudaMemcpyDeviceToHost, stream_);
      // Undefined cells of outputs are findings of their own.
      const auto others =
          std::stable_partition(mistakes.begin() + told, mistakes.end(), is_race_of_streams);
      mistakes.erase(others, mistakes.end());
      for (auto race = mistakes.begin() + told; race != mistakes.end(); ++race) {
        race->detail.insert(0, "the caller, who waits for what it was given: ");
      }
    }
    if (request_.called.stream) (void)cudaStreamSynchronize(stream_);
  }

  void take_findings() {
    for (const KernelFinding& one : state().report.process.findings) {
      seen().findings.push_back(finding_of(one));
    }
    for (const Mistake& mistake : state().report.process.mistakes) {
      if (mistake.severity != Severity::note) seen().findings.push_back(finding_of(mistake));
    }
  }

  /// Stores of kernels are found where they are made, not so copies and fills.
  void look_at_inputs() {
    for (std::size_t k = 0; k < plan_.buffers.size(); ++k) {
      const Buffer& buffer = plan_.buffers[k];
      if (!buffer.read_only) continue;
      std::vector<std::byte> now(buffer.content.size());
      state().heap.memory.read(arrays_.at(Plan::buffer(static_cast<std::uint32_t>(k))), now);
      const auto [changed, was] = std::ranges::mismatch(now, buffer.content);
      if (changed == now.end()) continue;
      Finding finding;
      finding.kind = FindingKind::write_to_input;
      finding.array = buffer.name;
      finding.size = buffer.element_bytes;
      finding.index = (changed - now.begin()) / std::max(1U, buffer.element_bytes);
      finding.detail = "a copy or a fill has changed it";
      seen().findings.push_back(std::move(finding));
    }
  }

  /// What a first call allocates for all later ones is no leak: another call must not add to it.
  void look_for_leaks(std::uint64_t before) {
    State& s = state();
    const std::uint64_t once = s.heap.live_bytes();
    if (once == before) return;
    if (!call(request_.calls.size() - 1) || s.heap.live_bytes() == once) return;
    const std::size_t told = s.report.process.mistakes.size();
    s.heap.tell_leaks();
    for (std::size_t k = told; k < s.report.process.mistakes.size(); ++k) {
      const Mistake& leak = s.report.process.mistakes[k];
      if (leak.kind != MistakeKind::leak || leak.count < 2) continue;
      seen().findings.push_back(finding_of(leak));
      seen().findings.back().detail += fmt::format(", of {} calls", request_.calls.size() + 1);
      seen().findings.back().count = 1;
    }
  }

  const HostLibrary& library_;
  const HostRequest& request_;
  Plan plan_;
  CallersArrays device_;
  std::vector<Address> arrays_;
  cudaStream_t stream_ = nullptr;
  HostReply reply_;
};

/// What the copy of this process answers; where it ended, that.
std::string answered_in_a_copy(const HostLibrary& library, const std::string& text, int socket) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return {};
  const pid_t copy = fork();
  if (copy == 0) {
    close(ends[0]);
    close(socket);
    HostReply reply;
    try {
      reply = Run(library, unpacked<HostRequest>(text)).reply();
    } catch (const std::exception& error) {
      reply.problem = error.what();
    }
    (void)os::send_message(ends[1], packed(reply));
    leave(0);  // nothing at exit: the arrays are the caller's
  }
  close(ends[1]);
  auto reply = os::receive_message(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(copy, &status, 0);
  if (reply) return *std::move(reply);
  HostReply fault;
  Finding& finding = fault.observation.findings.emplace_back();
  finding.kind = FindingKind::executor_fault;
  finding.detail =
      WIFSIGNALED(status)
          ? fmt::format("the function ended by signal {} ({})", WTERMSIG(status),
                        strsignal(WTERMSIG(status)))
          : fmt::format("the function ended the process, with exit code {}", WEXITSTATUS(status));
  return packed(fault);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int gauntlet_serve(int socket, const char* path) {
  HostLibrary library;
  HostHello hello;
  try {
    library = HostLibrary::open(path);
    while (const char* const next =
               library.signature(static_cast<unsigned>(hello.signatures.size()))) {
      hello.signatures.emplace_back(next);
    }
    state().get_ready();
  } catch (const std::runtime_error& error) {
    hello.problem = error.what();
  }
  if (!os::send_message(socket, packed(hello))) return 2;
  while (const auto request = os::receive_message(socket)) {
    if (!os::send_message(socket, answered_in_a_copy(library, *request, socket))) break;
  }
  leave(0);
}

}  // namespace gauntlet::runtime
