// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <tuple>
#include <utility>

namespace gauntlet::sanitizer {
namespace {

using pugi::xml_node;

/// Paths are what the compiler was given; the project's own start with one of its folders.
std::string project_path(const std::string& path) {
  for (const std::string_view folder : {"kernels/", "sanitizer/", "gpu/"}) {
    const std::size_t at = path.rfind(folder);
    if (at != std::string::npos && (at == 0 || path[at - 1] == '/')) return path.substr(at);
  }
  return path.substr(path.rfind('/') + 1);
}

Place place_of(const xml_node& where) {
  return {project_path(where.child_value("path")), where.child("line").text().as_uint()};
}

bool is_toolkit(const xml_node& where) {
  return std::string_view(where.child_value("path")).find("/include/") != std::string_view::npos;
}

/// The nearest place outside the toolkit's headers: code is inlined, and a barrier of the toolkit
/// says less than the line that calls it.
Place own_place(const xml_node& where, const xml_node& stack) {
  if (!is_toolkit(where)) return place_of(where);
  for (const xml_node& frame : stack.children("frame")) {
    if (!is_toolkit(frame)) return place_of(frame);
  }
  return place_of(where);
}

/// The kernel is the outermost function.
void set_place(const xml_node& where, const xml_node& stack, Record& record) {
  record.kernel = where.child_value("func");
  for (const xml_node& frame : stack.children("frame")) record.kernel = frame.child_value("func");
  Place at = own_place(where, stack);
  record.file = std::move(at.file);
  record.line = at.line;
}

std::string_view trimmed(std::string_view word) {
  while (!word.empty() && word.front() == '_') word.remove_prefix(1);
  while (!word.empty() && word.back() == '_') word.remove_suffix(1);
  return word;
}

Severity severity_of(const xml_node& record) {
  const std::string_view level = record.child_value("level");
  if (level == "Warning") return Severity::warning;
  if (level == "Info") return Severity::note;
  return Severity::error;  // initcheck and synccheck give none
}

void read_access(const xml_node& what, Record& record) {
  const std::string_view error = what.child_value("error");
  const bool write = std::string_view(what.child_value("direction")) == "write";
  record.kind = FindingKind::unallocated;
  if (error == "out of bounds") {
    record.kind = write ? FindingKind::out_of_bounds_write : FindingKind::out_of_bounds_read;
  } else if (error == "misaligned") {
    record.kind = FindingKind::misaligned;
  }
  record.space = trimmed(what.child_value("space"));
  record.size = what.child("size").text().as_uint();
  record.address = what.child("address").text().as_ullong();
}

void read_race(const xml_node& what, Record& record) {
  const xml_node source = what.child("source"), destination = what.child("destination");
  const auto writes = [](const xml_node& side) {
    return std::string_view(side.child_value("direction")) != "Read";
  };
  record.kind = !writes(source)       ? FindingKind::race_read_write
                : writes(destination) ? FindingKind::race_write_write
                                      : FindingKind::race_write_read;
  record.space = "shared";  // racecheck looks at nothing else
  const auto stack = [&](const xml_node& side) {
    return side.child("deviceStack") ? side.child("deviceStack")
                                     : what.parent().child("deviceStack");
  };
  set_place(destination.child("where"), stack(destination), record);
  record.other = own_place(source.child("where"), stack(source));
  record.count = 0;
  for (const xml_node& later : what.children("destination")) {
    record.count += later.child("count").text().as_ullong();
  }
  record.count = std::max<std::uint64_t>(record.count, 1);
}

FindingKind barrier_kind(std::string_view type) {
  if (type == "Invalid arguments") return FindingKind::not_in_own_mask;
  if (type == "Divergent thread(s) in block") return FindingKind::partial_barrier;
  return FindingKind::divergent_barrier;
}

/// Nothing for a record that is left out.
std::optional<Record> read_record(const xml_node& node) {
  const std::string_view kind = node.child_value("kind");
  const xml_node what = node.child("what");
  if (kind == "Api") return std::nullopt;
  Record record;
  record.severity = severity_of(node);
  record.detail = what.child_value("text");
  if (const xml_node type = what.child("type")) {
    record.detail += fmt::format(": {}", type.child_value());
  }
  set_place(node.child("where"), node.child("deviceStack"), record);
  if (what.child("space") && what.child("direction")) {
    read_access(what, record);
  } else if (kind == "Analysis") {
    read_race(what, record);
  } else if (kind == "Initcheck") {
    record.kind = FindingKind::uninitialised_read;
    record.space = "global";
    record.size = what.child("size").text().as_uint();
    record.address = what.child("address").text().as_ullong();
  } else if (kind == "InitcheckApiError") {
    record.kind = FindingKind::unwritten_output;
    record.space = "global";
    record.size = what.child("accessSize").text().as_uint();
    record.address = what.child("errorAddress").text().as_ullong();
  } else if (kind == "Synccheck") {
    record.kind = barrier_kind(what.child_value("type"));
  } else {
    record.kind = FindingKind::executor_fault;
    record.detail = fmt::format("{} record: {}", kind, record.detail);
  }
  return record;
}

}  // namespace

std::vector<Record> parse_records(std::string_view xml) {
  pugi::xml_document document;
  const auto result = document.load_buffer(xml.data(), xml.size());
  if (!result) {
    throw RecordError(fmt::format("not XML at byte {}: {}", result.offset, result.description()));
  }
  const xml_node root = document.child("ComputeSanitizerOutput");
  if (!root) throw RecordError("no element ComputeSanitizerOutput");
  std::vector<Record> records;
  for (const xml_node& node : root.children("record")) {
    if (auto record = read_record(node)) records.push_back(std::move(*record));
  }
  return records;
}

namespace {

bool launches(const Job& job, const std::string& kernel) {
  return std::ranges::count(job.kernels, kernel) != 0;
}

bool holds(const Allocation& a, std::uint64_t address) {
  return address >= a.address && address < a.address + a.bytes;
}

std::uint64_t distance(const Allocation& a, std::uint64_t address) {
  if (holds(a, address)) return 0;
  return address < a.address ? a.address - address : address - (a.address + a.bytes) + 1;
}

/// An access outside belongs to the nearest allocation.
const Allocation* nearest(const JobLog& log, std::uint64_t address) {
  const auto found = std::min_element(log.allocations.begin(), log.allocations.end(),
                                      [&](const Allocation& a, const Allocation& b) {
                                        return distance(a, address) < distance(b, address);
                                      });
  return found == log.allocations.end() ? nullptr : &*found;
}

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value >= 0 ? value / by : -((-value + by - 1) / by);
}

std::optional<std::size_t> by_name_or_address(const Record& record,
                                              std::span<const Job* const> batch,
                                              std::span<const JobLog> logs) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (record.kernel.empty()) {
      const auto& all = logs[i].allocations;
      if (std::any_of(all.begin(), all.end(),
                      [&](const Allocation& a) { return holds(a, record.address); })) {
        return i;
      }
    } else if (launches(*batch[i], record.kernel)) {
      return i;
    }
  }
  return std::nullopt;
}

