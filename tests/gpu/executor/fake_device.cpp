// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/executor/fake_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

namespace gauntlet::cuda {
namespace {

using namespace std::chrono_literals;

class FakeDevice final : public Device {
 public:
  FakeDevice(std::string log, unsigned launchers) : log_(std::move(log)), launchers_(launchers) {}

  Hello hello() override {
    Hello hello;
    hello.build = build_id();
    hello.device = "scripted";
    hello.launchers = launchers_;
    if (log_ == "unusable") hello.unusable = "scripted to be unusable";
    if (log_ == "stranger") ++hello.build;
    return hello;
  }

  std::vector<Result> run(std::span<const Job> jobs) override {
    std::vector<Result> results;
    for (const Job& job : jobs) results.push_back(run_one(job, jobs.size() == 1));
    return results;
  }

 private:
  Result run_one(const Job& job, bool alone) {
    const auto script = static_cast<Script>(job.identity);
    const bool before = ran_before(job);
    note(job);
    Result result;
    result.id = job.id;
    switch (script) {
      case Script::fault_together:
        if (alone) break;
        [[fallthrough]];
      case Script::fault:
        throw DeviceLost("cudaErrorIllegalAddress");
      case Script::hang:
        std::this_thread::sleep_for(1h);
        break;
      case Script::crash_once:
        if (before) break;
        [[fallthrough]];
      case Script::crash:
        raise(SIGKILL);
        break;
      case Script::reject:
        result.status = Result::Status::rejected;
        result.error = "cudaErrorInvalidConfiguration";
        return result;
      case Script::load: {
        const std::lock_guard lock(loading_);
        slow(true);
        std::this_thread::sleep_for(400ms);
        slow(false);
        break;
      }
      case Script::wrong_id:
        ++result.id;
        break;
      case Script::slow_answer: {
        const auto begin = now();
        std::this_thread::sleep_for(2ms);
        std::ofstream(log_ + ".spans", std::ios::app)
            << fmt::format("{} {} {}\n", getpid(), begin, now());
        break;
      }
      case Script::answer:
        break;
    }
    SeenCells seen;
    seen.bytes.resize(sizeof job.recipe.n);
    std::memcpy(seen.bytes.data(), &job.recipe.n, sizeof job.recipe.n);
    seen.kept = {0};
    result.observed.push_back(std::move(seen));
    return result;
  }

  static long now() {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  static std::string line(const Job& job) {
    return fmt::format("{} {}", job.recipe.n, job.identity);
  }
  void note(const Job& job) {
    std::ofstream file(log_, std::ios::app);
    file << line(job) + "\n" << std::flush;
  }
  bool ran_before(const Job& job) {
    if (static_cast<Script>(job.identity) != Script::crash_once) return false;
    std::ifstream file(log_);
    for (std::string text; std::getline(file, text);) {
      if (text == line(job)) return true;
    }
    return false;
  }

  std::string log_;
  unsigned launchers_;
  std::mutex loading_;
};

class SummingDevice final : public Device {
 public:
  explicit SummingDevice(unsigned launchers) : launchers_(launchers) {}

  Hello hello() override {
    Hello hello;
    hello.build = build_id();
    hello.device = "sums on the host";
    hello.major = 9;
    hello.launchers = launchers_;
    hello.devices = 1;
    return hello;
  }

  std::vector<Result> run(std::span<const Job> jobs) override {
    std::vector<Result> results;
    for (const Job& job : jobs) {
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < job.recipe.n; ++i) sum += element_bits(job.recipe, i);
      Result result;
      result.id = job.id;
      result.buffers.resize(job.buffers.size());
      if (job.host && job.host->which != 0) {  // one that fails, or whose launch is refused
        const bool fails = job.host->which == 1;
        result.status = fails ? Result::Status::failed : Result::Status::rejected;
        result.error = fails ? "returned 3, an error" : "cudaErrorInvalidConfiguration";
        results.push_back(std::move(result));
        continue;
      }
      for (const JobObserved& observed : job.observed) {
        SeenCells seen;
        seen.bytes.resize(observed.cells * observed.cell_bytes);
        for (std::uint64_t k = 0; k < observed.cells; ++k) {
          std::memcpy(seen.bytes.data() + k * observed.cell_bytes, &sum, observed.cell_bytes);
        }
        seen.kept.resize(observed.cells);
        result.observed.push_back(std::move(seen));
      }
      results.push_back(std::move(result));
    }
    return results;
  }

 private:
  unsigned launchers_;
};

}  // namespace

Job scripted(std::uint64_t n, Script script) {
  Job job;
  job.recipe.n = n;
  job.identity = static_cast<std::uint64_t>(script);
  return job;
}

std::uint64_t answered(const Result& result) {
  std::uint64_t n = 0;
  std::memcpy(&n, result.observed.at(0).bytes.data(), sizeof n);
  return n;
}

std::unique_ptr<Device> make_fake_device(std::string log, unsigned launchers) {
  return std::make_unique<FakeDevice>(std::move(log), launchers);
}

std::unique_ptr<Device> make_summing_device(unsigned launchers) {
  return std::make_unique<SummingDevice>(launchers);
}

Bytes batch_of(const std::vector<Job>& jobs, bool careful) {
  std::vector<Bytes> packed(jobs.size());
  std::vector<PackedJob> numbered;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    put_job(packed[i], jobs[i]);
    numbered.push_back({jobs[i].id, packed[i]});
  }
  Bytes bytes;
  put_batch(bytes, numbered, careful);
  return bytes;
}

}  // namespace gauntlet::cuda
