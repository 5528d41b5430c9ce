// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/recursion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/numbers.hpp"

namespace gauntlet::simt {
namespace {

// Registers that the rewritten function has in addition: the frame of the call that runs, how many
// are below it, and what is needed for a moment.
constexpr std::string_view frame = "%gauntlet_frame", depth = "%gauntlet_depth",
                           narrow = "%gauntlet_narrow", wide = "%gauntlet_wide",
                           truth = "%gauntlet_truth";
constexpr std::string_view stack = "gauntlet_stack";
constexpr std::string_view at_body = "$gauntlet_body", at_return = "$gauntlet_return",
                           at_end = "$gauntlet_end", at_too_deep = "$gauntlet_deep";

ptx::Operand named(std::string_view name) {
  ptx::Operand o;
  o.name = name;
  return o;
}
ptx::Operand integer(std::uint64_t bits) {
  ptx::Operand o;
  o.kind = ptx::Operand::Kind::integer;
  o.bits = bits;
  return o;
}
ptx::Operand at(std::string_view name, std::int64_t offset) {
  ptx::Operand o = named(name);
  o.kind = ptx::Operand::Kind::address;
  o.offset = offset;
  return o;
}
std::uint64_t bytes_of(const ptx::Variable& v) { return size_of(v.type) * v.count; }

bool calls(const ptx::Instruction& i, const ptx::Function& f) {
  return i.opcode == "call" && i.callee == f.name;
}

class Rewriter {
 public:
  Rewriter(const ptx::Module& module, const ptx::Function& f, std::deque<std::string>& names)
      : module_(module), from_(f), names_(names), to_(f) {}

  ptx::Function run() {
    to_.body.clear();
    to_.labels.clear();
    lay_out();
    if (!from_.body.empty()) here_ = from_.body.front();
    put("mov", {"u64"}, {named(frame), named(stack)});
    put("mov", {"u32"}, {named(depth), integer(0)});
    for (const ptx::Variable& v : from_.params) copy(v, "param", at(v.name, 0), "local", in(v, 0));
    label(at_body);
    auto next = from_.labels.begin();
    for (std::uint32_t k = 0; k <= from_.body.size(); ++k) {
      for (; next != from_.labels.end() && next->instruction == k; ++next) label(next->name);
      if (k < from_.body.size()) rewrite(from_.body[k]);
    }
    end();
    return std::move(to_);
  }

 private:
  void lay_out() {
    const auto place = [&](std::string_view name, std::uint64_t bytes, std::uint64_t align) {
      offset_[name] = static_cast<std::int64_t>(bytes_ = round_up(bytes_, align));
      bytes_ += bytes;
    };
    bytes_ = 8;  // where the call returns to
    for (const auto* const list : {&from_.params, &from_.returns, &from_.variables}) {
      for (const ptx::Variable& v : *list) {
        if (list == &from_.variables && v.space != ptx::Space::local) continue;
        if (v.space == ptx::Space::reg) fail("an argument in a register");
        place(v.name, bytes_of(v), std::max(v.align, 8U));
      }
    }
    for (const ptx::Register& r : from_.registers) {
      place(r.name, std::max(size_of(r.type), 4U), std::max(size_of(r.type), 4U));
    }
    bytes_ = round_up(bytes_, 16);
    if (2 * bytes_ > stack_bytes) fail("a frame larger than the machine's stack");
    std::erase_if(to_.variables, [](const auto& v) { return v.space == ptx::Space::local; });
    ptx::Variable room;
    room.space = ptx::Space::local;
    room.name = stack;
    room.align = 16;
    room.count = stack_bytes / bytes_ * bytes_;
    room.ptx_line = from_.ptx_line;
    to_.variables.push_back(room);
    for (const auto& [name, type] :
         {std::pair{frame, ptx::ScalarType::b64}, std::pair{depth, ptx::ScalarType::b32},
          std::pair{narrow, ptx::ScalarType::b32}, std::pair{wide, ptx::ScalarType::b64},
          std::pair{truth, ptx::ScalarType::pred}}) {
      to_.registers.push_back({name, type});
    }
  }

