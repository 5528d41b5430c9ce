// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Declarations: registers, variables and their initial values, parameters, functions, files.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "machine/ptx/builder.hpp"

namespace gauntlet::ptx {
namespace {

constexpr std::uint64_t most_registers = 1u << 20, most_registers_of_file = 1u << 22;
constexpr std::uint64_t most_variables = 1u << 16;
constexpr std::uint64_t most_alignment = 1u << 30;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;
constexpr std::uint64_t most_files = 1u << 16;

/// Of a variable; what a predicate takes in memory is never asked for.
std::uint32_t bytes_of(ScalarType type) { return std::max(size_of(type), 1U); }

Space space_of(Text word) {
  if (word == ".shared") return Space::shared;
  if (word == ".local") return Space::local;
  if (word == ".param") return Space::param;
  if (word == ".const") return Space::constant;
  if (word == ".reg") return Space::reg;
  return Space::global;
}

}  // namespace

void Builder::begin_declaration(Text space_word) {
  head_ = Variable{};
  head_.space = space_of(space_word);
  head_.align = 0;
  head_.is_extern = item_.linkage == Linkage::external;
  vector_width_ = 1;
  has_type_ = false;
  numbers_.clear();
}

void Builder::modifier(Text word) {
  if (const auto type = stored_type(word)) {
    if (has_type_) fail(word, "second type in one declaration");
    head_.type = *type;
    has_type_ = true;
    return;
  }
  // Handles of textures, and 16 bytes in one register: only instructions that the machine does not
  // have use what is declared so.
  const bool handle = word == "texref" || word == "samplerref" || word == "surfref";
  if (handle || word == "b128") {
    if (has_type_) fail(word, "second type in one declaration");
    head_.type = ScalarType::b64;
    has_type_ = true;
    if (!handle && head_.space != Space::reg) vector_width_ = 2;
  } else if (word == "v2" || word == "v4" || word == "v8") {
    vector_width_ = static_cast<std::uint32_t>(word[1] - '0');
  } else if (word != "ptr" && word != "global" && word != "shared" && word != "const" &&
             word != "local" && word != "param") {  // what a pointer parameter points to
    fail(word, "unknown type or modifier ." + std::string(word));
  }
}

void Builder::align(Text at) {
  const auto value = take_numbers().back();
  if (!std::has_single_bit(value)) fail(at, "alignment is no power of two");
  if (value > most_alignment) fail(at, "alignment above 1 GiB");
  head_.align = static_cast<std::uint32_t>(value);
}

void Builder::declared_name(Text name) {
  if (!has_type_) fail(name, "declaration without a type");
  variable_ = head_;
  variable_.name = name;
  variable_.ptx_line = line_of(name.data());
  unsized_ = false;
  has_initialiser_ = false;
  several_.reset();
  numbers_.clear();
}

// --- Initial values -----------------------------------------------------------------------------

void Builder::append_element(std::uint64_t bits) {
  for (std::uint32_t i = 0; i < bytes_of(variable_.type); ++i) {
    variable_.initial.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }
}

void Builder::init_literal(Text at) {
  const auto kind = literal_.kind;
  const bool single = variable_.type == ScalarType::f32;
  if (!single && variable_.type != ScalarType::f64) {
    if (kind != Operand::Kind::integer && variable_.type < ScalarType::f16 &&
        variable_.type > ScalarType::b64) {
      fail(at, "floating-point value for an integer variable");
    }
    append_element(literal_.bits);
    return;
  }
  double value = 0;
  if (kind == Operand::Kind::f32) {
    if (single) return append_element(literal_.bits);  // as they are: a NaN keeps its payload
    value = std::bit_cast<float>(static_cast<std::uint32_t>(literal_.bits));
  } else if (kind == Operand::Kind::f64) {
    if (!single) return append_element(literal_.bits);
    value = std::bit_cast<double>(literal_.bits);
  } else {
    value = static_cast<double>(static_cast<std::int64_t>(literal_.bits));
  }
  append_element(single ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                        : std::bit_cast<std::uint64_t>(value));
}

void Builder::mask(Text at) {
  const auto bits = static_cast<std::uint64_t>(signed_value(at));
  const int shift = bits == 0 ? 0 : std::countr_zero(bits);
  if (bits >> shift != 0xFF || shift % 8 != 0) fail(at, "mask of an address is no single byte");
  relocation_.shift = static_cast<std::uint32_t>(shift);
}

void Builder::init_address() {
  relocation_.offset = variable_.initial.size();
  relocation_.bytes = bytes_of(variable_.type);
  variable_.relocations.push_back(std::exchange(relocation_, {}));
  append_element(0);
}

// --- Declared names -----------------------------------------------------------------------------

Variable Builder::finish_variable(Text at) {
  if (variable_.type == ScalarType::pred && variable_.space != Space::reg) {
    fail(variable_.name, "a predicate is a register, no variable");
  }
  if (has_initialiser_ && variable_.space != Space::global && variable_.space != Space::constant) {
    fail(variable_.name, "only .global and .const variables have initial values");
  }
  const std::uint64_t element = bytes_of(variable_.type);
  std::uint64_t count = unsized_ ? 0 : vector_width_;
  for (const std::uint64_t extent : take_numbers()) {
    if (__builtin_mul_overflow(count, extent, &count)) count = most_bytes;
  }
  if (count >= most_bytes / element) fail(at, "variable of 4 GiB or more");
  const std::uint64_t given = variable_.initial.size() / element;
  if (unsized_ && has_initialiser_) count = given;
  if (given > count) fail(at, "more initial values than elements");
  variable_.count = count;
  if (variable_.align == 0) variable_.align = static_cast<std::uint32_t>(element * vector_width_);
  return std::exchange(variable_, {});
}

std::vector<Text> Builder::declared_names(Text at) {
  if (!several_) return {variable_.name};
  const std::uint64_t count = *several_;
  if (variable_.space != Space::reg) {
    if (count > most_variables - several_variables_) {
      fail(at, "more than 65536 variables of name<count> in one file");
    }
    several_variables_ += count;
  } else if (const auto held = std::min(most_registers, function().registers.size());
             count > (most_registers - held) / vector_width_) {
    fail(at, "more than a million registers");
  } else {
    registers_ += count * vector_width_;
    if (registers_ > most_registers_of_file) fail(at, "more than 4 million registers in one file");
  }
  // %r<12>: one string holds the characters of all twelve names.
  std::string characters;
  std::vector<std::size_t> ends;
  for (std::uint64_t i = 0; i < count; ++i) {
    characters.append(variable_.name).append(std::to_string(i));
    ends.push_back(characters.size());
  }
  const Text kept = scopes_.keep(std::move(characters));
  std::vector<Text> names;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    names.push_back(kept.substr(begin, end - begin));
    begin = end;
  }
  return names;
}

