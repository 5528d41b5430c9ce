// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program of many: NAMED(race) { ... } is what it does where its first argument is `race`.
#pragma once

#include <string>
#include <vector>

namespace {

/// There is a second argument: it does what is just no mistake.
bool right = false;

struct Named {
  std::string name;
  void (*run)();
};
std::vector<Named>& all_named() {
  static std::vector<Named> all;
  return all;
}
bool add_named(const char* name, void (*run)()) {
  all_named().push_back({name, run});
  return true;
}
/// False where there is none of that name.
bool run_named(int count, char** arguments) {
  right = count > 2;
  for (const Named& one : all_named()) {
    if (count > 1 && one.name == arguments[1]) return one.run(), true;
  }
  return false;
}

}  // namespace

#define NAMED(word)                                     \
  void word();                                          \
  const bool has_named_##word = add_named(#word, word); \
  void word()
