// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/kills/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <map>

namespace gauntlet::kills {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string entry_on(const std::string& line) {
  constexpr std::string_view directive = ".entry ";
  const auto at = line.find(directive);
  if (at == line.npos) return {};
  const auto begin = at + directive.size();
  return line.substr(begin, line.find_first_of("( \t", begin) - begin);
}

/// An instruction in parts: its guard, opcode with qualifiers, and operands.
struct Instruction {
  std::string guard, opcode;
  std::vector<std::string> operands;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// "@%p1 bra $L__BB0_2;" and "ld.param.u64 %rd1, [f_param_0];"; no opcode for other lines.
Instruction parse(std::string_view line) {
  Instruction i;
  const auto end_of = [&line](std::size_t at, auto belongs) {
    while (at < line.size() && belongs(line[at])) ++at;
    return at;
  };
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  line = line.substr(0, line.find(';') == line.npos ? 0 : line.find(';'));
  std::size_t at = end_of(0, is_blank);
  if (at < line.size() && line[at] == '@') {
    const std::size_t blank = end_of(at, [&](char c) { return !is_blank(c); });
    i.guard = line.substr(at, blank - at);
    at = end_of(blank, is_blank);
  }
  if (at == line.size() || std::islower(static_cast<unsigned char>(line[at])) == 0) return i;
  const std::size_t operands =
      end_of(at, [](char c) { return is_word(c) || c == '.' || c == ':'; });
  i.opcode = line.substr(at, operands - at);
  for (at = operands; at < line.size();) {
    const bool sign = line[at] == '%' || line[at] == '-';
    const std::size_t end = end_of(at + (sign ? 1 : 0), is_word);
    if (end > at + (sign ? 1 : 0)) i.operands.emplace_back(line.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return i;
}

/// Where instructions come from, by the .loc lines.
class Sources {
 public:
  explicit Sources(const std::vector<std::string>& lines) {
    for (const auto& line : lines) {
      unsigned number = 0;
      int name = 0;
      if (std::sscanf(line.c_str(), " .file %u \"%n", &number, &name) == 1 && name > 0)
        files_[number] = line.substr(name, line.find('"', name) - name);
    }
  }
  void enter() { callers_.clear(); }
  void read(const std::string& line) {
    const auto read_place = [](const char* text, const char* format, Place& place) {
      return std::sscanf(text, format, &place[0], &place[1], &place[2]) == 3;
    };
    if (!read_place(line.c_str(), " .loc %u %u %u", here_)) return;
    const auto caller = line.find("inlined_at ");
    if (caller != line.npos) {
      read_place(line.c_str() + caller, "inlined_at %u %u %u", callers_[here_]);
    }
  }
  /// The innermost line of the project's own kernels; empty in CUB's own code.
  [[nodiscard]] std::string where() const {
    auto at = here_;
    for (int depth = 0; depth < 64; ++depth) {
      const auto file = files_.find(at[0]);
      if (file != files_.end()) {
        if (file->second.starts_with("kernels/")) return fmt::format("{}:{}", file->second, at[1]);
        if (file->second.find("/cub/") != file->second.npos) return {};
      }
      const auto caller = callers_.find(at);
      if (caller == callers_.end()) break;
      at = caller->second;
    }
    return {};
  }

 private:
  using Place = std::array<unsigned, 3>;  // file, line, column
  std::map<unsigned, std::string> files_;
  Place here_{};
  std::map<Place, Place> callers_;
};

/// The registers that hold the number of elements or something computed from it.
class Counts {
 public:
  void enter(std::string count_parameter) {
    parameter_ = std::move(count_parameter);
    of_count_.clear();
    block_size_.clear();
  }
  void read(const Instruction& i, const std::string& line) {
    if (i.operands.empty()) return;
    const auto& to = i.operands.front();
    if (i.opcode.starts_with("ld.param")) {
      if (line.find('[' + parameter_ + ']') != line.npos) of_count_.insert(to);
      return;
    }
    if (line.find("%ntid.x") != line.npos) {
      block_size_.insert(to);
      return;
    }
    if (i.opcode.starts_with("setp") || i.opcode.starts_with("ld") || i.opcode.starts_with("st") ||
        i.opcode.starts_with("bra")) {
      return;
    }
    if (std::any_of(i.operands.begin() + 1, i.operands.end(),
                    [&](const auto& o) { return of_count_.count(o) != 0; })) {
      of_count_.insert(to);
    }
  }
  [[nodiscard]] bool is_check(const Instruction& i) const {
    if (!i.opcode.starts_with("setp") || i.operands.size() < 3) return false;
    const auto &a = i.operands[1], &b = i.operands[2];
    if (of_count_.count(a) + of_count_.count(b) != 0) return true;
    const auto is_register = [](const std::string& o) { return o.starts_with('%'); };
    return block_size_.count(a) + block_size_.count(b) != 0 && is_register(a) && is_register(b);
  }

 private:
  std::string parameter_;
  std::set<std::string> of_count_, block_size_;
};

void add(std::vector<Token>& to, Token token, const Instruction& i, const std::string& line,
         const Counts& counts) {
  using K = Token::Kind;
  const auto& op = i.opcode;
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
          fmt::format("setp.{}.u32 {}, 0, 0;", value ? "eq" : "ne", i.operands.front());
      to.push_back(token);
    }
  }
}

}  // namespace

std::string cut(std::string_view ptx, const std::set<std::string>& entries) {
  std::string result;
  bool header = true, wanted = false;
  for (const auto& line : lines_of(ptx)) {
    if (const auto entry = entry_on(line); !entry.empty()) {
      header = false;
      wanted = entries.count(entry) != 0;
    }
    if (header || wanted || line.find("\t.file") == 0) result += line + "\n";
    if (wanted && line == "}") wanted = false;
  }
  return result;
}

std::vector<Token> tokens(const std::string& module) {
  const auto lines = lines_of(module);
  Sources sources(lines);
  Counts counts;
  std::vector<Token> result;
  Token token;
  std::string last_parameter;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const auto& line = lines[k];
    if (const auto entry = entry_on(line); !entry.empty()) {
      token.entry = entry;
      sources.enter();
    }
    if (token.entry.empty()) continue;
    if (const auto at = line.find(".param ");
        at != line.npos && line.find('[') == line.npos && line.find(';') == line.npos) {
      const auto name = line.find_last_of(' ') + 1;
      last_parameter = line.substr(name, line.find_last_not_of(", )") + 1 - name);
    }
    if (line == "{") counts.enter(last_parameter);
    sources.read(line);
    const auto i = parse(line);
    if (i.opcode.empty()) continue;
    token.line = k;
    token.source = sources.where();
    if (!token.source.empty()) add(result, token, i, line, counts);
    counts.read(i, line);
  }
  return result;
}

std::string without(const std::string& module, const Token& token) {
  std::size_t begin = 0;
  for (std::size_t k = 0; k < token.line; ++k) begin = module.find('\n', begin) + 1;
  return module.substr(0, begin) + token.replacement + module.substr(module.find('\n', begin));
}

}  // namespace gauntlet::kills