/// What makes two the same.
auto identity(const Said& said) {
  return std::tie(said.kind, said.severity, said.kernel, said.file, said.line, said.array,
                  said.other);
}

}  // namespace

std::optional<std::vector<std::size_t>> owners(std::span<const Record> records,
                                               std::span<const Job* const> batch,
                                               const Transcript& transcript) {
  if (batch.size() == 1) return std::vector<std::size_t>(records.size(), 0);
  const auto races = static_cast<std::size_t>(std::count_if(
      records.begin(), records.end(), [](const Record& r) { return is_race(r.kind); }));
  std::vector<std::size_t> positions;
  std::size_t race = 0;
  for (const Record& record : records) {
    std::optional<std::size_t> position = by_name_or_address(record, batch, transcript.jobs);
    if (is_race(record.kind)) {
      const std::size_t number = race++;
      if (!position && races == transcript.races.size()) position = transcript.races[number];
    }
    if (!position) return std::nullopt;
    positions.push_back(*position);
  }
  return positions;
}

Said said_of(const Record& record, const Job& job, const JobLog& log) {
  Said said = record;
  if (!launches(job, said.kernel) && job.kernels.size() == 1) said.kernel = job.kernels.front();
  if (record.space == "shared") {
    said.array = "s";
  } else if (record.space == "global") {
    if (const Allocation* a = nearest(log, record.address)) {
      said.array = a->array;
      const auto bytes = static_cast<std::int64_t>(record.address - (a->address + a->element0));
      said.index = floor_divide(bytes, a->element_bytes);
    }
  }
  return said;
}

void fold(std::vector<Said>& all, const Said& said) {
  const auto same = std::ranges::find_if(
      all, [&](const Said& other) { return identity(other) == identity(said); });
  if (same == all.end()) {
    all.push_back(said);
  } else {
    same->count += said.count;
  }
}

}  // namespace gauntlet::sanitizer
