// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/given.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/numbers.hpp"
#include "base/statistics.hpp"
#include "base/text/table.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/executor/launch.hpp"
#include "gpu/executor/library.hpp"
#include "gpu/timing/cub.hpp"
#include "gpu/timing/nvml.hpp"
#include "gpu/timing/timer.hpp"
#include "gpu/timing/verify.hpp"
#include "gpu/timing/work.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::timing {
namespace {

class GivenWork final : public Work {
 public:
  /// The plan takes no input beside its arrays. Throws cuda::Rejected, cuda::OutOfMemory.
  GivenWork(cuda::Library& library, const Case& c, const Plan& plan, unsigned slots);
  /// Arrays that a kernel may change get their content again; what has none keeps what it holds.
  void restore(cudaStream_t stream) override;
  void enqueue(cudaStream_t stream, unsigned slot) override;
  /// What the last run in a slot left. Waits for the stream.
  [[nodiscard]] Observation read(cudaStream_t stream, unsigned slot) const;

  /// Device memory of one slot's arrays.
  [[nodiscard]] static std::uint64_t bytes_of(const Plan& plan);

 private:
  [[nodiscard]] std::uint64_t address(std::uint32_t buffer, unsigned slot) const {
    return memory_.begin() + stride_ * slot + offsets_.at(buffer);
  }

  cuda::Library& library_;
  const Case case_;
  const Plan plan_;
  const cuda::Job job_;
  const unsigned slots_;
  std::vector<std::uint64_t> offsets_;  ///< of each buffer in its slot
  std::uint64_t stride_ = 0;
  DeviceMemory memory_;  ///< behind the slots one more, which keeps the content
};

std::uint64_t space_of(const Buffer& buffer) {
  return round_up(std::max<std::uint64_t>(buffer.offset + buffer.bytes, 1), buffer_alignment);
}

std::uint64_t GivenWork::bytes_of(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const Buffer& buffer : plan.buffers) bytes += space_of(buffer);
  return bytes;
}

GivenWork::GivenWork(cuda::Library& library, const Case& c, const Plan& plan, unsigned slots)
    : library_(library),
      case_(c),
      plan_(plan),
      job_(cuda::make_job(c, plan)),
      slots_(slots),
      stride_(bytes_of(plan)) {
  std::uint64_t at = 0;
  for (const Buffer& buffer : plan_.buffers) {
    offsets_.push_back(at + buffer.offset);
    at += space_of(buffer);
  }
  memory_.reserve(stride_ * (slots_ + 1));
  cuda::check(cudaMemset(pointer(memory_.begin()), poison_byte, stride_ * (slots_ + 1)));
  for (std::uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    const std::vector<std::byte>& content = plan_.buffers[k].content;
    if (content.empty()) continue;
    cuda::check(cudaMemcpy(pointer(address(k, slots_)), content.data(), content.size(),
                           cudaMemcpyHostToDevice));
  }
  for (unsigned slot = 0; slot < slots_; ++slot) {
    cuda::check(cudaMemcpy(pointer(memory_.begin() + stride_ * slot),
                           pointer(memory_.begin() + stride_ * slots_), stride_,
                           cudaMemcpyDeviceToDevice));
  }
  cuda::check(cudaDeviceSynchronize());
  for (const cuda::JobLaunch& launch : job_.launches) cuda::make_ready(library_, launch);
}

void GivenWork::restore(cudaStream_t stream) {
  for (std::uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    const Buffer& buffer = plan_.buffers[k];
    if (buffer.read_only || buffer.content.empty()) continue;
    for (unsigned slot = 0; slot < slots_; ++slot) {
      cuda::check(cudaMemcpyAsync(pointer(address(k, slot)), pointer(address(k, slots_)),
                                  buffer.bytes, cudaMemcpyDeviceToDevice, stream));
    }
  }
}

void GivenWork::enqueue(cudaStream_t stream, unsigned slot) {
  for (const cuda::JobLaunch& launch : job_.launches) {
    cuda::start(
        library_, launch, [&](std::uint32_t array) { return address(array - 1, slot); }, stream);
  }
}

Observation GivenWork::read(cudaStream_t stream, unsigned slot) const {
  Observation observation;
  observation.completed = true;
  for (const Observed& observed : plan_.observed) {
    const auto at = std::ranges::find(plan_.buffers, observed.buffer, &Buffer::name);
    const auto number = static_cast<std::uint32_t>(at - plan_.buffers.begin());
    observation.buffers.push_back(read_cells(stream, observed.buffer,
                                             observed.type.value_or(case_.acc),
                                             address(number, slot), observed.cells));
  }
  return observation;
}

constexpr std::uint64_t left_free = std::uint64_t{1} << 30;

class GivenPass {
 public:
  GivenPass(const properties::Subject& subject, const GivenOptions& options, GivenReport& report)
      : subject_(subject),
        options_(options),
        library_(0, [](bool) {}),
        input_(library_, stream_.get()),
        flush_(report.device.l2_bytes, report.device.multiprocessors) {}

