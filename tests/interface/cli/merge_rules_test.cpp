// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules by which documents of one verb become one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text/json_merge.hpp"
#include "base/usage_error.hpp"

namespace gauntlet {
namespace {

Json document(const std::string& verb, const std::string& members) {
  Json json = json_head(verb);
  json.update(Json::parse(members));
  return json;
}

struct Merged {
  Json json;
  std::vector<std::string> conflicts;
};

/// Of documents called a, b, c, ...
Merged merged(const std::vector<Json>& documents) {
  JsonMerge merge;
  std::string name = "a";
  for (const Json& one : documents) {
    merge.add(name, one);
    ++name[0];
  }
  return {merge.merged(), merge.conflicts()};
}

Json witness(const std::string& forms, bool interrupted = false) {
  Json json = document("witness", R"({"forms": )" + forms + "}");
  json["interrupted"] = interrupted;
  return json;
}

TEST(MergeRules, unite_entries_of_different_names_in_the_order_given) {
  const auto [json, conflicts] =
      merged({witness(R"([{"variant": "v", "form": "fixed", "tries": 1}])"),
              witness(R"([{"variant": "v", "form": "documented", "tries": 2}])")});
  EXPECT_TRUE(conflicts.empty());
  EXPECT_EQ(json, witness(R"([{"variant": "v", "form": "fixed", "tries": 1},
                              {"variant": "v", "form": "documented", "tries": 2}])"));
}

TEST(MergeRules, count_an_entry_that_is_there_twice_once_and_tell_one_that_differs) {
  const Json one = witness(R"([{"variant": "v", "form": "fixed", "tries": 1}])");
  EXPECT_EQ(merged({one, one}).json, one);
  EXPECT_TRUE(merged({one, one}).conflicts.empty());
  const auto other = merged({one, witness(R"([{"variant": "v", "form": "fixed", "tries": 2}])")});
  EXPECT_EQ(other.conflicts, std::vector<std::string>{"forms v fixed differs: a and b"});
  EXPECT_EQ(other.json, one) << "the first";
}

TEST(MergeRules, say_interrupted_of_the_whole_where_one_is) {
  EXPECT_EQ(merged({witness("[]"), witness("[]", true)}).json["interrupted"], true);
  EXPECT_EQ(merged({witness("[]"), witness("[]")}).json["interrupted"], false);
}

TEST(MergeRules, want_what_was_asked_for_to_be_the_same_and_tell_it_once) {
  const Json one = document("agree", R"({"seed": 1, "compared": 3, "forms": []})");
  const Json two = document("agree", R"({"seed": 2, "compared": 4, "forms": []})");
  const auto both = merged({one, two, two});
  EXPECT_EQ(both.conflicts,
            std::vector<std::string>{"`seed` is 1 in a and 2 in b, and so in 1 more"});
  EXPECT_EQ(merged({one, one}).json["compared"], 6) << "counts are added";
}

TEST(MergeRules, tell_a_member_that_only_one_has) {
  Json one = witness("[]"), two = witness("[]");
  one["made_by"] = "x";
  EXPECT_EQ(merged({one, two}).conflicts,
            std::vector<std::string>{"a has `made_by` and b has not"});
  EXPECT_EQ(merged({two, one}).conflicts,
            std::vector<std::string>{"b has `made_by` and a has not"});
}

Json shard(unsigned number, unsigned of, const std::string& forms = "[]") {
  Json json = document("check", R"({"executor": "simt"})");
  json["shard"] = number;
  json["shards"] = of;
  json["interrupted"] = false;
  json["forms"] = Json::parse(forms);
  return json;
}

TEST(MergeRules, want_every_shard_once) {
  EXPECT_TRUE(merged({shard(1, 2), shard(0, 2)}).conflicts.empty());
  EXPECT_TRUE(merged({shard(1, 2), shard(0, 2), shard(1, 2)}).conflicts.empty())
      << "twice, the same";
  EXPECT_EQ(merged({shard(1, 4), shard(3, 4)}).conflicts,
            std::vector<std::string>{"2 of 4 shards are missing: 0, 2"});
  EXPECT_EQ(
      merged({shard(0, 2), shard(1, 2), shard(1, 2, R"([{"variant": "v"}])")}).conflicts,
      std::vector<std::string>{"shard 1/2 is there twice and differs: b and c; keep one of them"});
  EXPECT_EQ(merged({shard(0, 1), shard(0, 2)}).conflicts,
            std::vector<std::string>{"a is a whole run and b one of 2 shards: parts of different "
                                     "runs"});
}

TEST(MergeRules, make_the_whole_of_shards_and_say_where_it_is_not) {
  const auto whole = merged({shard(1, 2, R"([{"variant": "b", "form": "f"}])"),
                             shard(0, 2, R"([{"variant": "a", "form": "f"}])")});
  EXPECT_EQ(whole.json, shard(0, 1, R"([{"variant": "a", "form": "f"},
                                        {"variant": "b", "form": "f"}])"))
      << "in the order of the shards";
  EXPECT_EQ(merged({shard(0, 2)}).json["interrupted"], true);
}

TEST(MergeRules, want_every_shard_of_a_verb_that_tells_only_of_shards_too) {
  const auto part = [](unsigned number, const char* form) {
    Json json = document("detection", R"({"forms": []})");
    json["forms"].push_back({{"variant", "v"}, {"form", form}});
    json.update({{"shard", number}, {"shards", 2}});
    return json;
  };
  const auto both = merged({part(0, "a"), part(1, "b")});
  EXPECT_TRUE(both.conflicts.empty());
  EXPECT_EQ(both.json, document("detection", R"({"forms": [{"variant": "v", "form": "a"},
                                                          {"variant": "v", "form": "b"}]})"));
  EXPECT_EQ(merged({part(0, "a")}).conflicts,
            std::vector<std::string>{"1 of 2 shards are missing: 1"});
}

TEST(MergeRules, list_documents_of_one_case_and_leave_one_as_it_is) {
  const Json one = document("count", R"({"case": "x n=1", "completed": true})");
  const Json two = document("count", R"({"case": "x n=2", "completed": true})");
  EXPECT_EQ(merged({one, two}).json,
            document("count", R"({"cases": [{"case": "x n=1", "completed": true},
                                            {"case": "x n=2", "completed": true}]})"));
  EXPECT_EQ(merged({one, one}).json, one);
  const Json clean = document("sanitize", R"({"file": "k.cu", "kernel": "k", "clean": true})");
  const Json not_clean = document("sanitize", R"({"file": "k.cu", "kernel": "l", "clean": false})");
  EXPECT_EQ(merged({clean, not_clean}).json,
            document("sanitize", R"({"file": "k.cu", "clean": false, "combinations":
              [{"kernel": "k", "clean": true}, {"kernel": "l", "clean": false}]})"));
}

