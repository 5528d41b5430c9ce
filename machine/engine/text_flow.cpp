// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/text_flow.hpp"

#include <algorithm>
#include <utility>

#include "machine/isa/instruction_rows.hpp"

namespace gauntlet::simt {
namespace {

using ptx::Instruction;
using PtxOperand = ptx::Operand;
using Name = std::string_view;

bool names(const PtxOperand& o, Name name) {
  return o.name == name || std::any_of(o.parts.begin(), o.parts.end(),
                                       [&](const PtxOperand& part) { return names(part, name); });
}

}  // namespace

std::vector<PtxOperand*> results(Instruction& i) {
  const Effect effect = effect_of(i);
  if ((effect != Effect::computes && effect != Effect::weak_load) || i.operands.empty()) return {};
  auto& first = i.operands[0];
  if (first.kind == PtxOperand::Kind::name) return {&first};
  std::vector<PtxOperand*> all;
  for (auto& part : first.parts) {
    if (part.kind != PtxOperand::Kind::sink) all.push_back(&part);
  }
  return all;
}

void TextFlow::find_labels() {
  labels_.clear();
  for (const auto& label : f_.labels) labels_[label.name] = label.instruction;
}

std::vector<std::uint32_t> TextFlow::next(std::uint32_t k) const {
  const Instruction& i = f_.body[k];
  const bool ends = i.opcode == "ret" || i.opcode == "exit" || i.opcode == "trap" ||
                    i.opcode == "brx" || i.opcode == "bra";
  std::vector<std::uint32_t> all;
  if (i.opcode == "bra" && !i.operands.empty()) {
    const auto label = labels_.find(i.operands[0].name);
    if (label != labels_.end()) all.push_back(label->second);
  }
  if ((!ends || !i.guard.empty()) && k + 1 < f_.body.size()) all.push_back(k + 1);
  return all;
}

std::optional<std::uint32_t> TextFlow::join_of(std::uint32_t branch) const {
  const auto count = f_.body.size();
  std::vector<std::vector<bool>> behind(count, std::vector<bool>(count, true));
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = count; k-- > 0;) {
      const auto to = next(static_cast<std::uint32_t>(k));
      std::vector<bool> now(count, !to.empty());
      for (const auto t : to) {
        for (std::size_t j = 0; j < count; ++j) now[j] = now[j] && behind[t][j];
      }
      now[k] = true;
      if (now == behind[k]) continue;
      behind[k] = std::move(now);
      more = true;
    }
  }
  const auto size = [&](std::size_t k) {
    return std::count(behind[k].begin(), behind[k].end(), true);
  };
  for (std::uint32_t k = 0; k < count; ++k) {
    if (k != branch && behind[branch][k] && size(k) + 1 == size(branch)) return k;
  }
  return std::nullopt;
}

bool TextFlow::live(std::uint32_t from, Name name) const {
  std::vector<bool> seen(f_.body.size());
  std::vector<std::uint32_t> open{from};
  while (!open.empty()) {
    const auto k = open.back();
    open.pop_back();
    if (seen[k]) continue;
    seen[k] = true;
    Instruction i = f_.body[k];
    if (i.guard == name || i.callee == name) return true;
    const auto written = results(i);
    const bool writes = std::any_of(written.begin(), written.end(),
                                    [&](const PtxOperand* o) { return o->name == name; });
    for (auto* o : written) o->name = {};
    const auto reads = [&](const auto& all) {
      return std::any_of(all.begin(), all.end(),
                         [&](const PtxOperand& o) { return names(o, name); });
    };
    if (reads(i.operands) || reads(i.call_args) || reads(i.call_returns)) return true;
    if (writes && i.guard.empty()) continue;
    for (const auto t : next(k)) open.push_back(t);
  }
  return false;
}

}  // namespace gauntlet::simt
