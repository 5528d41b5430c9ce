// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/step_limit.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/mbarrier.hpp"

namespace gauntlet::simt {

std::pair<std::uint32_t, std::uint32_t> loop_around(const Kernel& kernel, std::uint32_t pc) {
  const auto& code = kernel.code;
  for (auto k = pc; k < code.size(); ++k) {
    if (code[k].kind == Kind::branch && code[k].target <= pc) return {code[k].target, k};
  }
  return {1, 0};
}

StepLimit::StepLimit(const Kernel& kernel, const LaunchConfig& config)
    : kernel_(kernel),
      config_(config),
      steps_(config.step_limit != 0 ? config.step_limit : 10'000'000) {}

bool StepLimit::moves_on(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes) {
  constexpr std::uint64_t more = 1'000'000, most = 1'000'000'000;
  constexpr unsigned turns = 3;
  if (!config_.may_be_long || config_.step_limit != 0 || steps_ >= most) return false;
  const auto lane = std::countr_zero(lanes);
  const auto [first, last] = loop_around(kernel_, pc);
  std::vector<std::uint64_t> reads{first};
  for (auto k = first; k <= last; ++k) {
    if (kernel_.code[k].kind != Kind::memory || !kernel_.code[k].visible) continue;
    const auto& op = kernel_.memory_ops[kernel_.code[k].extra];
    if (op.what == MemoryOp::What::store) continue;
    reads.push_back(op.address_is_constant ? 0
                    : op.address_wide      ? w.source<std::uint64_t>(op.address)[lane]
                                           : w.source<std::uint32_t>(op.address)[lane]);
  }
  auto& [before, same] = read_at_limit_[{b.linear, w.index}];
  same = reads.size() > 1 && reads == before ? same + 1 : 0;
  if (same == turns) return false;
  const bool first_look = before.empty() || same != 0;
  before = first_look ? std::move(reads) : std::vector<std::uint64_t>{};
  // One turn of the loop and a bit, another one in each round; then for long nothing.
  steps_ += first_look ? last - first + 2 + same : more;
  return true;
}

std::string awaited_arrivals(const Block& b, const Warp& w, const MemoryOp& op,
                             std::uint32_t lane) {
  if (!op.mbarrier || op.what != MemoryOp::What::load) return {};
  const std::uint64_t address = address_of(w, op, lane) % window_bytes;
  for (const Region& r : b.shared) {
    if (address - r.base >= r.bytes) continue;
    std::uint64_t word = 0;
    std::memcpy(&word, r.data + (address - r.base), sizeof word);
    const auto bytes = mbarrier::bytes(word);
    auto waits = fmt::format("; the mbarrier waits for {} arrivals", mbarrier::pending(word));
    if (bytes > 0) waits += fmt::format(", and for {} bytes that no copy brings", bytes);
    if (bytes < 0) waits += fmt::format(", and {} bytes have come that nobody expects", -bytes);
    return waits;
  }
  return {};
}

std::string StepLimit::detail(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes,
                              std::uint32_t idle_blocks) const {
  auto detail = fmt::format("the warp executed more than {} instructions", steps_);
  const auto [first, last] = loop_around(kernel_, pc);
  bool reads = false, stores = false;
  std::string waits;
  for (auto k = first; k <= last; ++k) {
    if (kernel_.code[k].kind != Kind::memory || !kernel_.code[k].visible) continue;
    const MemoryOp& op = kernel_.memory_ops[kernel_.code[k].extra];
    (op.what == MemoryOp::What::store ? stores : reads) = true;
    waits += awaited_arrivals(b, w, op, static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }
  if (reads && !stores) {
    detail += ", the last ones in a loop that reads memory, as one that waits does" + waits;
  } else if (stores) {
    detail += ", the last ones in a loop that writes memory: if it does end, raise --step-limit";
  }
  if (idle_blocks != 0) {
    detail += fmt::format("; {} of {} blocks had not started", idle_blocks, config_.grid.count());
  }
  return detail;
}

}  // namespace gauntlet::simt