void Builder::declare_variables(Text at) {
  const std::vector<Text> names = declared_names(at);
  const Variable made = finish_variable(at);
  for (const Text name : names) {
    Variable one = made;
    one.name = name;
    declare_variable(std::move(one), at);
  }
}

void Builder::declare_variable(Variable made, Text at) {
  if (!in_body_) {
    if (item_.name.empty()) item_.name = made.name;
    item_.defines = !made.is_extern;
    const auto [known, fresh] =
        module_.index.variables.try_emplace(made.name, module_.variables.size());
    if (!made.relocations.empty()) module_.index.relocated.push_back(known->second);
    if (fresh) {
      module_.variables.push_back(std::move(made));
      return;
    }
    // An .extern declaration announces what is, or will be, defined.
    Variable& other = module_.variables[known->second];
    if (!made.is_extern && !other.is_extern) fail(made.name, "name declared twice");
    if (other.is_extern) other = std::move(made);
    return;
  }
  // Two blocks may share a parameter or local array, which hold nothing between them, but never
  // a shared array: that is memory with a life of its own.
  std::string signature;
  if (made.space == Space::param || made.space == Space::local) {
    signature = fmt::format("v{},{},{},{}", static_cast<int>(made.space),
                            static_cast<int>(made.type), made.count, made.align);
  }
  const auto declared = scopes_.declare(made.name, signature);
  if (declared.name.empty()) fail(at, "name declared twice");
  if (!declared.fresh) return;
  made.name = declared.name;
  function().variables.push_back(std::move(made));
}

