// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/parameter_use.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "machine/ptx/ast.hpp"

namespace gauntlet::sanitize {
namespace {

/// Parameters, a bit each, that a register's value is made of; those of `moved` with something
/// added. Of more than 63 parameters the last ones share a bit, and are not told apart.
constexpr std::uint64_t bit_of(std::size_t parameter) {
  return std::uint64_t{1} << std::min<std::size_t>(parameter, 62);
}
constexpr std::uint64_t of_thread = std::uint64_t{1} << 63;  // the thread's number
struct MadeOf {
  std::uint64_t from = 0, moved = 0;
  MadeOf& operator|=(const MadeOf& other) {
    from |= other.from;
    moved |= other.moved;
    return *this;
  }
  bool operator==(const MadeOf&) const = default;
};

class Uses {
 public:
  explicit Uses(const ptx::Function& kernel) : kernel_(kernel), uses_(kernel.params.size()) {
    for (std::size_t k = 0; k < kernel.params.size(); ++k) {
      parameters_[kernel.params[k].name].from = bit_of(k);
    }
    registers_["%tid.x"].from = of_thread;
    // A loop may move a pointer behind its use: until nothing new is known.
    do {
      changed_ = false;
      for (const ptx::Instruction& instruction : kernel_.body) step(instruction);
    } while (changed_);
  }
  [[nodiscard]] std::vector<ParameterUse> result() const { return uses_; }

 private:
  [[nodiscard]] MadeOf origin(const ptx::Operand& operand) const {
    MadeOf all;
    for (const ptx::Operand& part : operand.parts) all |= origin(part);
    if (const auto found = registers_.find(operand.name); found != registers_.end()) {
      all |= found->second;
    }
    if (operand.offset != 0) all.moved |= all.from;
    return all;
  }
  void define(const ptx::Operand& operand, const MadeOf& made) {
    for (const ptx::Operand& part : operand.parts) define(part, made);
    if (operand.name.empty() || made == MadeOf{}) return;
    MadeOf& old = registers_[operand.name];
    const MadeOf before = old;
    old |= made;
    changed_ |= old != before;
  }
  void note(const MadeOf& address, bool ParameterUse::*what) {
    for (std::size_t k = 0; k < uses_.size(); ++k) {
      const std::uint64_t bit = bit_of(k);
      if ((address.from & bit) == 0) continue;
      uses_[k].*what = true;
      if ((address.moved & bit) != 0) uses_[k].indexed = true;
      if ((address.from & of_thread) != 0) uses_[k].by_thread = true;
      uses_[k].beside |= address.from & ~bit & ~of_thread;
    }
  }

  void step(const ptx::Instruction& i) {
    const auto is = [&](auto... words) { return ((i.opcode == words) || ...); };
    const bool of_parameters =
        is("ld") && std::ranges::find(i.suffixes, "param") != i.suffixes.end();
    if (of_parameters && i.operands.size() == 2) {
      const auto found = parameters_.find(i.operands[1].name);
      if (found != parameters_.end()) define(i.operands[0], found->second);
      return;
    }
    if (is("setp", "bra", "ret", "prefetch", "isspacep")) return;
    if (is("mov", "cvta") && i.operands.size() == 2) {
      define(i.operands[0], origin(i.operands[1]));
      return;
    }
    if (is("add", "sub", "mad", "selp", "min", "max", "and", "or", "shl", "shr", "cvt", "mul")) {
      MadeOf made;
      for (std::size_t k = 1; k < i.operands.size(); ++k) made |= origin(i.operands[k]);
      if (!is("selp")) made.moved = made.from;
      if (is("shr")) made.from &= ~of_thread;  // the same in a warp
      define(i.operands[0], made);
      return;
    }
    for (const ptx::Operand& operand : i.operands) {
      const MadeOf here = origin(operand);
      const bool address = operand.kind == ptx::Operand::Kind::address;
      if (address && is("ld", "ldu")) {
        note(here, &ParameterUse::loaded);
      } else if (address && is("red", "atom") &&
                 std::ranges::none_of(i.suffixes, [](std::string_view suffix) {
                   return suffix == "cas" || suffix == "exch";
                 })) {
        note(here, &ParameterUse::updated);
      } else {
        note(here, &ParameterUse::written);
      }
    }
    for (const ptx::Operand& operand : i.call_args) note(origin(operand), &ParameterUse::written);
  }

  const ptx::Function& kernel_;
  std::unordered_map<std::string_view, MadeOf> parameters_, registers_;
  std::vector<ParameterUse> uses_;
  bool changed_ = false;
};

}  // namespace

std::vector<ParameterUse> parameter_uses(const std::string& ptx, const std::string& symbol) {
  const ptx::Module module = ptx::parse(ptx, "PTX");
  const ptx::Function* const kernel = module.defined_entry(symbol);
  return kernel == nullptr ? std::vector<ParameterUse>{} : Uses(*kernel).result();
}

}  // namespace gauntlet::sanitize
