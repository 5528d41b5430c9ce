// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <utility>

#include "base/text/interrupt.hpp"
#include "interface/cli/usage.hpp"

namespace gauntlet::cli {
namespace {

std::string& the_maker() {
  static std::string maker;
  return maker;
}

}  // namespace

void set_maker(std::string maker) { the_maker() = std::move(maker); }
const std::string& maker() { return the_maker(); }

Json signed_by(const std::string& maker, const Json& document) {
  Json with = Json::object();
  for (const auto& [key, value] : document.items()) {
    with[key] = value;
    if (key == "version" && !maker.empty()) with["made_by"] = maker;
  }
  return with;
}

void remark(const std::string& line) {
  if (!is_terminal(STDERR_FILENO)) {
    to_standard_error(line + "\n");
    return;
  }
  std::istringstream parts(line);
  for (std::string part; std::getline(parts, part);) {  // what is indented is to be pasted
    to_standard_error((part.starts_with(' ') ? part : wrap(part, 2, 0)) + "\n");
  }
}

Output::Output(std::string json, std::string unit)
    : progress(is_terminal(STDERR_FILENO), std::move(unit)),
      style(Style::of(STDOUT_FILENO)),
      file_(std::move(json)) {}

const std::atomic<bool>& Output::watch(std::string told) {
  told_ = std::move(told);
  interrupted_ = &watch_for_interrupt();
  return *interrupted_;
}

void Output::print(const std::string& text) {
  if (standard_output_is_taken()) return to_standard_error(text);
  fmt::print("{}", text);
  std::fflush(stdout);
}

void Output::remark(const std::string& line) {
  progress.finish();
  cli::remark(line);
}

int Output::finish(const std::string& text, const Json& json, bool as_expected,
                   const std::string& line) {
  return finish(text, json_text(signed_by(maker(), json)), as_expected, line);
}

int Output::finish(const std::string& text, const std::string& json, bool as_expected,
                   const std::string& line) {
  progress.finish();
  print(text);
  if (!line.empty()) remark(line);
  file_.write_text(json);
  if (interrupted_ != nullptr && *interrupted_) {
    if (!told_.empty()) remark("gauntlet: interrupted; " + told_);
    return exit_interrupted();
  }
  return as_expected ? exit_as_expected : exit_not_as_expected;
}

}  // namespace gauntlet::cli
