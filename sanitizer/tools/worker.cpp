// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/tools/worker.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <istream>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "core/scalar.hpp"
#include "cuda/cuda_error.hpp"
#include "cuda/executor.hpp"
#include "cuda/launch.hpp"
#include "cuda/library.hpp"
#include "kernels/plan.hpp"
#include "oracle/data.hpp"
#include "oracle/oracle.hpp"
#include "sanitizer/tools/calibration.hpp"
#include "sanitizer/tools/embedded.hpp"
#include "sanitizer/tools/transcript.hpp"

namespace gauntlet::sanitizer {
namespace {

using cuda::check;
using cuda::check_launch;

constexpr std::byte kPattern{0xa5};
constexpr std::chrono::milliseconds kSettle{10};

struct DeviceMemory {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// Never freed: the process is short, and an address must mean one job.
DeviceMemory allocate(std::uint64_t bytes) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, bytes));
  return {reinterpret_cast<std::uint64_t>(pointer), bytes};
}

void copy_in(std::uint64_t to, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpy(reinterpret_cast<void*>(to), from, bytes, cudaMemcpyHostToDevice));
}

std::vector<std::byte> copy_out(std::uint64_t from, std::size_t bytes) {
  std::vector<std::byte> content(bytes);
  if (bytes == 0) return content;
  check(cudaMemcpy(content.data(), reinterpret_cast<const void*>(from), bytes,
                   cudaMemcpyDeviceToHost));
  return content;
}

struct Ended {
  Output output = Output::right;
  std::string detail{};
};

class Worker {
 public:
  Worker(std::ostream& out, const WorkerOptions& options)
      : out_(out),
        fill_(options.fill),
        library_(
            static_cast<int>(options.gpu), [](bool) {}, embedded()) {}

  /// Throws DeviceLost.
  Ended run(std::size_t number, const std::string& line) {
    const std::string word = std::string(calibration_word) + " ";
    if (line.starts_with(word)) return calibrate(number, line.substr(word.size()));
    const Case c = parse_case(line);
    const Plan plan = kernels::plan(c);
    if (!plan.refusal.empty()) return {Output::refused, plan.refusal};
    return run_case(number, c, plan);
  }

 private:
  void tell(const std::string& line) { out_ << line << std::flush; }

