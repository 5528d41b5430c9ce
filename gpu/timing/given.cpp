// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/given.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/statistics.hpp"
#include "base/text/table.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/timing/bench.hpp"
#include "gpu/timing/limit.hpp"
#include "gpu/timing/nvml.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::uint64_t left_free = std::uint64_t{1} << 30;

/// So many of these bytes as are wanted and fit; one more may keep a content.
unsigned slots_in_memory(std::uint64_t bytes) {
  std::size_t free = 0, all = 0;
  cuda::check(cudaMemGetInfo(&free, &all));
  const std::uint64_t memory = free > left_free ? free - left_free : 0;
  const std::uint64_t room = memory / std::max<std::uint64_t>(bytes, 1);
  return room < 2 ? 1 : static_cast<unsigned>(std::min(wanted_slots(bytes), room - 1));
}

class GivenPass {
 public:
  GivenPass(const properties::Subject& subject, const GivenOptions& options,
            const DeviceFacts& device)
      : subject_(subject), options_(options), bench_(device) {}

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
    } catch (const WrongResult& error) {
      time.why = fmt::format("its result is wrong: {}", error.what());
    }
    return time;
  }

 private:
  void measure(const GivenCase& given, GivenTime& time) {
    const Plan plan = without_rehearsals(given.plan);
    const Case c = resolved(given.c, plan);
    if (plan.takes_input) time.bytes = c.n * size_of(c.in);
    for (const Buffer& buffer : plan.buffers) {
      if (buffer.read_only || buffer.output) time.bytes += buffer.bytes;
    }
    time.slots = slots_in_memory(plan.takes_input ? InputSlots::stride(c.in, c.n)
                                                  : PlanWork::bytes_of(c, plan));
    time.launches = static_cast<std::uint32_t>(plan.launches.size());
    if (plan.takes_input) bench_.input.fill(c, time.slots);
    const auto wrong = [&](const Observation& seen) {
      const Verdict verdict = subject_.judge(c, plan, seen);
      if (verdict.ok) return std::string{};
      const Finding& finding = verdict.findings.front();
      return fmt::format("{}[{}]: {}", finding.array, finding.index, finding.detail);
    };
    time.samples_us =
        bench_.time(to_string(given.c), c, plan, time.slots, options_.repetitions, wrong)
            .microseconds;
  }

  void measure_cub(const PlainSum& sum, GivenTime& time) {
    if (sum.n == 0) return;
    Case c;
    c.in = sum.types.in;
    c.acc = sum.types.acc;
    c.n = sum.n;
    c.data = timed_data;
    bench_.input.fill(c, slots_in_memory(InputSlots::stride(c.in, c.n)));
    time.cub_samples_us = bench_.time_cub("cub", c, options_.repetitions).microseconds;
  }

  const properties::Subject& subject_;
  const GivenOptions& options_;
  Bench bench_;
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
  GivenPass pass(subject, options, report.device);
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
