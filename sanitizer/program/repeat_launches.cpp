// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which launches are looked at as repeats of which.
#include <algorithm>
#include <cstring>
#include <span>

#include "machine/code/code.hpp"
#include "machine/isa/data_dependence.hpp"
#include "machine/isa/decode.hpp"
#include "sanitizer/program/repeat.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

bool has_atomics(const simt::Kernel& code) {
  using What = simt::MemoryOp::What;
  return std::ranges::any_of(code.memory_ops, [](const simt::MemoryOp& op) {
    return op.what == What::atomic || op.what == What::reduction;
  });
}

void append(std::vector<std::byte>& key, const auto&... words) {
  const auto one = [&](const auto& word) {
    const auto bytes = std::as_bytes(std::span(&word, 1));
    key.insert(key.end(), bytes.begin(), bytes.end());
  };
  (one(words), ...);
}

/// Puts what they fetch from into the place of handles. False: that is not all there is to know.
bool describe_textures(const simt::Kernel& code, const simt::GlobalMemory& memory,
                       std::vector<std::byte>& key) {
  const auto offsets = simt::parameters_that_name(code, simt::Named::handles);
  if (!offsets) return false;
  const std::vector<std::byte> given = key;
  for (const std::uint64_t at : *offsets) {
    std::uint64_t handle = 0;
    if (given.size() - sizeof handle < at) return false;
    std::memcpy(&handle, given.data() + at, sizeof handle);
    const auto found = memory.textures.find(handle);
    if (found == memory.textures.end()) return false;
    const auto& [base, dimensions, size, layers, cube, row, plane, channels, channel, number,
                 surface, linear, filtered, normalised, fractions, mode, border] = found->second;
    std::fill_n(key.begin() + static_cast<std::ptrdiff_t>(at), sizeof handle, std::byte{});
    append(key, base, dimensions, size, layers, cube, row, plane, channels, channel, number,
           surface, linear, filtered, normalised, fractions, mode, border);
  }
  return true;
}

/// Puts numbers into the place of arrays that the kernel has by these parameters alone. Where one
/// that stands elsewhere among the parameters might be one of them, all are left as they are.
void number_arrays(const Heap& heap, const std::vector<std::uint64_t>& places, std::size_t size,
                   Repeat::Key& key) {
  constexpr std::uint64_t alignment = 256;
  std::vector<std::byte> numbered = key.bytes;
  std::vector<Address> arrays;
  for (std::size_t at = 0; at + sizeof(Address) <= size; at += alignof(float)) {
    Address address = 0;
    std::memcpy(&address, key.bytes.data() + at, sizeof address);
    const Array* const array = heap.live(address);
    if (array == nullptr) continue;
    const bool alone = array->space == Space::device && !array->mapped && !array->of_graph;
    if (!alone || std::ranges::find(places, at) == places.end()) return;
    const auto known = std::ranges::find(arrays, array->base);
    const auto number = static_cast<std::uint64_t>(known - arrays.begin());
    if (known == arrays.end()) arrays.push_back(array->base);
    const std::uint64_t offset = address - array->base;
    std::memcpy(numbered.data() + at, &offset, sizeof offset);
    append(numbered, at, number, array->bytes, array->base % alignment);
  }
  key.numbered = std::move(numbered);
  key.arrays = std::move(arrays);
}

}  // namespace

std::optional<Repeat::Key> State::repeated_by(Kernel& kernel, const simt::LaunchConfig& config,
                                              const Operation& operation) const {
  const simt::Kernel& code = *kernel.code;
  // What the runtime does for it and the grid's number are no arrays.
  const bool numbered = std::ranges::any_of(code.specials, [](const simt::SpecialRegister& one) {
    return one.what == simt::SpecialRegister::What::gridid;
  });
  if (numbered || !code.system_calls.empty() || !code.bulk_ops.empty() || operation.overlaps ||
      config.schedule != RunOptions().schedule) {
    return std::nullopt;
  }
  Repeat::Key key{config.params, {}, {}};
  if (!kernel.arrays_at) {
    kernel.arrays_at = simt::parameters_that_name(code, simt::Named::arrays)
                           .value_or(std::vector<std::uint64_t>{});
  }
  append(key.bytes, config.cluster.x, config.cluster.y, config.cluster.z, config.cooperative);
  if (code.texture_ops.empty()) number_arrays(heap, *kernel.arrays_at, config.params.size(), key);
  // What handles of objects stand for: else what was made and destroyed so far says that.
  if (!code.texture_ops.empty() && !describe_textures(code, heap.memory, key.bytes)) {
    append(key.bytes, textures.last_object, heap.memory.textures.size());
  }
  return key;
}

Repeat* State::launches_before(Kernel& kernel, Repeats& repeats, const simt::LaunchConfig& config,
                               const Operation& operation) const {
  if (repeats.empty()) return nullptr;
  const auto key = repeated_by(kernel, config, operation);
  if (!key) return nullptr;
  const auto known = repeats.find(key->bytes);
  if (known != repeats.end()) return &known->second;
  const auto other = std::ranges::find_if(
      repeats, [&](auto& one) { return one.second.move_to(*key, heap.memory); });
  if (other == repeats.end()) return nullptr;
  auto moved = repeats.extract(other);
  moved.key() = key->bytes;
  return &repeats.insert(std::move(moved)).position->second;
}

const Repeat::Done* State::same_accesses(Kernel& kernel, const Repeat& before) const {
  if (!kernel.depends_on_data) kernel.depends_on_data = simt::depends_on_data(*kernel.code);
  return *kernel.depends_on_data ? nullptr : before.accesses(heap.memory);
}

void State::keep_for_repeats(Kernel& kernel, Repeats& repeats, const simt::LaunchConfig& config,
                             const Operation& operation, const LaunchReport& report,
                             const Touched& touched) {
  constexpr std::size_t most = 64;
  const bool pays = repeats.size() < most && Repeat::pays(report, touched);
  if (repeats.empty() && !pays) return;
  auto key = repeated_by(kernel, config, operation);
  if (!key || (!pays && !repeats.contains(key->bytes))) return;
  const auto is_named = [&](const auto& of_array) {
    const Array* const array = heap.live(of_array.first);
    return std::ranges::find(key->arrays, of_array.first) != key->arrays.end() ||
           (array != nullptr && array->space == Space::variable);
  };
  if (!std::ranges::all_of(touched, is_named)) key->arrays.clear();
  if (!repeats.contains(key->bytes)) {
    std::uint64_t bytes = 0;
    for (const auto& [array, ranges] : touched) bytes += ranges.size() * sizeof ranges[0];
    kept_for_repeats_.take(bytes);
    if (kept_for_repeats_.full()) {
      kept_for_repeats_.give_back(bytes);
      return kept_for_repeats_.reopen();
    }
  }
  const Repeat::Done done{report,      operation.tells_host, touched, has_atomics(*kernel.code),
                          key->arrays, key->numbered};
  repeats[key->bytes].note(heap.memory, done, kept_for_repeats_);
}

void State::repeat(Kernel& kernel, const simt::LaunchConfig& config, const Repeat::Done& done,
                   const OperationPtr& operation) {
  ++report.process.kernels[kernel.in_report].repeated;
  settle(kernel, config, simt::LaunchReport(done.report), true, false, nullptr);
  operation->tells_host |= done.tells_host;
  operation->steps = {.waits = true, .begins_next_at_once = false};
  for (const auto& [array, ranges] : done.touched) order.access(operation, array, ranges);
}

}  // namespace gauntlet::runtime