  [[noreturn]] void fail(std::string_view what) const {
    ptx::fail(module_, from_.ptx_line, fmt::format("{} in a recursive function", what));
  }
  /// Of the frame `frames` above the one that runs.
  ptx::Operand in(const ptx::Variable& v, unsigned frames) const { return in(v.name, frames); }
  ptx::Operand in(std::string_view name, unsigned frames) const {
    return at(frame, offset_.at(name) + static_cast<std::int64_t>(frames * bytes_));
  }
  void label(std::string_view name) {
    to_.labels.push_back({name, static_cast<std::uint32_t>(to_.body.size())});
  }
  ptx::Instruction& put(std::string_view opcode, std::vector<std::string_view> suffixes,
                        std::vector<ptx::Operand> operands) {
    ptx::Instruction made;
    made.ptx_line = here_.ptx_line;
    made.loc = here_.loc;
    made.opcode = opcode;
    made.suffixes = std::move(suffixes);
    made.operands = std::move(operands);
    return to_.body.emplace_back(std::move(made));
  }
  void branch_if(std::string_view predicate, std::string_view to) {
    put("bra", {}, {named(to)}).guard = predicate;
  }
  void copy(const ptx::Variable& v, std::string_view from_space, ptx::Operand from,
            std::string_view to_space, ptx::Operand to) {
    const std::uint64_t bytes = bytes_of(v);
    const std::uint64_t step = std::min<std::uint64_t>(
        8, v.count == 1 ? bytes : std::max<std::uint64_t>(v.align, size_of(v.type)));
    static constexpr std::string_view types[] = {"b8", "b16", "", "b32", "", "", "", "b64"};
    for (std::uint64_t k = 0; k < bytes;) {
      std::uint64_t now = step;
      while (now > bytes - k) now /= 2;
      const ptx::Operand through = named(now == 8 ? wide : narrow);
      put("ld", {from_space, types[now - 1]}, {through, from});
      put("st", {to_space, types[now - 1]}, {to, through});
      from.offset += static_cast<std::int64_t>(now);
      to.offset += static_cast<std::int64_t>(now);
      k += now;
    }
  }

  void save() {
    for (const ptx::Register& r : from_.registers) {
      const bool predicate = r.type == ptx::ScalarType::pred;
      if (predicate) put("selp", {"b32"}, {named(narrow), integer(1), integer(0), named(r.name)});
      put("st", {"local", type_of(r)}, {in(r.name, 0), named(predicate ? narrow : r.name)});
    }
  }
  void restore() {
    for (const ptx::Register& r : from_.registers) {
      const bool predicate = r.type == ptx::ScalarType::pred;
      put("ld", {"local", type_of(r)}, {named(predicate ? narrow : r.name), in(r.name, 0)});
      if (predicate) put("setp", {"ne", "u32"}, {named(r.name), named(narrow), integer(0)});
    }
  }
  static std::string_view type_of(const ptx::Register& r) {
    const unsigned bytes = size_of(r.type);
    return bytes == 8 ? "b64" : bytes == 2 ? "b16" : "b32";
  }