  Ended calibrate(std::size_t number, const std::string& entry) {
    const std::uint32_t threads = calibration_threads(entry);
    if (threads == 0) return {Output::refused, "no calibration kernel is called " + entry};
    std::vector<int> values(threads);
    for (std::uint32_t i = 0; i < threads; ++i) values[i] = static_cast<int>(i) + 1;
    const std::uint64_t bytes = threads * sizeof(int);
    const DeviceMemory in = allocate(bytes), to = allocate(bytes);
    copy_in(in.address, reinterpret_cast<const std::byte*>(values.data()), bytes);
    tell(begin_line(number, {{"in", in.address, bytes, sizeof(int), 0},
                             {"out", to.address, bytes, sizeof(int), 0}}));
    std::uint64_t addresses[] = {in.address, to.address};
    int n = static_cast<int>(threads);
    void* arguments[] = {&addresses[0], &addresses[1], &n};
    cudaLaunchConfig_t config{};
    config.gridDim = {1, 1, 1};
    config.blockDim = {threads, 1, 1};
    config.dynamicSmemBytes = bytes;
    const cudaKernel_t kernel = library_.kernel("calibration", entry.c_str());
    check_launch(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments));
    check(cudaDeviceSynchronize());
    (void)copy_out(to.address, bytes);
    return {};
  }

  Ended run_case(std::size_t number, const Case& c, const Plan& plan) {
    const cuda::Job job = cuda::make_job(c, plan);
    const InputImage image = make_input(c, plan.padded);
    const DeviceMemory in = allocate(image.bytes.size());
    const std::size_t begin = image.initialised_begin;
    copy_in(in.address + begin, image.bytes.data() + begin, image.initialised_end - begin);
    std::vector<Allocation> allocations{{"in", in.address, in.bytes,
                                         static_cast<std::uint32_t>(size_of(c.in)),
                                         image.element0_offset}};
    std::vector<DeviceMemory> buffers;
    std::vector<std::uint64_t> arrays{in.address + image.element0_offset};
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      const Buffer& buffer = plan.buffers[i];
      buffers.push_back(allocate(buffer.bytes));
      arrays.push_back(buffers.back().address);
      prepare(buffers.back(), job, i);
      allocations.push_back({buffer.name, buffers.back().address, buffer.bytes,
                             std::max(1U, buffer.element_bytes), 0});
    }
    tell(begin_line(number, allocations));
    for (const cuda::JobLaunch& launch : job.launches) {
      if (launch.shared_bytes != 0) library_.allow_shared(launch.entry, launch.shared_bytes);
      cuda::start(
          library_, launch, [&](std::uint32_t array) { return arrays.at(array); }, nullptr);
    }
    check(cudaDeviceSynchronize());
    return judge_output(c, plan, job, buffers);
  }

  void prepare(const DeviceMemory& memory, const cuda::Job& job, std::size_t index) {
    std::vector<std::byte> content(memory.bytes);
    switch (job.buffers[index].fill) {
      case Fill::zero:
        break;
      case Fill::identity:
        for (std::size_t at = 0; at + job.cell_bytes <= content.size(); at += job.cell_bytes) {
          std::memcpy(content.data() + at, &job.identity, job.cell_bytes);
        }
        break;
      case Fill::poison:
        if (!fill_) return;
        std::fill(content.begin(), content.end(), kPattern);
        break;
    }
    copy_in(memory.address, content.data(), content.size());
  }

  Ended judge_output(const Case& c, const Plan& plan, const cuda::Job& job,
                     const std::vector<DeviceMemory>& buffers) {
    Observation observation;
    observation.completed = true;
    std::string unwritten;
    for (std::size_t i = 0; i < job.observed.size(); ++i) {
      const cuda::JobObserved& seen = job.observed[i];
      const bool is_buffer = seen.buffer != cuda::JobObserved::no_buffer;
      const std::uint64_t from = is_buffer
                                     ? buffers.at(seen.buffer).address
                                     : library_.symbol(job.launches.front().entry, seen.symbol);
      ObservedBuffer buffer;
      buffer.name = plan.observed[i].buffer;
      buffer.type = c.acc;
      buffer.bytes = copy_out(from, seen.cells * job.cell_bytes);
      buffer.defined.resize(seen.cells, true);
      const bool patterned = fill_ && is_buffer && job.buffers.at(seen.buffer).fill == Fill::poison;
      for (std::size_t cell = 0; patterned && cell < seen.cells; ++cell) {
        const auto first =
            buffer.bytes.begin() + static_cast<std::ptrdiff_t>(cell * job.cell_bytes);
        if (!std::all_of(first, first + job.cell_bytes,
                         [](std::byte b) { return b == kPattern; })) {
          continue;
        }
        buffer.defined[cell] = false;
        if (unwritten.empty())
          unwritten = fmt::format("{}[{}] was never written", buffer.name, cell);
      }
      observation.buffers.push_back(std::move(buffer));
    }
    const Verdict verdict = judge(c, plan, observation);
    if (!verdict.ok) {
      return {Output::wrong, fmt::format("got {}, expected {}", verdict.got, verdict.expected)};
    }
    if (!unwritten.empty()) return {Output::unwritten, unwritten};
    return {Output::right, verdict.got};
  }

  std::ostream& out_;
  bool fill_;
  cuda::Library library_;
};

}  // namespace

int run_worker(std::istream& in, std::ostream& out, const WorkerOptions& options) {
  try {
    check(cudaSetDevice(static_cast<int>(options.gpu)));
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, static_cast<int>(options.gpu)));
    out << device_line(properties.name) << std::flush;
  } catch (const std::runtime_error& error) {
    out << unusable_line(error.what()) << std::flush;
    return 3;
  }
  Worker worker(out, options);
  std::string line;
  for (std::size_t number = 0; std::getline(in, line); ++number) {
    try {
      const Ended ended = worker.run(number, line);
      if (options.settle) std::this_thread::sleep_for(kSettle);
      out << end_line(number, ended.output, ended.detail) << std::flush;
    } catch (const cuda::DeviceLost& lost) {
      out << end_line(number, Output::fault, lost.what()) << std::flush;
      return 0;
    } catch (const cuda::Rejected& rejected) {
      out << end_line(number, Output::rejected, rejected.what()) << std::flush;
    } catch (const CaseError& error) {
      out << end_line(number, Output::refused, error.what()) << std::flush;
    }
  }
  return 0;
}

}  // namespace gauntlet::sanitizer