TEST(MergeRules, take_the_worst_exit_code_and_every_process_of_a_program) {
  const auto ran = [](int code, const char* process) {
    Json json = document("run", R"({"command": ["t"]})");
    json["exit_code"] = code;
    json["processes"] = {{{"process", process}}};
    return json;
  };
  const Json both = merged({ran(1, "p"), ran(0, "q"), ran(0, "q")}).json;
  EXPECT_EQ(both["exit_code"], 1);
  EXPECT_EQ(both["processes"].size(), 2U);
}

TEST(MergeRules, unite_the_sizes_that_were_timed) {
  const auto timed = [](const char* n) {
    Json json = document("time", R"({"date": "2026-01-02", "options": {"types": "f32"}})");
    json["options"]["n"] = n;
    json["benchmarks"] = {{{"name", n}}};
    return json;
  };
  const Json both = merged({timed("1,2"), timed("2,4")}).json;
  EXPECT_EQ(both["options"], Json::parse(R"({"types": "f32", "n": "1,2,4"})"));
  EXPECT_EQ(both["benchmarks"].size(), 2U);
}

TEST(MergeRules, tell_verbs_apart_and_refuse_what_is_no_result) {
  EXPECT_EQ(
      merged({witness("[]"), document("list", R"({"variants": []})")}).conflicts,
      std::vector<std::string>{"a is of `witness` and b of `list`: merge one verb at a time"});
  for (const char* const text :
       {"[]", "3", "{}", R"({"schema": 1})", R"({"schema": "gauntlet.cheque", "version": 1})",
        R"({"schema": "gauntlet.check", "version": 2})",
        R"({"schema": "gauntlet.check", "version": 1, "shards": "two"})"}) {
    JsonMerge merge;
    EXPECT_THROW(merge.add("a", Json::parse(text)), UsageError) << text;
  }
}

}  // namespace
}  // namespace gauntlet
