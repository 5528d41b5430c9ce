// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/code/code.hpp"
#include "machine/engine/module.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/program/host_function.hpp"

namespace gauntlet::runtime {
namespace {

bool is_harmless(cudaGraphNodeType type) {
  return type == cudaGraphNodeTypeEmpty || type == cudaGraphNodeTypeEventRecord ||
         type == cudaGraphNodeTypeWaitEvent || type == cudaGraphNodeTypeMemAlloc ||
         type == cudaGraphNodeTypeMemFree;
}

}  // namespace

void Recording::unfit(std::string why) {
  if (record_.unfit.empty()) record_.unfit = std::move(why);
}

void Recording::put(State& s, cudaStream_t stream, const Work& work,
                    const OperationPtr& operation) {
  programmatic_ = work.overlap.programmatic;
  stream_ = stream;
  waits_ |= work.type == cudaGraphNodeTypeWaitEvent;
  const bool fills = work.type == cudaGraphNodeTypeMemset;
  const std::string call = operation->call;
  if (work.type == cudaGraphNodeTypeMemcpy) unfit(fmt::format("copies, by {}", call));
  if (fills && !launches_.empty()) unfit(fmt::format("fills memory behind a launch, by {}", call));
  const std::size_t before = launches_.size();
  work.run(s, operation);
  if (launches_.size() == before && !fills && !is_harmless(work.type)) {
    unfit(fmt::format("calls {}", call));
  }
}

void Recording::launch(const State& s, const Kernel& kernel, const simt::LaunchConfig& config) {
  const std::string name = ptx::short_name(kernel.signature());
  if (config.cluster.count() > 1) unfit(fmt::format("launches {} in clusters", name));
  if (simt::uses_device_runtime(*kernel.module->code, kernel.symbol)) {
    unfit(fmt::format("launches {}, which makes launches of its own", name));
  }
  Launch launch{std::to_string(number_of(s, *kernel.module)),
                kernel.symbol,
                config.grid,
                config.block,
                config.shared_bytes,
                config.cooperative,
                programmatic_};
  const std::span<const std::byte> params(config.params);
  for (const simt::Param& info : kernel.code->params) {
    launch.args.push_back(
        argument(s, name, launch.args.size() + 1, params.subspan(info.offset, info.bytes)));
  }
  launches_.emplace_back(stream_, std::move(launch));
}

Arg Recording::argument(const State& s, const std::string& kernel, std::size_t number,
                        std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(Address) <= bytes.size(); at += sizeof(Address)) {
    Address address = 0;
    std::memcpy(&address, bytes.data() + at, sizeof address);
    const Array* const array = address == 0 ? nullptr : s.heap.live(address);
    if (array == nullptr) continue;
    const auto is = [&](std::string_view what) {
      unfit(fmt::format("gives {} {}, as parameter {}", kernel, what, number));
    };
    if (array->space == Space::variable) {
      is("the address of a variable");
    } else if (array->space != Space::device) {
      is("memory that the host shares");
    }
    if (bytes.size() != sizeof(Address)) {
      is("a struct with the address of an array");
      break;
    }
    return Arg::of_array(number_of(s, *array), address - array->base);
  }
  Arg given;
  given.bytes.assign(bytes.begin(), bytes.end());
  return given;
}

std::uint32_t Recording::number_of(const State& s, const Array& array) {
  const auto callers = std::ranges::find(callers_, array.base);
  if (callers != callers_.end()) return static_cast<std::uint32_t>(callers - callers_.begin());
  // What was allocated before it has its number before it, used or not.
  for (const auto& [base, one] : s.heap.arrays()) {
    const bool idle = one.space == Space::device && !one.freed && !one.static_variable;
    if (base > array.base || (base != array.base && !idle)) continue;
    if (std::ranges::count(own_, one.name, &Array::name) != 0) continue;
    own_.push_back(one);
    record_.arrays.push_back({one.name, one.bytes, 1});
    take_fill(s, static_cast<std::uint32_t>(callers_.size() + own_.size() - 1), base);
  }
  const auto own = std::ranges::find(own_, array.name, &Array::name);
  return static_cast<std::uint32_t>(callers_.size() + static_cast<std::size_t>(own - own_.begin()));
}

std::uint32_t Recording::number_of(const State& s, const LoadedModule& module) {
  const std::uint32_t number = s.number_of(module);
  if (std::ranges::count(known_, number) == 0) {
    known_.push_back(number);
    record_.modules.push_back({number, module.code->ast.text});
  }
  return number;
}

void Recording::take_fill(const State& s, std::uint32_t number, Address base) {
  const simt::Allocation* const found = s.heap.memory.find(base);
  if (found == nullptr) return;  // an array of no bytes
  const simt::Allocation& array = *found;
  const auto filled = static_cast<std::uint64_t>(
      std::count(array.state, array.state + array.bytes, simt::ByteState::initialised));
  if (filled == 0) return;
  if (filled != array.bytes) unfit(fmt::format("fills a part of {}", array.name));
  record_.filled.push_back({number, {array.data, array.data + array.bytes}});
}

HostRecord Recording::finish(const State& s) {
  for (std::uint32_t k = 0; k < callers_.size(); ++k) {
    if (callers_[k] != 0) take_fill(s, k, callers_[k]);
  }
  const auto elsewhere = [&](const auto& one) { return one.first != launches_.front().first; };
  if (std::ranges::any_of(launches_, elsewhere) &&
      (!alternate_ || waits_ || record_.rehearsals != 0)) {
    unfit("launches in several streams");
  }
  record_.launches = alternating(std::move(launches_));
  return std::move(record_);
}

}  // namespace gauntlet::runtime
