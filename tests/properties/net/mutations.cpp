// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "mutations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

namespace gauntlet::net {
namespace {

using Words = std::vector<std::string>;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    all.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return all;
}

std::string_view trimmed(std::string_view text) {
  const std::string_view blank = " \t";
  const auto first = text.find_first_not_of(blank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

Words split(std::string_view text, char at) {
  Words all(1);
  int nested = 0;
  for (const char c : text) {
    nested += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (c == at && nested == 0) {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  for (auto& part : all) part = trimmed(part);
  return all;
}

std::string joined(const Words& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

/// "@%p1 add.s32 %r1, %r2, 7;" taken apart.
struct Instruction {
  std::string guard;  ///< "@%p1", "@!%p1", or empty
  Words opcode;       ///< by its dots
  Words operands;

  [[nodiscard]] std::string text() const {
    return fmt::format("{}{}{} {};", guard, guard.empty() ? "" : " ", joined(opcode, "."),
                       joined(operands, ", "));
  }
};

std::optional<Instruction> instruction(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || !line.ends_with(';') || line.front() == '.' || line.front() == '/') {
    return std::nullopt;
  }
  line.remove_suffix(1);
  Instruction i;
  const auto word = [&] {
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    std::string first(line.substr(0, end));
    line = trimmed(line.substr(end));
    return first;
  };
  if (line.front() == '@') i.guard = word();
  i.opcode = split(word(), '.');
  if (!line.empty()) i.operands = split(line, ',');
  if (i.opcode[0].empty() || std::isalpha(static_cast<unsigned char>(i.opcode[0][0])) == 0) {
    return std::nullopt;
  }
  return i;
}

/// Neighbours: each word of a group may become each other one.
const std::vector<Words> groups = {
    {"s32", "u32", "f32", "b32"},
    {"s64", "u64", "f64", "b64"},
    {"s16", "u16", "b16", "f16", "bf16"},
    {"s8", "u8", "b8"},
    {"f16x2", "bf16x2"},
    {"rn", "rz", "rm", "rp"},
    {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"},
    {"cta", "gpu", "sys"},
    {"up", "down", "bfly", "idx"},
    {"lo", "hi"},
    {"gl", "cta"},
    {"any", "all", "ballot"},
    {"inc", "add", "min", "max", "and", "or", "xor", "exch"},
};
/// Words that a load, store or atomic may have between its opcode and its space.
const Words orders = {"relaxed", "acquire", "release", "acq_rel", "volatile", "weak"};
const std::vector<Words> opcodes = {
    {"add", "sub", "min", "max"},
    {"and", "or", "xor"},
    {"shl", "shr"},
    {"mul", "add"},
    {"fma", "mad"},
    {"neg", "abs"},
    {"sqrt", "rsqrt"},
};
/// Widths: of a load, a store, an atomic or a conversion.
const std::vector<Words> widths = {{"s8", "s16", "s32", "s64"},
                                   {"u8", "u16", "u32", "u64"},
                                   {"b8", "b16", "b32", "b64"},
                                   {"f16", "f32", "f64"}};
const Words special = {"%ctaid.x", "%nctaid.x", "%tid.x", "%ntid.x", "%laneid"};

bool has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Mutator {
 public:
  explicit Mutator(std::string_view ptx) : lines_(lines_of(ptx)) {}

  std::vector<Mutation> all() {
    for (line_ = 0; line_ < lines_.size(); ++line_) {
      const auto i = instruction(lines_[line_]);
      if (!i) continue;
      same_ = "\t" + i->text();
      opcode(*i);
      operands(*i);
      control(*i);
      rounding(*i);
    }
    return std::move(all_);
  }

 private:
  void add(std::string_view what, const Instruction& i) { add(what, "\t" + i.text()); }
  void add(std::string_view what, std::string now) {
    if (now == same_ || !seen_.insert({line_, now}).second) return;
    all_.push_back({std::string(what), line_, std::move(now)});
  }

  void opcode(const Instruction& i) {
    const auto neighbours = [&](std::string_view what, std::size_t k, const auto& all) {
      for (const Words& group : all) {
        if (!has(group, i.opcode[k])) continue;
        for (const auto& other : group) {
          Instruction now = i;
          now.opcode[k] = other;
          add(what, now);
        }
      }
    };
    const auto& name = i.opcode[0];
    neighbours("opcode", 0, opcodes);
    const bool memory = name == "ld" || name == "st" || name == "atom" || name == "red";
    const bool parameter = i.opcode.size() > 1 && i.opcode[1] == "param";
    if (parameter) return;
    for (std::size_t k = 1; k < i.opcode.size(); ++k) {
      neighbours("modifier", k, groups);
      if (memory || name == "cvt") neighbours("width", k, widths);
      if (has(orders, i.opcode[k])) {
        for (const auto& other : orders) {
          Instruction now = i;
          now.opcode[k] = other;
          add("order", now);
        }
      }
      const bool needed =
          has({"to", "sync", "wide", "warp"}, i.opcode[k]) || k + 1 == i.opcode.size();
      if (needed) continue;
      Instruction now = i;
      now.opcode.erase(now.opcode.begin() + static_cast<std::ptrdiff_t>(k));
      add("modifier", now);
    }
    const auto inserted = [&](std::string_view what, std::size_t at, const Words& words) {
      for (const auto& word : words) {
        Instruction now = i;
        now.opcode.insert(now.opcode.begin() + static_cast<std::ptrdiff_t>(at), word);
        add(what, now);
      }
    };
    if (memory && i.opcode.size() > 2 && !has(orders, i.opcode[1])) {
      inserted("order", 1, {"relaxed.gpu", "volatile"});
      if (name == "ld" && i.opcode[1] == "global") inserted("order", 2, {"nc"});
    }
    if (i.opcode.back() == "f32" && !memory) {
      inserted("modifier", i.opcode.size() - 1, {"ftz", "sat"});
    }
    if (name == "sqrt" || name == "div" || name == "rcp") {
      inserted("modifier", i.opcode.size() - 1, {"approx"});
    }
  }

  void operands(const Instruction& i) {
    const bool parameter = i.opcode.size() > 1 && i.opcode[1] == "param";
    if (parameter || i.opcode[0] == "bra" || i.opcode[0] == "call") return;
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const std::string& operand = i.operands[k];
      const auto becomes = [&](std::string_view what, const std::string& other) {
        Instruction now = i;
        now.operands[k] = other;
        add(what, now);
      };
      if (const auto number = integer(operand)) {
        for (const auto other : {*number + 1, *number - 1, 2 * *number, std::int64_t{0},
                                 std::int64_t{1}, std::int64_t{-2147483648}}) {
          becomes("constant", std::to_string(other));
        }
      } else if (operand.starts_with("0f")) {
        for (const auto* other : {"0f00000000", "0f3F800000", "0fFF7FFFFF", "0fFF800000"}) {
          becomes("constant", other);
        }
      } else if (operand.starts_with("0d")) {
        for (const auto* other :
             {"0d0000000000000000", "0d3FF0000000000000", "0dFFEFFFFFFFFFFFFF"}) {
          becomes("constant", other);
        }
      } else if (has(special, operand)) {
        for (const auto& other : special) becomes("place", other);
      } else if (operand.starts_with('[')) {
        address(i, k);
      } else if (operand.starts_with('%') && k > 0) {
        for (std::size_t j = 1; j < i.operands.size(); ++j) {
          if (j != k && i.operands[j].starts_with('%')) becomes("operand", i.operands[j]);
        }
        for (const auto& other : near(operand)) becomes("operand", other);
      }
    }
    if (i.operands.size() == 3 && i.operands[1] != i.operands[2]) {
      Instruction now = i;
      std::swap(now.operands[1], now.operands[2]);
      add("operand", now);
    }
  }

  void address(const Instruction& i, std::size_t k) {
    const std::string& at = i.operands[k];
    const auto plus = at.find('+');
    const auto base = at.substr(1, std::min(plus, at.size() - 1) - 1);
    const auto offset =
        plus == at.npos ? 0 : integer(at.substr(plus + 1, at.size() - plus - 2)).value_or(0);
    for (const auto by : {4, -4}) {
      Instruction now = i;
      now.operands[k] = fmt::format("[{}+{}]", base, offset + by);
      add("address", now);
    }
  }

  void control(const Instruction& i) {
    if (!i.guard.empty()) {
      Instruction now = i;
      now.guard.clear();
      add("guard", now);
      now.guard = i.guard[1] == '!' ? "@" + i.guard.substr(2) : "@!" + i.guard.substr(1);
      add("guard", now);
    }
    const bool droppable =
        has({"bar", "barrier", "membar", "fence", "st", "red", "atom", "bra"}, i.opcode[0]);
    if (droppable && !(i.opcode[0] == "bra" && i.guard.empty())) add("drop", std::string());
  }

  /// The result takes a narrower format on its way.
  void rounding(const Instruction& i) {
    const auto& name = i.opcode[0];
    const bool result =
        i.operands.size() > 1 && i.operands[0].find_first_of("[{|") == std::string::npos;
    if (!result || !i.guard.empty() || name == "setp" || name == "cvta" || name == "shfl" ||
        (i.opcode.size() > 1 && i.opcode[1] == "param")) {
      return;
    }
    struct Way {
      std::string_view type, scratch, down, up;
    };
    static constexpr Way ways[] = {
        {"f32", ".b16", "cvt.rn.f16.f32", "cvt.f32.f16"},
        {"f64", ".f32", "cvt.rn.f32.f64", "cvt.f64.f32"},
        {"s32", ".f32", "cvt.rn.f32.s32", "cvt.rzi.s32.f32"},
        {"u32", ".f32", "cvt.rn.f32.u32", "cvt.rzi.u32.f32"},
        {"s32", ".b16", "cvt.u16.u32", "cvt.s32.s16"},
        {"s64", ".f64", "cvt.rn.f64.s64", "cvt.rzi.s64.f64"},
    };
    if (i.opcode[0] == "cvt" && has(i.opcode, "f64") && i.opcode.back() != "f32") {
      Instruction narrow = i;
      std::replace(narrow.opcode.begin(), narrow.opcode.end(), std::string("f64"),
                   std::string("f32"));
      narrow.operands[0] = "%net";
      add("rounding", fmt::format("\t{{ .reg .f32 %net; {} cvt.f64.f32 {}, %net; }}", narrow.text(),
                                  i.operands[0]));
    }
    for (const Way& way : ways) {
      if (i.opcode.back() != way.type) continue;
      add("rounding", fmt::format("\t{}\n\t{{ .reg {} %net; {} %net, {}; {} {}, %net; }}", i.text(),
                                  way.scratch, way.down, i.operands[0], way.up, i.operands[0]));
    }
  }

  /// Registers of the same class that stand in the lines around this one.
  [[nodiscard]] std::set<std::string> near(const std::string& reg) const {
    const auto of = [](const std::string& name) {
      return name.substr(0, name.find_first_of("0123456789"));
    };
    std::set<std::string> found;
    constexpr std::size_t around = 4;
    for (auto k = line_ < around ? 0 : line_ - around; k < line_; ++k) {
      const auto i = instruction(lines_[k]);
      if (!i) continue;
      for (const auto& operand : i->operands) {
        if (operand != reg && operand.starts_with('%') && of(operand) == of(reg) &&
            operand.find('.') == operand.npos && operand.find('|') == operand.npos) {
          found.insert(operand);
        }
      }
    }
    return found;
  }

  static std::optional<std::int64_t> integer(const std::string& text) {
    if (text.empty() || text.size() > 11) return std::nullopt;
    const auto digits = text[0] == '-' ? text.substr(1) : text;
    if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
      return std::nullopt;
    return std::stoll(text);
  }

  std::vector<std::string_view> lines_;
  std::size_t line_ = 0;
  std::string same_;  ///< the line as it stands
  std::set<std::pair<std::size_t, std::string>> seen_;
  std::vector<Mutation> all_;
};

}  // namespace

std::string only_entries(std::string_view ptx, const std::vector<std::string>& entries) {
  std::string text;
  bool kept = true;
  int depth = 0;
  for (const auto line : lines_of(ptx)) {
    const auto at = line.find(".entry ");
    if (depth == 0 && at != line.npos && line.find(';') == line.npos) {
      const auto name = line.substr(at + 7, std::min(line.find('('), line.size()) - at - 7);
      kept = has(entries, trimmed(name));
    }
    const auto bare = trimmed(line);
    const bool told = bare.starts_with("//") || bare.starts_with(".loc\t") ||
                      bare.starts_with(".file") || bare.empty();
    if (bare.starts_with(".section")) break;  // of source lines; the last thing in a file
    if (kept && !told) text += fmt::format("{}\n", line);
    if (told) continue;
    const auto before = depth;
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{')) -
             static_cast<int>(std::count(line.begin(), line.end(), '}'));
    if (before != 0 && depth == 0) kept = true;
  }
  return text;
}

std::vector<Mutation> mutations_of(std::string_view ptx) { return Mutator(ptx).all(); }

std::string mutated(std::string_view ptx, const Mutation& mutation) {
  std::string text;
  std::size_t k = 0;
  for (const auto line : lines_of(ptx)) {
    text += fmt::format("{}\n", k++ == mutation.line ? std::string_view(mutation.now) : line);
  }
  return text;
}

std::string line_of(std::string_view ptx, std::size_t line) {
  return std::string(trimmed(lines_of(ptx).at(line)));
}

}  // namespace gauntlet::net
