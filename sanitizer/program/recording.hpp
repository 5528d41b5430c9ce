// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The launches of a function of the host, noted in the place of being run, for whoever needs them
// as a plan has them: provers, counters, timing, GPUs. They hang on sizes and arguments alone where
// the function reads nothing of the device back and does nothing between them but launch; what does
// is named, and then there is no plan.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sanitizer/program/host_function.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

class Recording {
 public:
  /// `callers`: addresses of the caller's arrays. `modules`: those whose text is known.
  /// `alternate`: launches may be in several streams, where nothing but these orders them.
  Recording(std::vector<Address> callers, std::vector<std::uint32_t> modules, bool alternate)
      : callers_(std::move(callers)), alternate_(alternate), known_(std::move(modules)) {}

  /// What is put into a stream, of State::put.
  void put(State& s, cudaStream_t stream, const Work& work, const OperationPtr& operation);
  /// What such work comes to where it is a launch, of State::run.
  void launch(const State& s, const Kernel& kernel, const simt::LaunchConfig& config);
  /// Another call of the function begins.
  void begin_call() { record_.rehearsals = static_cast<std::uint32_t>(launches_.size()); }
  /// There is no plan; the first reason is told.
  void unfit(std::string why);

  /// What was noted.
  [[nodiscard]] HostRecord finish(const State& s);

 private:
  /// What a fill has made of an array: nothing else writes here.
  void take_fill(const State& s, std::uint32_t number, Address base);
  [[nodiscard]] Arg argument(const State& s, const std::string& kernel, std::size_t number,
                             std::span<const std::byte> bytes);
  [[nodiscard]] std::uint32_t number_of(const State& s, const Array& array);
  /// The text of a module, once.
  [[nodiscard]] std::uint32_t number_of(const State& s, const LoadedModule& module);

  const std::vector<Address> callers_;
  const bool alternate_;
  std::vector<std::uint32_t> known_;
  HostRecord record_;
  std::vector<Array> own_;
  std::vector<std::pair<const void*, Launch>> launches_;  ///< with their streams
  cudaStream_t stream_ = nullptr;                         ///< of what is being put
  bool programmatic_ = false, waits_ = false;
};

}  // namespace gauntlet::runtime
