// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text/json_fields.hpp"
#include "machine/engine/module.hpp"
#include "machine/ptx/source_names.hpp"

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

cudaError_t Recording::put(State& s, cudaStream_t stream, const Work& work,
                           const OperationPtr& operation) {
  programmatic_ = work.programmatic;
  const std::size_t before = record_.launches.size();
  const std::string call = operation->call;
  const cudaError_t error = work.run(s, operation);
  const bool launched = record_.launches.size() != before;
  if (work.type == cudaGraphNodeTypeMemset) {
    if (!record_.launches.empty()) unfit(fmt::format("fills memory behind a launch, by {}", call));
  } else if (work.type == cudaGraphNodeTypeMemcpy) {
    unfit(fmt::format("copies, by {}", call));
  } else if (!launched && !is_harmless(work.type)) {
    unfit(fmt::format("calls {}", call));
  }
  if (launched && stream_.value_or(stream) != stream) unfit("launches in several streams");
  if (launched) stream_ = stream;
  return error;
}

cudaError_t Recording::launch(const State& s, const Kernel& kernel,
                              const simt::LaunchConfig& config) {
  const std::string name = ptx::short_name(kernel.signature());
  if (config.cluster.count() > 1) unfit(fmt::format("launches {} in clusters", name));
  if (simt::uses_device_runtime(*kernel.module->code, kernel.symbol)) {
    unfit(fmt::format("launches {}, which makes launches of its own", name));
  }
  HostLaunch launch;
  launch.module = number_of(s, *kernel.module);
  launch.entry = kernel.symbol;
  launch.grid = config.grid;
  launch.block = config.block;
  launch.shared_bytes = config.shared_bytes;
  launch.cooperative = config.cooperative;
  launch.programmatic = programmatic_;
  const std::span<const std::byte> params(config.params);
  for (const simt::ParamInfo& info : s.parameters(kernel)) {
    launch.arguments.push_back(
        argument(s, name, launch.arguments.size() + 1, params.subspan(info.offset, info.bytes)));
  }
  record_.launches.push_back(std::move(launch));
  return cudaSuccess;
}

HostArgument Recording::argument(const State& s, const std::string& kernel, std::size_t number,
                                 std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(Address) <= bytes.size(); at += sizeof(Address)) {
    Address address = 0;
    std::memcpy(&address, bytes.data() + at, sizeof address);
    const Array* const array = address == 0 ? nullptr : s.heap.find(address);
    if (array == nullptr || array->freed) continue;
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
    return {.array = number_of(s, *array), .offset = address - array->base};
  }
  values_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return {.bytes = bytes.size()};
}

std::uint32_t Recording::number_of(const State& s, const Array& array) {
  const auto callers = std::ranges::find(callers_, array.base);
  if (callers != callers_.end()) return static_cast<std::uint32_t>(callers - callers_.begin());
  const auto own = std::ranges::find(own_, array.name, &Array::name);
  const auto number =
      static_cast<std::uint32_t>(callers_.size() + static_cast<std::size_t>(own - own_.begin()));
  if (own != own_.end()) return number;
  own_.push_back(array);
  record_.arrays.push_back({.name = array.name, .bytes = array.bytes, .element_bytes = 1});
  take_fill(s, number, array.base);
  return number;
}

std::uint32_t Recording::number_of(const State& s, const LoadedModule& module) {
  const std::uint32_t number = s.number_of(module);
  if (std::ranges::count(known_, number) == 0) {
    known_.push_back(number);
    const std::string& text = module.code->ast.text;
    record_.modules.push_back({number, text.size()});
    texts_ += text;
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
  contents_.append(reinterpret_cast<const char*>(array.data), array.bytes);
  record_.filled.push_back({number, array.bytes});
}

std::string Recording::reply(const State& s, const HostReply& ended) {
  for (std::uint32_t k = 0; k < callers_.size(); ++k) {
    if (callers_[k] != 0) take_fill(s, k, callers_[k]);
  }
  record_.error = ended.error;
  record_.problem = ended.problem;
  Json json = Json::object();
  add_fields(json, record_);
  return compact_json(json) + '\n' + values_ + contents_ + texts_;
}

}  // namespace gauntlet::runtime
