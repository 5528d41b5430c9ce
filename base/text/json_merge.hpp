// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One document from several of the same verb: members by a few rules (the table in json_merge.cpp).
//   - members that say what was asked for and by whom must be the same;
//   - lists (forms, cases, measurements) are united: an entry that is there twice, the same, counts
//     once; one of the same name that differs is a conflict;
//   - `interrupted` holds of the whole where it holds of one, `clean` where it holds of all, counts
//     are added.
// Shards (`shards` above 1) must all be there, each once or the same.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/text/json_fields.hpp"

namespace gauntlet {

/// What a caller knows of a verb's entries. Both may be unset.
struct MergeHooks {
  /// Is given each entry of `forms` that has a `part`; such entries are not united here. Throws
  /// JsonShapeError.
  std::function<void(const Json& entry)> take{};
  /// Where a form, a variant or a claim stands among others; equal ones stand by their shards, then
  /// as they came.
  std::function<std::uint64_t(const Json& entry)> place{};
};

class JsonMerge {
 public:
  explicit JsonMerge(MergeHooks hooks = {}) : hooks_(std::move(hooks)) {}

  /// Throws UsageError ("PATH: ...") for what is no result of a known verb.
  void add(const std::string& path, Json document);
  /// What cannot be true of one result, a line each; of shards also which are missing.
  [[nodiscard]] std::vector<std::string> conflicts() const;
  /// Of shards: none is missing.
  [[nodiscard]] bool complete() const { return missing().empty(); }
  /// "check"; empty before the first document.
  [[nodiscard]] const std::string& verb() const { return verb_; }
  [[nodiscard]] std::size_t documents() const { return documents_; }
  /// The document of the whole; of two values that differ, the first that was given.
  [[nodiscard]] Json merged() const;

 private:
  [[nodiscard]] bool is_new_shard(const std::string& path, const Json& document);
  void fold(Json& whole, const Json& part, const std::string& where, const std::string& path);
  void unite(Json& list, const Json& more, const std::string& where, std::string_view keys,
             const std::string& path);
  void conflict(const std::string& about, const std::string& line);
  [[nodiscard]] std::vector<std::uint64_t> missing() const;

  MergeHooks hooks_;
  std::string verb_, first_path_;
  bool single_ = false;  ///< every document so far was of one case, not of a list of them
  std::size_t documents_ = 0;
  Json whole_;
  struct Conflict {
    std::string about, line;
    std::size_t more = 0;  ///< others about the same
  };
  std::vector<Conflict> conflicts_;
  struct Shard {
    std::string path;
    std::size_t hash = 0;
  };
  std::uint64_t shards_ = 1;
  std::map<std::uint64_t, Shard> shard_;
  struct Entry {
    std::size_t at = 0;
    std::string path;
  };
  struct List {
    std::map<std::string, Entry> entries;  ///< by their names
    std::vector<std::uint64_t> shard;      ///< from which each came, in the list's order
  };
  std::map<std::string, List> entries_;
  std::uint64_t shard_of_last_ = 0;
};

}  // namespace gauntlet