  void call(const ptx::Instruction& i) {
    if (i.call_args.size() != from_.params.size() || i.call_returns.size() > 1 ||
        i.call_returns.size() != from_.returns.size() || !i.guard.empty()) {
      fail("a call of such a form");
    }
    put("setp", {"ge", "u32"}, {named(truth), named(depth), integer(stack_bytes / bytes_ - 1)});
    branch_if(truth, at_too_deep);
    save();
    for (std::size_t k = 0; k < i.call_args.size(); ++k) {
      copy(from_.params[k], "param", at(i.call_args[k].name, 0), "local", in(from_.params[k], 1));
    }
    put("mov", {"u32"}, {named(narrow), integer(returns_.size())});
    put("st", {"local", "b32"}, {at(frame, static_cast<std::int64_t>(bytes_)), named(narrow)});
    move(1);
    put("bra", {}, {named(at_body)});
    label(returns_.emplace_back(
        names_.emplace_back(fmt::format("{}_{}", at_return, returns_.size()))));
    for (std::size_t k = 0; k < i.call_returns.size(); ++k) {
      copy(from_.returns[k], "local", in(from_.returns[k], 0), "param",
           at(i.call_returns[k].name, 0));
    }
    move(-1);
    restore();
  }
  /// To the next frame or back.
  void move(int by) {
    put(by > 0 ? "add" : "sub", {"u64"}, {named(frame), named(frame), integer(bytes_)});
    put(by > 0 ? "add" : "sub", {"u32"}, {named(depth), named(depth), integer(1)});
  }
  void end() {
    label(at_return);
    put("setp", {"eq", "u32"}, {named(truth), named(depth), integer(0)});
    branch_if(truth, at_end);
    put("ld", {"local", "b32"}, {named(narrow), at(frame, 0)});
    for (std::size_t k = 0; k < returns_.size(); ++k) {
      put("setp", {"eq", "u32"}, {named(truth), named(narrow), integer(k)});
      branch_if(truth, returns_[k]);
    }
    label(at_too_deep);
    put("call", {}, {}).callee = too_deep;
    label(at_end);
    for (const ptx::Variable& v : from_.returns) copy(v, "local", in(v, 0), "param", at(v.name, 0));
  }

  void rewrite(const ptx::Instruction& i) {
    here_ = i;
    if (calls(i, from_)) return call(i);
    ptx::Instruction made = i;
    if (i.opcode == "ret") {
      made.opcode = "bra";
      made.suffixes.clear();
      made.operands = {named(at_return)};
    } else if (i.opcode == "mov" && i.operands.size() == 2 && offset_of(i.operands[1]) != nullptr &&
               i.operands[1].kind == ptx::Operand::Kind::name && !is_register(i.operands[1].name)) {
      const std::int64_t offset = *offset_of(i.operands[1]) + i.operands[1].offset;
      made.opcode = "add";
      made.suffixes = {"u64"};
      made.operands = {i.operands[0], named(frame), integer(static_cast<std::uint64_t>(offset))};
    } else {
      for (ptx::Operand& o : made.operands) {
        if (o.kind != ptx::Operand::Kind::address || is_register(o.name)) continue;
        const std::int64_t* const offset = offset_of(o);
        if (offset == nullptr) continue;
        o.offset += *offset;
        o.name = frame;
        std::ranges::replace_if(
            made.suffixes, [](std::string_view s) { return s.starts_with("param"); }, "local");
      }
      for (const auto* const list : {&i.call_args, &i.call_returns}) {
        for (const ptx::Operand& o : *list) {
          if (offset_of(o) != nullptr) fail("an argument that is passed on as it is");
        }
      }
    }
    to_.body.push_back(std::move(made));
  }
  [[nodiscard]] const std::int64_t* offset_of(const ptx::Operand& o) const {
    const auto found = offset_.find(o.name);
    return found == offset_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool is_register(std::string_view name) const {
    return std::ranges::any_of(from_.registers,
                               [&](const ptx::Register& r) { return r.name == name; });
  }

  const ptx::Module& module_;
  const ptx::Function& from_;
  std::deque<std::string>& names_;
  ptx::Function to_;
  ptx::Instruction here_;                                      // what is rewritten
  std::uint64_t bytes_ = 0;                                    // of a frame
  std::unordered_map<std::string_view, std::int64_t> offset_;  // in a frame
  std::vector<std::string_view> returns_;                      // labels behind the calls
};

}  // namespace

bool calls_itself(const ptx::Function& f) {
  return std::ranges::any_of(f.body, [&](const auto& i) { return calls(i, f); });
}

ptx::Function with_stack(const ptx::Module& module, const ptx::Function& f,
                         std::deque<std::string>& names) {
  return Rewriter(module, f, names).run();
}

}  // namespace gauntlet::simt
