// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet diff: two forms' kernels, line by line.
#include "base/text/diff.hpp"

#include <string>

#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"

namespace gauntlet::cli {
namespace {

struct DiffOptions {
  std::string left, right, json;
  std::uint32_t block = 0;
  std::uint32_t columns = 0;
};

int run(DiffOptions options) {
  Output output(options.json);
  auto rows = diff_rows(kernel_text(options.left, options.block),
                        kernel_text(options.right, options.block));
  Json json = json_head("diff");
  json["left"] = options.left;
  json["right"] = options.right;
  json["rows"] = rows;
  if (options.columns != 0) drop_head_comments(rows);  // they are longer than a column
  const std::string text =
      options.columns != 0
          ? side_by_side(rows, options.left, options.right, options.columns, output.style)
          : unified(rows, options.left, options.right, output.style);
  return output.finish(text, json, true);
}

}  // namespace

void add_diff(CLI::App& app, Action& action) {
  const Verb<DiffOptions> verb(app, action, "diff",
                               "Compare the kernels of two forms, line by line", run);
  DiffOptions& options = *verb;
  verb->add_option("left", options.left, "VARIANT@FORM, or FILE.gauntlet")
      ->check(spec_or_catalogue())
      ->type_name("FORM")
      ->required();
  verb->add_option("right", options.right, "The other one")
      ->check(spec_or_catalogue())
      ->type_name("FORM")
      ->required();
  add_number(*verb.app, "--side-by-side", options.columns,
             "In two columns, this many characters wide", 40, 1000)
      ->type_name("WIDTH");
  add_block(*verb.app, options.block);
  add_json(*verb.app, options.json, "the rows");
}

}  // namespace gauntlet::cli
