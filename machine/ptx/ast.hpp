// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A PTX module as written: declarations and instructions, names not yet resolved to registers.
// Grammar: PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces, types), 11 (directives).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/names.hpp"
#include "base/printable.hpp"

namespace gauntlet::ptx {

/// what(): "FILE:LINE: what is wrong: `text of the line`", one printable line.
struct Error : std::runtime_error {
  explicit Error(std::string_view what) : std::runtime_error(printable(what)) {}
};

enum class Space : std::uint8_t { generic, global, shared, local, param, constant, reg };
enum class ScalarType : std::uint8_t {
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f16x2,
  bf16x2,
  f32,
  f64,
  // Of instructions alone: their registers are declared as bits.
  f32x2,
  tf32,
  e4m3,
  e5m2,
  s4,
  u4
};
/// As PTX spells them, without the dot.
constexpr auto names(const ScalarType*) {
  return names_of("pred", "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32",
                  "s64", "f16", "bf16", "f16x2", "bf16x2", "f32", "f64", "f32x2", "tf32", "e4m3",
                  "e5m2", "s4", "u4");
}
inline constexpr std::array<std::uint8_t, enum_names<ScalarType>.size()> bits_by_type{
    0, 8, 16, 32, 64, 8, 16, 32, 64, 8, 16, 32, 64, 16, 16, 32, 32, 32, 64, 64, 32, 8, 8, 4, 4};
/// 0: a predicate.
constexpr unsigned bits_of(ScalarType type) { return bits_by_type[static_cast<std::size_t>(type)]; }
/// In bytes; 0: a predicate.
constexpr unsigned size_of(ScalarType type) { return bits_of(type) / 8; }
/// Of a register, a variable or an access; null for other words, and for what has its name in
/// instructions alone.
constexpr std::optional<ScalarType> stored_type(std::string_view word) {
  const auto type = parse<ScalarType>(word);
  return type <= ScalarType::f64 ? type : std::nullopt;
}

struct Operand {
  enum class Kind : std::uint8_t {
    name,     ///< register, special register (%tid.x), symbol, label or function name: see `name`
    integer,  ///< `bits`
    f32,      ///< 0fXXXXXXXX: `bits`
    f64,      ///< 0dXXXXXXXXXXXXXXXX or a decimal literal: `bits` holds the double
    address,  ///< [name], [name+offset], [offset]: `name` (may be empty), `offset`
    vector,   ///< {a, b, ...}: `parts`
    pair,     ///< d|p, as in shfl's and setp's two destinations: `parts`
    located,  ///< [name, {x, y}], of textures and tensors: `name`, `parts`
    sink      ///< _
  } kind = Kind::name;
  bool negated = false;  ///< !p, or -name
  bool minus = false;    ///< -name
  std::string_view name;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;  ///< also for name+offset in a mov of an address
  std::vector<Operand> parts;
};

/// A source position from .loc; `inlined_at` is the index of the caller's Loc or -1.
struct Loc {
  std::uint32_t file = 0, line = 0, column = 0;
  std::int32_t inlined_at = -1;
  bool operator==(const Loc&) const = default;
};

struct Instruction {
  std::uint32_t ptx_line = 0;
  std::int32_t loc = -1;   ///< index into Module::locs
  std::string_view guard;  ///< register name, empty: unconditional
  bool guard_negated = false;
  std::string_view opcode;                 ///< first part: "ld"
  std::vector<std::string_view> suffixes;  ///< "shared", "v4", "u32" ("::" kept inside one part)
  std::vector<Operand> operands;           ///< destination first
  // call only: operands = {}, callee below
  std::vector<Operand> call_returns, call_args;
  std::string_view callee;
};

struct Label {
  std::string_view name;
  std::uint32_t instruction = 0;  ///< index of the instruction that follows
};

struct Register {
  std::string_view name;  ///< full name without the count: "%r12"
  ScalarType type;
};

/// An address inside an initialiser, known only when the module is loaded. The `bytes` bytes at
/// `offset` of Variable::initial receive (address of `symbol` + `addend`) >> `shift`.
struct Relocation {
  std::uint64_t offset = 0;
  std::string_view symbol;  ///< a variable or a function
  std::int64_t addend = 0;
  bool generic = false;  ///< generic(symbol): the generic address, else the space's own
  std::uint32_t bytes = 8;
  std::uint32_t shift = 0;  ///< 8 for 0xFF00(symbol)
};

/// A variable in a state space: module scope, or declared in a function body.
struct Variable {
  Space space = Space::global;
  std::string_view name;
  ScalarType type = ScalarType::b8;
  std::uint32_t align = 1;
  std::uint64_t count = 1;  ///< elements; 0: extern array of unknown size (dynamic shared memory)
  bool is_extern = false;
  std::vector<std::byte> initial;  ///< of .global and .const: the first bytes, zero behind them
  std::uint32_t ptx_line = 0;
  std::vector<Relocation> relocations;  ///< of `initial`
};

struct Function {
  std::string_view name;
  bool entry = false;
  bool declaration_only = false;
  std::vector<Variable> params, returns;  ///< space param (or reg for .func)
  std::vector<Register> registers;        ///< %r<12> expanded
  std::vector<Variable> variables;        ///< .shared/.local/.param inside the body
  std::vector<Instruction> body;
  std::vector<Label> labels;
  std::uint32_t max_threads = 0;           ///< .maxntid product, 0: none
  std::array<std::uint32_t, 3> cluster{};  ///< .reqnctapercluster, 0: none
  std::uint32_t ptx_line = 0;
  bool has_branch_table = false;  ///< .branchtargets, of a brx.idx
};

/// Movable: the views stay good. A copy's views would still point into the original.
struct Module {
  std::string file_name;           ///< of the PTX text, for messages
  std::string text;                ///< every string_view here points into it or `names`
  std::vector<std::string> files;  ///< .file N "path": files[N], "" where not given
  std::vector<Loc> locs;
  std::vector<Variable> variables;  ///< module scope
  std::vector<Function> functions;
  std::string version, target;
  std::deque<std::string> names;  ///< the characters of names that the text does not hold