  GivenTime time(const GivenCase& given) {
    GivenTime time;
    time.c = given.c;
    time.why = given.plan.refusal;
    if (!time.why.empty()) return time;
    try {
      measure(given, time);
      if (given.sum && has_direct_cub(given.sum->types)) measure_cub(*given.sum, time);
    } catch (const cuda::Rejected& error) {
      time.why = fmt::format("CUDA refuses the launch: {}", error.what());
    } catch (const cuda::OutOfMemory& error) {
      time.why = error.what();
    }
    return time;
  }

 private:
  unsigned slots_for(std::uint64_t bytes) const {
    std::size_t free = 0, all = 0;
    cuda::check(cudaMemGetInfo(&free, &all));
    const std::uint64_t memory = free > left_free ? free - left_free : 0;
    const std::uint64_t wanted = wanted_slots(bytes);
    const std::uint64_t room = memory / bytes;  // one more keeps the content
    return room < 2 ? 1 : static_cast<unsigned>(std::min(wanted, room - 1));
  }

  /// Empty where the values are right.
  std::string wrong(const GivenCase& given, const GivenWork& work, unsigned slot) {
    const Verdict verdict = subject_.judge(given.c, given.plan, work.read(stream_.get(), slot));
    if (verdict.ok) return {};
    const Finding& finding = verdict.findings.front();
    return fmt::format("its result is wrong: {}[{}]: {}", finding.array, finding.index,
                       finding.detail);
  }

  void measure(const GivenCase& given, GivenTime& time) {
    const Plan plan = without_rehearsals(given.plan);
    for (const Buffer& buffer : plan.buffers) {
      if (buffer.read_only || buffer.output) time.bytes += buffer.bytes;
    }
    const std::uint64_t bytes = GivenWork::bytes_of(plan);
    time.slots = slots_for(bytes);
    time.launches = static_cast<std::uint32_t>(plan.launches.size());
    GivenWork work(library_, given.c, plan, time.slots);
    TimedGraph graph(stream_.get(), work, time.slots);
    Timer timer{stream_.get(), work, graph, flush_, time.slots, bytes};
    (void)timer.once();
    time.why = wrong(given, work, 0);
    if (!time.why.empty()) return;
    time.samples_us = timer.measure(to_string(given.c), options_.repetitions).microseconds;
    time.why = wrong(given, work, time.slots - 1);
    if (!time.why.empty()) time.samples_us.clear();
  }

  void measure_cub(const PlainSum& sum, GivenTime& time) {
    if (sum.n == 0 || !time.why.empty()) return;
    Case c;
    c.in = sum.types.in;
    c.acc = sum.types.acc;
    c.n = sum.n;
    c.data = timed_data;
    input_.fill(c, slots_for(InputSlots::stride(c.in, c.n)));
    CubWork work(c, input_, scratch_);
    TimedGraph graph(stream_.get(), work, input_.count());
    Timer timer{stream_.get(), work, graph, flush_, input_.count(), c.n * size_of(c.in)};
    (void)timer.once();
    time.cub_samples_us = timer.measure("cub", options_.repetitions).microseconds;
  }

  const properties::Subject& subject_;
  const GivenOptions& options_;
  cuda::Library library_;
  Stream stream_;
  InputSlots input_;
  CacheFlush flush_;
  Scratch scratch_;
};

}  // namespace

double GivenTime::median_us() const { return median(samples_us); }

double GivenTime::gb_per_s() const {
  return samples_us.empty() ? 0 : static_cast<double>(bytes) / median_us() / 1e3;
}

std::optional<double> GivenTime::cub_median_us() const {
  if (cub_samples_us.empty()) return std::nullopt;
  return median(cub_samples_us);
}

std::optional<double> GivenTime::ratio_to_cub() const {
  if (cub_samples_us.empty() || samples_us.empty()) return std::nullopt;
  return median_us() / *cub_median_us();
}

bool GivenReport::complete() const {
  return !interrupted && !times.empty() &&
         std::ranges::all_of(times, [](const GivenTime& t) { return t.why.empty(); });
}

GivenReport time_given(const properties::Subject& subject, std::size_t count,
                       const std::function<GivenCase(std::size_t)>& make,
                       const GivenOptions& options) {
  GivenReport report;
  report.device = device_facts(0);
  report.repetitions = options.repetitions;
  GivenPass pass(subject, options, report);
  for (std::size_t k = 0; k < count; ++k) {
    if (options.cancel != nullptr && *options.cancel) {
      report.interrupted = true;
      break;
    }
    const GivenCase given = make(k);
    if (options.progress) options.progress(k, count, to_string(given.c));
    report.times.push_back(pass.time(given));
  }
  return report;
}

std::string text(const GivenReport& report, const Style& style) {
  Table table({"case", "us", "GB/s", "CUB us", "ratio"}, 1);
  for (const GivenTime& time : report.times) {
    if (!time.why.empty()) {
      table.row({short_line(time.c), "-", "-", "-", "-"});
      table.below("  not timed: " + time.why + "\n");
      continue;
    }
    const auto cub = time.cub_median_us();
    table.row({short_line(time.c), fmt::format("{:.2f}", time.median_us()),
               fmt::format("{:.0f}", time.gb_per_s()), cub ? fmt::format("{:.2f}", *cub) : "-",
               cub ? fmt::format("{:.2f}", *time.ratio_to_cub()) : "-"});
  }
  return table.text(0, style) + fmt::format("on {}\n", report.device.name);
}

}  // namespace gauntlet::timing
