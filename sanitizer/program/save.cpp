// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/save.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>

#include "base/scalar.hpp"
#include "base/text/text.hpp"
#include "sanitizer/kernel/entry.hpp"
#include "sanitizer/kernel/npy.hpp"

namespace gauntlet::runtime {
namespace {

std::string extent(const Dim3& d) {
  return d.y == 1 && d.z == 1 ? fmt::format("{}", d.x) : fmt::format("{},{},{}", d.x, d.y, d.z);
}

/// The type whose elements make up so many bytes: `wanted` if there is one.
Type type_for(std::optional<Type> wanted, std::uint64_t bytes) {
  if (wanted && bytes % size_of(*wanted) == 0) return *wanted;
  return bytes % 8 == 0 && bytes == 8 ? Type::u64
         : bytes % 4 == 0             ? Type::u32
         : bytes % 2 == 0             ? Type::u16
                                      : Type::u8;
}

}  // namespace

SavedLaunch::SavedLaunch(const Heap& heap, const std::string& symbol,
                         std::span<const std::byte> params, const std::vector<simt::Param>& layout)
    : symbol_(symbol) {
  sanitize::KernelEntry entry;
  entry.symbol = symbol;
  entry.parameters.resize(layout.size());
  sanitize::demangle(entry);
  std::set<Address> seen;
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const auto bytes = params.subspan(layout[k].offset, layout[k].bytes);
    const auto array_at = [&](std::size_t offset) -> const Array* {
      Address address = 0;
      std::memcpy(&address, bytes.data() + offset, sizeof address);
      const Array* const array = address == 0 ? nullptr : heap.find(address);
      return array == nullptr || array->freed ? nullptr : array;
    };
    Parameter parameter;
    const sanitize::Numbers numbers = sanitize::numbers_of(entry.parameters[k].type);
    parameter.type = type_for(numbers.untyped ? std::nullopt : numbers.element, bytes.size());
    parameter.argument = fmt::format("p{}:", k + 1);
    const Array* const array = bytes.size() == 8 ? array_at(0) : nullptr;
    if (array != nullptr) {
      Address address = 0;
      std::memcpy(&address, bytes.data(), sizeof address);
      if (!seen.insert(array->base).second) {
        cannot_ = fmt::format("{} is given twice", array->name);
      }
      if (numbers.pointer && !numbers.untyped && numbers.element) parameter.type = *numbers.element;
      add_array(heap, parameter, *array, address);
    } else {
      for (std::size_t at = 0; bytes.size() > 8 && at + 8 <= bytes.size(); at += 8) {
        if (array_at(at) != nullptr) {
          cannot_ = fmt::format("parameter {} is a struct with the address of an array", k + 1);
        }
      }
      if (numbers.pointer) parameter.type = Type::u64;
      const auto size = size_of(parameter.type);
      const auto count = bytes.size() / size;
      parameter.argument += name(parameter.type);
      if (count > 1) parameter.argument += fmt::format("x{}", count);
      for (std::size_t at = 0; at < bytes.size(); at += size) {
        if (at != 0) parameter.value += ',';
        parameter.value += format_value(parameter.type, bytes.data() + at);
      }
    }
    parameters_.push_back(std::move(parameter));
  }
}

void SavedLaunch::add_array(const Heap& heap, Parameter& parameter, const Array& array,
                            Address pointer) {
  const auto size = size_of(parameter.type);
  const std::uint64_t count = (array.bytes - (pointer - array.base)) / size;
  parameter.array = true;
  parameter.content.resize(count * size);
  if (!parameter.content.empty()) heap.memory.read(pointer, parameter.content);
  const auto* const state = heap.memory.find(array.base)->state + (pointer - array.base);
  parameter.written = std::any_of(state, state + count * size,
                                  [](auto s) { return s == simt::ByteState::initialised; });
  // Undefined values may lie there as long as nobody uses them: it may be scratch memory.
  parameter.argument += fmt::format("{}[{}],scratch", name(parameter.type), count);
  if (pointer % 256 != 0) parameter.argument += fmt::format(",offset:{}", pointer % 256);
}

std::string SavedLaunch::write(const std::filesystem::path& folder, const std::string& ptx,
                               const simt::LaunchConfig& config) const {
  std::filesystem::create_directories(folder);
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  if (!(std::ofstream(file("kernel.ptx")) << ptx)) {
    throw std::runtime_error(file("kernel.ptx") + " cannot be written");
  }
  std::string command = fmt::format("gauntlet sanitize {} --entry {} --grid {} --block {}",
                                    shell_word(file("kernel.ptx")), symbol_, extent(config.grid),
                                    extent(config.block));
  if (config.shared_bytes != 0) command += fmt::format(" --shared {}", config.shared_bytes);
  if (config.cooperative) command += " --cooperative";
  if (config.schedule != "lockstep") command += " --schedule " + config.schedule;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const Parameter& p = parameters_[k];
    std::string argument = p.argument;
    if (p.array && p.written) {
      const std::string npy = file(fmt::format("p{}.npy", k + 1));
      // NumPy has no bf16.
      sanitize::write_npy(npy, p.type == Type::bf16 ? Type::u16 : p.type, p.content);
      argument += "=" + npy;
    } else if (!p.array) {
      argument += "=" + p.value;
    }
    command += " --arg " + shell_word(argument);
  }
  if (!cannot_.empty()) command = "no replay: " + cannot_;
  std::ofstream(file("command")) << command << "\n";
  return cannot_.empty() ? "replay: " + command : command;
}

}  // namespace gauntlet::runtime
