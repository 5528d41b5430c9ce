// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <ranges>

#include "base/usage_error.hpp"

namespace gauntlet {
namespace {

enum class How : std::uint8_t {
  same,   ///< must be; the rule of whatever has no other
  first,  ///< of no meaning for the whole, or made anew of the rest
  drop,   ///< not known of the whole
  any,
  all,
  sum,
  most,
  least,
  words,  ///< a list with commas between: all, each once
  list,   ///< united by the members named in `keys`; none: by all of an entry
};

struct Rule {
  std::string_view where;  ///< "VERB.MEMBER", or "*.MEMBER" of any verb
  How how = How::same;
  std::string_view keys = {};
  bool placed = false;  ///< of a list: MergeHooks::place says in what order
};

constexpr Rule rules[] = {
    {"*.interrupted", How::any},
    {"*.as_expected", How::all},
    {"*.as_recorded", How::all},
    {"*.clean", How::all},
    {"*.date", How::least},
    {"*.shard", How::first},
    {"agree.compared", How::sum},
    {"agree.order_free", How::sum},
    {"agree.disagreements", How::sum},
    {"prove.same_bits", How::drop},
    {"run.exit_code", How::most},
    {"run.program_exit_code", How::most},
    {"time.options.n", How::words},
    {"time.options.types", How::words},
    {"time.state", How::first},
    {"time.context", How::first},
    {"time.fixes", How::first},
    {"time.speedups", How::first},
    {"time.goals", How::first},
    {"time.allocation", How::first},
    {"*.forms", How::list, "variant form", true},
    {"*.cases", How::list, "case executor"},
    {"*.variants", How::list, "row id", true},
    {"*.claims", How::list, "number", true},
    {"*.kernels", How::list, "symbol kernel"},
    {"*.combinations", How::list,
     "combination kernel grid block shared_bytes cooperative repeat races arguments"},
    {"*.calibration", How::list, "tool entry"},
    {"*.benchmarks", How::list, "name"},
    {"*.not_timed", How::list},
    {"*.accuracy", How::list, "variant form case"},
    {"*.times", How::list, "case"},
    {"*.processes", How::list},
    {"why.fixes", How::list, "variant fix"},
};

/// The verbs of whose documents the rules speak.
constexpr std::array verbs{"list",   "check", "agree",      "repro",    "witness",
                           "prove",  "why",   "count",      "sanitize", "run",
                           "claims", "time",  "time_specs", "detection"};

/// Documents of one case have its members at the top; several are a list of this name.
struct Wrapped {
  std::string_view verb, list, sign;  ///< `sign`: a member that only such a document has
};
constexpr Wrapped wrapped[] = {{"prove", "cases", "case"},
                               {"repro", "cases", "case"},
                               {"count", "cases", "case"},
                               {"sanitize", "combinations", "kernel"}};
/// Members that stay at the top.
constexpr std::array head{"schema", "version", "made_by", "file"};
/// Of the whole and of each of its entries.
constexpr std::array both{"clean", "interrupted"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

const Wrapped* wrapping_of(std::string_view verb, const Json& document) {
  const auto* const found = std::ranges::find(wrapped, verb, &Wrapped::verb);
  const bool is = found != std::end(wrapped) && document.contains(found->sign) &&
                  !document.contains(found->list);
  return is ? found : nullptr;
}

Json wrap(const Json& document, const Wrapped& as) {
  Json whole = Json::object(), entry = Json::object();
  for (const auto& [key, value] : document.items()) {
    const bool top = is_one_of(head, key);
    if (top || is_one_of(both, key)) whole[key] = value;
    if (!top) entry[key] = value;
  }
  whole[std::string(as.list)] = Json::array({std::move(entry)});
  return whole;
}

Json unwrap(Json whole, const Wrapped& as) {
  const Json entry = whole.at(std::string(as.list)).at(0);
  for (const char* const name : both) whole.erase(name);
  whole.erase(std::string(as.list));
  for (const auto& [key, value] : entry.items()) whole[key] = value;
  return whole;
}

Rule rule_of(std::string_view where, const Json& value) {
  const std::string_view member = where.substr(where.find('.'));
  for (const Rule& rule : rules) {
    const bool fits =
        rule.where == where || (rule.where[0] == '*' && rule.where.substr(1) == member);
    if (fits && (rule.how == How::list) == value.is_array()) return rule;
  }
  return {where};
}

std::string shown(const Json& value) {
  constexpr std::size_t longest = 60;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

/// What an entry is called in messages and by which others are compared with it.
std::string name_of(const Json& entry, std::string_view keys) {
  if (keys.empty() || !entry.is_object()) return entry.dump();
  std::string name;
  for (const auto key : std::views::split(keys, ' ')) {
    const auto member = entry.find(std::string_view(key.begin(), key.end()));
    if (member == entry.end()) continue;
    if (!name.empty()) name += ' ';
    name += member->is_string() ? member->get<std::string>() : member->dump();
  }
  return name;
}

Json all_words(const Json& a, const Json& b) {
  auto text = a.get<std::string>();
  for (const auto part : std::views::split(b.get_ref<const std::string&>(), ',')) {
    const std::string word(part.begin(), part.end());
    if (("," + text + ",").find("," + word + ",") == std::string::npos) text += "," + word;
  }
  return text;
}

/// True where the rule could be followed.
bool combine(Json& a, const Json& b, How how) {
  const bool booleans = a.is_boolean() && b.is_boolean();
  const bool numbers = a.is_number() && b.is_number();
  const bool texts = a.is_string() && b.is_string();
  switch (how) {
    case How::first:
      return true;
    case How::any:
      if (booleans) a = a.get<bool>() || b.get<bool>();
      return booleans;
    case How::all:
      if (booleans) a = a.get<bool>() && b.get<bool>();
      return booleans;
    case How::sum:
      if (numbers) a = a.get<std::uint64_t>() + b.get<std::uint64_t>();
      return numbers;
    case How::most:
      if (numbers && a < b) a = b;
      return numbers;
    case How::least:
      if (texts && b < a) a = b;
      return texts;
    case How::words:
      if (texts) a = all_words(a, b);
      return texts;
    default:
      return a == b;
  }
}

}  // namespace

void JsonMerge::conflict(const std::string& about, const std::string& line) {
  const auto known = std::ranges::find(conflicts_, about, &Conflict::about);
  if (known != conflicts_.end()) {
    ++known->more;
  } else {
    conflicts_.push_back({about, line});
  }
}

bool JsonMerge::is_new_shard(const std::string& path, const Json& document) {
  const auto number = [&](const char* member, std::uint64_t otherwise) -> std::uint64_t {
    return document.contains(member) ? Whole(document[member]) : otherwise;
  };
  const std::uint64_t shard = number("shard", 0), shards = number("shards", 1);
  shard_of_last_ = shard;
  if (documents_ == 1) shards_ = shards;
  if (shards != shards_) {
    const auto says = [](std::uint64_t n) {
      return n == 1 ? std::string("a whole run") : fmt::format("one of {} shards", n);
    };
    conflict("shards", fmt::format("{} is {} and {} {}: parts of different runs", first_path_,
                                   says(shards_), path, says(shards)));
    return false;
  }
  if (shards == 1) return true;
  const std::size_t hash = std::hash<std::string>()(document.dump());
  const auto [at, is_new] = shard_.try_emplace(shard, Shard{path, hash});
  if (!is_new && at->second.hash != hash) {
    conflict(path,
             fmt::format("shard {}/{} is there twice and differs: {} and {}; keep one of them",
                         shard, shards, at->second.path, path));
  }
  return is_new;
}

void JsonMerge::add(const std::string& path, Json document) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{}: {}", path, why));
  };
  constexpr std::string_view prefix = "gauntlet.";
  if (!document.is_object()) refuse("it is no result of a verb's --json");
  const auto schema = document.find("schema");
  std::string verb;
  if (schema != document.end() && schema->is_string()) verb = schema->get<std::string>();
  if (!verb.starts_with(prefix) || !is_one_of(verbs, verb.substr(prefix.size()))) {
    refuse(fmt::format("it is no result that can be merged: of {}", fmt::join(verbs, ", ")));
  }
  verb.erase(0, prefix.size());
  if (document.value("version", Json()) != json_schema_version) {
    refuse(fmt::format("it is no gauntlet.{} document of version {}", verb, json_schema_version));
  }
  ++documents_;
  if (documents_ == 1) {
    verb_ = verb;
    first_path_ = path;
    single_ = true;
  }
  if (verb != verb_) {
    return conflict("schema", fmt::format("{} is of `{}` and {} of `{}`: merge one verb at a time",
                                          first_path_, verb_, path, verb));
  }
  const Wrapped* const as = wrapping_of(verb, document);
  single_ = single_ && as != nullptr;
  if (as != nullptr) document = wrap(document, *as);
  try {
    if (!is_new_shard(path, document)) return;
    if (documents_ == 1) whole_ = Json::object();
    fold(whole_, document, verb, path);
  } catch (const JsonShapeError& error) {
    refuse(fmt::format("it is no gauntlet.{} document: {}", verb, error.what()));
  } catch (const nlohmann::json::exception& error) {
    refuse(fmt::format("it is no gauntlet.{} document: {}", verb, in_words(error)));
  }
}

void JsonMerge::fold(Json& whole, const Json& part, const std::string& where,
                     const std::string& path) {
  const bool first = documents_ == 1;
  for (const auto& [key, value] : part.items()) {
    const std::string here = where + "." + key;
    const Rule rule = rule_of(here, value);
    if (rule.how == How::drop) {
      if (first) whole[key] = value;
    } else if (rule.how == How::list) {
      if (first) whole[key] = Json::array();
      unite(whole[key], value, here, rule.keys, path);
    } else if (first) {
      whole[key] = value;
    } else if (!whole.contains(key)) {
      conflict(here, fmt::format("{} has `{}` and {} has not", path, key, first_path_));
    } else if (Json& a = whole[key]; rule.how == How::same && a.is_object() && value.is_object()) {
      fold(a, value, here, path);
    } else if (const Json before = a; !combine(a, value, rule.how)) {
      conflict(here, fmt::format("`{}` is {} in {} and {} in {}", here.substr(verb_.size() + 1),
                                 shown(before), first_path_, shown(value), path));
    }
  }
  if (first) return;
  for (const auto& [key, value] : whole.items()) {
    if (part.contains(key) || rule_of(where + "." + key, value).how == How::drop) continue;
    conflict(where + "." + key, fmt::format("{} has `{}` and {} has not", first_path_, key, path));
  }
}

void JsonMerge::unite(Json& list, const Json& more, const std::string& where, std::string_view keys,
                      const std::string& path) {
  List& known = entries_[where];
  for (const Json& entry : more) {
    if (hooks_.take && entry.contains("part")) {
      hooks_.take(entry);
      continue;
    }
    const std::string name = name_of(entry, keys);
    const auto [at, is_new] = known.entries.try_emplace(name, Entry{list.size(), path});
    if (is_new) {
      list.push_back(entry);
      known.shard.push_back(shard_of_last_);
    } else if (list[at->second.at] != entry) {
      conflict(where + ' ' + name,
               fmt::format("{} {} differs: {} and {}", where.substr(verb_.size() + 1), name,
                           at->second.path, path));
    }
  }
}

std::vector<std::uint64_t> JsonMerge::missing() const {
  std::vector<std::uint64_t> missing;
  for (std::uint64_t shard = 0; shards_ > 1 && shard < shards_; ++shard) {
    if (!shard_.contains(shard)) missing.push_back(shard);
  }
  return missing;
}

std::vector<std::string> JsonMerge::conflicts() const {
  std::vector<std::string> lines;
  for (const Conflict& one : conflicts_) {
    lines.push_back(one.line);
    if (one.more > 0) lines.back() += fmt::format(", and so in {} more", one.more);
  }
  const auto without = missing();
  if (without.empty()) return lines;
  constexpr std::size_t most = 10;
  lines.push_back(fmt::format("{} of {} shards are missing: {}{}", without.size(), shards_,
                              fmt::join(without | std::views::take(most), ", "),
                              without.size() > most ? ", ..." : ""));
  return lines;
}

Json JsonMerge::merged() const {
  Json whole = whole_;
  if (verb_ != "check") {  // others tell of a shard only where there is one
    whole.erase("shard");
    whole.erase("shards");
  } else if (whole.contains("shards")) {
    whole["shard"] = 0;
    whole["shards"] = 1;
  }
  if (!complete()) whole["interrupted"] = true;
  for (const Rule& rule : rules) {
    if (rule.how != How::drop || documents_ == 1 || !rule.where.starts_with(verb_ + ".")) continue;
    whole.erase(std::string(rule.where.substr(verb_.size() + 1)));
  }
  for (auto& [key, value] : whole.items()) {
    const Rule rule = rule_of(verb_ + "." + key, value);
    if (rule.how != How::list) continue;
    const auto& from = entries_.at(verb_ + "." + key).shard;
    std::vector<std::size_t> order(value.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t k) {
      return std::pair(rule.placed && hooks_.place ? hooks_.place(value[k]) : 0, from[k]);
    });
    Json sorted = Json::array();
    for (const std::size_t k : order) sorted.push_back(value[k]);
    value = std::move(sorted);
  }
  const auto* const as = std::ranges::find(wrapped, verb_, &Wrapped::verb);
  if (single_ && whole.at(std::string(as->list)).size() == 1) whole = unwrap(whole, *as);
  return whole;
}

}  // namespace gauntlet
