// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/scalar.hpp"
#include "spec/evaluate.hpp"
#include "spec/source.hpp"

namespace gauntlet::spec {
namespace {

Finding wrong(const Array& array, std::uint64_t index, std::string detail) {
  Finding finding;
  finding.kind = FindingKind::wrong_result;
  finding.array = array.name;
  finding.index = static_cast<std::int64_t>(index);
  finding.size = static_cast<std::uint32_t>(size_of(array.type));
  finding.detail = std::move(detail);
  return finding;
}

const ObservedBuffer* observed(const Observation& observation, const std::string& name) {
  for (const ObservedBuffer& buffer : observation.buffers) {
    if (buffer.name == name) return &buffer;
  }
  return nullptr;
}

}  // namespace

Verdict judge(const Loaded& loaded, const Case& c, const Plan& plan,
              const Observation& observation) {
  Verdict verdict;
  if (!observation.completed) return verdict;
  const Spec& spec = loaded.program.spec;
  std::vector<std::uint64_t> sizes;
  for (const NamedSize& size : c.sizes) sizes.push_back(size.value);
  Evaluator evaluator(loaded.program, sizes);
  std::vector<View> views;
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    views.push_back({plan.buffers[k].content, evaluator.elements(k),
                     evaluator.count(loaded.program.arrays[k].extents.back())});
    // What has no content cannot be referred to.
    if (plan.buffers[k].content.empty()) views.back().count = views.back().columns = 0;
  }
  evaluator.set_arrays(std::move(views));

  for (std::size_t k = 0; k < spec.results.size(); ++k) {
    const Array& array = spec.arrays[spec.results[k].array];
    const ObservedBuffer* buffer = observed(observation, array.name);
    if (buffer == nullptr) continue;
    const std::size_t size = size_of(array.type);
    Finding first;
    std::uint64_t count = 0;
    evaluator.for_each_cell(k, [&](std::uint64_t index, const Value& value, bool decided) {
      if (!decided || !buffer->defined[index]) return;
      const std::uint64_t bits = load_bits(array.type, buffer->bytes.data() + index * size);
      std::string what = mismatch(array.type, bits, value);
      if (what.empty() || count++ != 0) return;
      what += evaluator.lost_term(k, array.type, bits, value);
      first = wrong(array, index, std::move(what));
    });
    if (count == 0) continue;
    first.count = count;
    verdict.findings.push_back(std::move(first));
  }
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    const Array& array = spec.arrays[k];
    const ObservedBuffer* buffer = array.kept ? observed(observation, array.name) : nullptr;
    if (buffer == nullptr || buffer->bytes == plan.buffers[k].content) continue;
    const std::size_t size = size_of(array.type);
    std::size_t cell = 0;
    const auto at = [&](const std::vector<std::byte>& bytes) { return bytes.data() + cell * size; };
    while (std::equal(at(buffer->bytes), at(buffer->bytes) + size, at(plan.buffers[k].content))) {
      ++cell;
    }
    verdict.findings.push_back(
        wrong(array, cell,
              fmt::format("was {} before the launch, is {}: not left as it was found",
                          format_value(array.type, at(plan.buffers[k].content)),
                          format_value(array.type, at(buffer->bytes)))));
  }
  return verdict;
}

}  // namespace gauntlet::spec
