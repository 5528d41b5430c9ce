// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A spec's results for given arrays, without a kernel.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/scalar.hpp"
#include "properties/language/evaluate.hpp"

namespace gauntlet::spec::test {

/// What is wrong with the bits of a cell; empty where nothing is.
inline std::string wrong_in(Type type, std::uint64_t bits, const Value& expected) {
  if (accepts(type, bits, expected)) return {};
  return "got " + format_bits(type, bits) + ", expected " + wanted(type, expected);
}

struct Judge {
  std::unique_ptr<Program> owned = std::make_unique<Program>();
  std::vector<std::uint64_t> sizes;
  std::map<std::string, std::vector<std::byte>> content;

  Judge(const std::string& text, std::vector<std::uint64_t> sizes_) : sizes(std::move(sizes_)) {
    bind(*owned, parse_spec("kernel k.ptx\nlaunch grid=1 block=32\n" + text, "t.gauntlet"));
  }

  template <class T>
  Judge& array(const std::string& name, const std::vector<T>& values) {
    auto& bytes = content[name];
    bytes.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return *this;
  }

  struct Cell {
    std::uint64_t index = 0;
    Value value;
    bool decided = true;
  };

  std::optional<SumReference> reference;  ///< of the cells that were asked for last
  std::string reason;                     ///< of the last one, where it holds `got`
  double got = 0;

  std::vector<Cell> cells(std::size_t result = 0) {
    const Type type = owned->spec.arrays[owned->spec.results[result].array].type;
    Evaluator evaluator(*owned, sizes);
    std::vector<View> views;
    for (std::size_t k = 0; k < owned->spec.arrays.size(); ++k) {
      const auto& extents = owned->spec.arrays[k].extents;
      views.push_back({content[owned->spec.arrays[k].name], evaluator.elements(k),
                       evaluator.count(extents.back())});
    }
    evaluator.set_arrays(views);
    std::vector<Cell> all;
    evaluator.for_each_cell(result, [&](std::uint64_t index, const Value& value, bool decided) {
      all.push_back({index, value, decided});
      if (is_float(type)) reason = evaluator.reason(result, type, float_bits(type, got), value);
    });
    reference = evaluator.reference();
    return all;
  }

  /// What is wrong with a value in the only cell.
  std::string wrong(double got) {
    const Type type = owned->spec.arrays[owned->spec.results[0].array].type;
    const auto cell = cells().at(0);
    if (!cell.decided) return "undecided";
    return wrong_in(
        type,
        is_float(type) ? float_bits(type, got)
                       : truncate(type, static_cast<std::uint64_t>(static_cast<std::int64_t>(got))),
        cell.value);
  }
};

}  // namespace gauntlet::spec::test
