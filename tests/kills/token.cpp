// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/kills/token.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/ptx/ast.hpp"

namespace gauntlet::kills {
namespace {

/// The innermost line of the project's own kernels; empty in CUB's own code.
std::string where(const ptx::Module& module, std::int32_t loc) {
  while (loc >= 0) {
    const ptx::Loc& at = module.locs[static_cast<std::size_t>(loc)];
    const std::string& file = module.files.at(at.file);
    if (file.starts_with("kernels/")) return fmt::format("{}:{}", file, at.line);
    if (file.find("/cub/") != file.npos) return {};
    loc = at.inlined_at;
  }
  return {};
}

/// The registers that hold the number of elements or something computed from it.
class Counts {
 public:
  explicit Counts(std::string_view count_parameter) : parameter_(count_parameter) {}

  void read(const ptx::Instruction& i) {
    if (i.operands.empty()) return;
    const auto to = i.operands.front().name;
    const auto reads = [&](auto holds) {
      return std::any_of(i.operands.begin() + 1, i.operands.end(),
                         [&](const ptx::Operand& o) { return holds(o.name); });
    };
    if (i.opcode == "ld" && i.suffixes.front() == "param") {
      if (reads([&](auto name) { return name == parameter_; })) of_count_.insert(to);
    } else if (reads([](auto name) { return name == "%ntid.x"; })) {
      block_size_.insert(to);
    } else if (i.opcode != "setp" && i.opcode != "ld" && i.opcode != "st") {
      if (reads([&](auto name) { return of_count_.contains(name); })) of_count_.insert(to);
    }
  }
  [[nodiscard]] bool is_check(const ptx::Instruction& i) const {
    if (i.opcode != "setp" || i.operands.size() < 3) return false;
    const auto a = i.operands[1].name, b = i.operands[2].name;
    if (of_count_.contains(a) || of_count_.contains(b)) return true;
    return (block_size_.contains(a) || block_size_.contains(b)) && a.starts_with('%') &&
           b.starts_with('%');
  }

 private:
  std::string_view parameter_;
  std::set<std::string_view> of_count_, block_size_;
};

void add(std::vector<Token>& to, Token token, const ptx::Instruction& i, const std::string& line,
         const Counts& counts) {
  using K = Token::Kind;
  const std::string op = fmt::format("{}.{}", i.opcode, fmt::join(i.suffixes, "."));
  const auto whole = [&](K kind) {
    token.kind = kind;
    token.text = op;
    token.replacement = "";
    to.push_back(token);
  };
  if (op.starts_with("bar.warp.sync")) {
    whole(K::warp_barrier);
  } else if (op.starts_with("bar.") || op.starts_with("barrier.")) {
    whole(K::barrier);
  } else if (op.starts_with("membar") || op.starts_with("fence")) {
    whole(K::fence);
  } else if (op == "griddepcontrol.wait") {
    whole(K::launch_wait);
  } else if (const auto at = line.find(".volatile"); at != line.npos) {
    token.kind = K::is_volatile;
    token.text = op.substr(0, 2) + ".volatile";
    token.replacement = line;
    token.replacement.erase(at, std::string_view(".volatile").size());
    to.push_back(token);
  } else if (op.starts_with("ld.relaxed.") || op.starts_with("st.relaxed.")) {
    constexpr std::string_view strong = ".relaxed.gpu";
    token.kind = K::is_strong;
    token.text = op.substr(0, 2) + std::string(strong);
    token.replacement = line;
    token.replacement.erase(line.find(strong), strong.size());
    to.push_back(token);
  } else if (op.starts_with("atom.acq_rel.")) {
    token.kind = K::order;
    for (const std::string half : {"release", "acquire"}) {
      token.text = fmt::format("atom.acq_rel to {}", half);
      token.replacement = line;
      token.replacement.replace(line.find("acq_rel"), std::string_view("acq_rel").size(), half);
      to.push_back(token);
    }
  } else if (counts.is_check(i)) {
    token.kind = K::bounds_check;
    // nvcc tests for "outside" as often as for "inside": both constants are tried.
    for (const bool value : {true, false}) {
      token.text = fmt::format("{} {}", op, value ? "true" : "false");
      token.replacement =
          fmt::format("setp.{}.u32 {}, 0, 0;", value ? "eq" : "ne", i.operands.front().name);
      to.push_back(token);
    }
  }
}

/// Where a line of the text, from 0, begins.
std::size_t begin_of(std::string_view text, std::size_t line) {
  std::size_t begin = 0;
  for (std::size_t k = 0; k < line; ++k) begin = text.find('\n', begin) + 1;
  return begin;
}

}  // namespace

std::vector<Token> tokens(const std::string& text, const std::set<std::string>& entries) {
  const auto module = ptx::parse(text, "kernel.ptx");
  std::vector<Token> result;
  for (const auto& f : module.functions) {
    if (!f.entry || f.params.empty() || !entries.contains(std::string(f.name))) continue;
    Counts counts(f.params.back().name);
    for (const auto& i : f.body) {
      Token token;
      token.entry = f.name;
      token.line = i.ptx_line - 1;
      token.source = where(module, i.loc);
      if (!token.source.empty()) {
        const auto begin = begin_of(text, token.line);
        add(result, token, i, text.substr(begin, text.find('\n', begin) - begin), counts);
      }
      counts.read(i);
    }
  }
  return result;
}

std::string without(const std::string& text, const Token& token) {
  const auto begin = begin_of(text, token.line);
  return text.substr(0, begin) + token.replacement + text.substr(text.find('\n', begin));
}

}  // namespace gauntlet::kills