void Builder::declare_registers(Text at) {
  if (vector_width_ != 1 && variable_.type == ScalarType::pred) {
    fail(at, "predicates have no vectors");
  }
  const auto signature = fmt::format("r{},{}", static_cast<int>(variable_.type), vector_width_);
  for (const Text name : declared_names(at)) {
    const auto declared = scopes_.declare(name, signature);
    if (declared.name.empty()) fail(at, "name declared twice");
    if (!declared.fresh) continue;
    if (vector_width_ == 1) {
      function().registers.push_back({declared.name, variable_.type});
      continue;
    }
    std::vector<Text>& parts = vectors_[declared.name];
    for (const char component : Text("xyzw").substr(0, vector_width_)) {
      parts.push_back(scopes_.keep(fmt::format("{}.{}", declared.name, component)));
      function().registers.push_back({parts.back(), variable_.type});
    }
  }
}

void Builder::declare_parameter(Text at) {
  Function& owner = function();
  const Text name = variable_.name;
  if (name != "_" && !parameters_.insert(name).second) fail(name, "name declared twice");
  (returns_ ? owner.returns : owner.params).push_back(finish_variable(at));
}

// --- Functions and the module -------------------------------------------------------------------

void Builder::begin_function(Text at, bool entry) {
  Function& made = module_.functions.emplace_back();
  made.entry = item_.kernel = entry;
  made.ptx_line = line_of(at.data());
  numbers_.clear();
  parameters_ = {};
}

void Builder::function_name(Text name) {
  function().name = item_.name = name;
  module_.index.functions.try_emplace(name, module_.functions.size() - 1);
}

void Builder::note_definition() {
  if (function_ != nullptr) return;  // noted with the outline
  const Text name = function().name;
  const bool fresh =
      module_.index.definitions.try_emplace(name, module_.functions.size() - 1).second;
  if (!fresh) fail(name, "function defined twice");
}

void Builder::max_threads(Text at) {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : take_numbers()) {
    if (__builtin_mul_overflow(product, extent, &product) || product > UINT32_MAX) {
      fail(at, "number of threads out of range");
    }
  }
  function().max_threads = static_cast<std::uint32_t>(product);
}

void Builder::cluster_size(Text at) {
  auto& extents = function().cluster;
  extents = {1, 1, 1};
  std::size_t k = 0;
  for (const std::uint64_t extent : take_numbers()) {
    constexpr std::uint64_t most = 1024;
    if (k == extents.size() || extent == 0 || extent > most) fail(at, "cluster out of range");
    extents[k++] = static_cast<std::uint32_t>(extent);
  }
}

void Builder::open_body() {
  note_definition();
  scopes_.begin_function();
  vectors_ = {};
  scopes_.open(function());
  locs_.begin_function();
  in_body_ = true;
}

void Builder::leave_out(Text body) {
  item_.defines = true;
  note_definition();
  left_out_->emplace(function().name, body);
}

void Builder::linkage(Text directive) {
  item_.linkage = directive.starts_with(".extern")    ? Linkage::external
                  : directive.starts_with(".visible") ? Linkage::visible
                                                      : Linkage::weak;  // or .common
}

void Builder::end_item(Text at) {
  item_.text = at;
  if (items_ != nullptr) items_->push_back(item_);
  item_ = {};
  numbers_.clear();
}

void Builder::address_size(Text at) {
  if (take_numbers().back() != 64) fail(at, "only 64-bit addresses are supported");
}

void Builder::file(Text quoted) {
  const std::uint64_t index = numbers_.front();
  if (index >= most_files) fail(quoted, "file number out of range");
  if (module_.files.size() <= index) module_.files.resize(index + 1);
  module_.files[index] = printable(quoted.substr(1, quoted.size() - 2));
}

}  // namespace gauntlet::ptx