  /// Where a name is found in `variables` and `functions`. A function may be declared several times
  /// before it is defined: the first of that name, and the one that has a body.
  struct Index {
    std::unordered_map<std::string_view, std::size_t> variables, functions, definitions;
    std::vector<std::size_t> relocated;  ///< variables with relocations
  } index;
  /// Null: there is none of that name.
  [[nodiscard]] const Variable* variable(std::string_view name) const {
    const auto found = index.variables.find(name);
    return found == index.variables.end() ? nullptr : &variables[found->second];
  }
  [[nodiscard]] const Function* defined(std::string_view name) const {
    const auto found = index.definitions.find(name);
    return found == index.definitions.end() ? nullptr : &functions[found->second];
  }
  [[nodiscard]] const Function* defined_entry(std::string_view name) const {
    const Function* const function = defined(name);
    return function != nullptr && function->entry ? function : nullptr;
  }
};

/// Throws Error: "FILE:LINE: WHAT: `text of the line`", long texts shortened.
[[noreturn]] void fail(const Module& module, std::uint32_t line, std::string_view what);

/// Parses a whole module. Throws Error. Debug sections (.section ... { }) are skipped.
///
/// Names declared inside nested braces are spelt NAME@K, declaration and uses alike, so that every
/// name of a function is unique; disjoint braces share one NAME@K where the declarations agree.
/// A .loc of line 0 ("no source line") leaves the position before it in force.
/// WARP_SZ is the integer 32. Not accepted: constant expressions, nested initialisers.
/// What textures, tensors and registers of 128 bits are declared and addressed by is read, so that
/// only the kernels that use them are refused.
[[nodiscard]] Module parse(std::string text, std::string file_name);

}  // namespace gauntlet::ptx
