// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/worker.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <istream>
#include <ostream>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/usage_error.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/plain.hpp"
#include "properties/launch/case_run.hpp"
#include "sanitizer/vendor/calibration.hpp"
#include "sanitizer/vendor/transcript.hpp"

namespace gauntlet::sanitizer {
namespace {

using cuda::check;

constexpr std::byte fill_pattern{0xa5};
constexpr std::chrono::milliseconds settle_time{10};

struct Ended {
  Output output = Output::right;
  std::string detail{};
};

class Worker {
 public:
  Worker(std::ostream& out, const WorkerOptions& options, const properties::Subject& subject)
      : out_(out),
        subject_(subject),
        library_(
            static_cast<int>(options.gpu), [](bool) {}, embedded()),
        device_(library_, device_options(options)) {}

  /// Throws DeviceLost.
  Ended run(std::size_t number, const std::string& line) {
    const std::string word = std::string(calibration_word) + " ";
    if (line.starts_with(word)) return calibrate(number, line.substr(word.size()));
    const Case c = parse_case(line);
    const Plan plan = subject_.plan(c);
    if (!plan.refusal.empty()) return {Output::refused, plan.refusal};
    return run_case(number, c, plan);
  }

 private:
  static cuda::PlainDevice::Options device_options(const WorkerOptions& options) {
    // What the host leaves undefined must be so to initcheck.
    cuda::PlainDevice::Options result{.copy_undefined = false};
    if (options.fill) result.pattern = fill_pattern;
    return result;
  }

  /// Tells what was allocated since the device had `before` arrays.
  void tell_begin(std::size_t number, std::size_t before) {
    std::vector<Allocation> allocations;
    for (const auto& [array, address] : std::span(device_.placed()).subspan(before)) {
      allocations.push_back({array.name, address, array.bytes, std::max(1U, array.element_bytes),
                             static_cast<std::uint64_t>(array.index_base)});
    }
    out_ << line({.job = number, .begins = std::move(allocations)}) << std::flush;
  }

  Ended calibrate(std::size_t number, const std::string& entry) {
    const std::uint32_t threads = calibration_threads(entry);
    if (threads == 0) return {Output::refused, "no calibration kernel is called " + entry};
    std::vector<int> values(threads);
    for (std::uint32_t i = 0; i < threads; ++i) values[i] = static_cast<int>(i) + 1;
    std::vector<std::byte> bytes(threads * sizeof(int));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const std::size_t before = device_.placed().size();
    const Address in = device_.allocate({.name = "in", .bytes = bytes.size()});
    const Address to = device_.allocate({.name = "out", .bytes = bytes.size()});
    device_.write(in, bytes);
    tell_begin(number, before);
    Launch launch{"calibration", entry, {1}, {threads}, static_cast<std::uint32_t>(bytes.size()),
                  false,         {}};
    launch.args = {Arg::of_array(0), Arg::of_array(1), Arg::of_value(static_cast<int>(threads))};
    device_.launch(launch, std::array{in, to});
    device_.read(to, bytes);
    return {};
  }

  Ended run_case(std::size_t number, const Case& c, const Plan& plan) {
    const std::size_t before = device_.placed().size();
    const std::vector<Address> arrays = prepare(device_, c, plan);
    tell_begin(number, before);
    for (const Launch& launch : plan.launches) device_.launch(launch, arrays);
    Observation observation;
    observation.completed = true;
    collect(device_, c, plan, arrays, observation);
    const Verdict verdict = subject_.judge(c, plan, observation);
    if (!verdict.ok) {
      return {Output::wrong, fmt::format("got {}, expected {}", verdict.got, verdict.expected)};
    }
    for (const Finding& f : observation.findings) {
      return {Output::unwritten, fmt::format("{}[{}] was never written", f.array, f.index)};
    }
    return {Output::right, verdict.got};
  }

  std::ostream& out_;
  const properties::Subject& subject_;
  cuda::Library library_;
  cuda::PlainDevice device_;  // frees nothing before the end, so that an address means one job
};

}  // namespace

int run_worker(std::istream& in, std::ostream& out, const WorkerOptions& options,
               const properties::Subject& subject) {
  try {
    check(cudaSetDevice(static_cast<int>(options.gpu)));
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, static_cast<int>(options.gpu)));
    out << line({.device = properties.name}) << std::flush;
  } catch (const std::runtime_error& error) {
    out << line({.unusable = error.what()}) << std::flush;
    return 3;
  }
  Worker worker(out, options, subject);
  std::string job;
  for (std::size_t number = 0; std::getline(in, job); ++number) {
    const auto end = [&](Output output, const std::string& detail) {
      out << line({.job = number, .output = output, .detail = detail}) << std::flush;
    };
    try {
      const Ended ended = worker.run(number, job);
      if (options.settle) std::this_thread::sleep_for(settle_time);
      end(ended.output, ended.detail);
    } catch (const cuda::DeviceLost& lost) {
      end(Output::fault, lost.what());
      return 0;
    } catch (const cuda::Rejected& rejected) {
      end(Output::rejected, rejected.what());
    } catch (const CaseError& error) {
      end(Output::refused, error.what());
    } catch (const UsageError& error) {
      end(Output::refused, error.what());
    }
  }
  return 0;
}

}  // namespace gauntlet::sanitizer
