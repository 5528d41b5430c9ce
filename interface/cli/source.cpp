// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet source: the kernel of a form as plain CUDA.

#include <limits>
#include <string>

#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"

namespace gauntlet::cli {
namespace {

constexpr std::uint64_t elements = 1000;
constexpr std::uint32_t usual_block = 256;

struct SourceOptions {
  std::string form;
  std::uint32_t block = 0;
  std::uint64_t n = elements;
  bool main = false;
};

int run(SourceOptions options) {
  if (is_spec(options.form)) {
    if (options.main || options.block != 0) {
      throw UsageError(
          "of a spec the kernel's file is printed, as a form has it; leave --main and "
          "--block out");
    }
    return Output({}).finish(kernel_text(options.form), Json(), true);
  }
  const kernels::PlainSource source = plain_source_of(options.form, options.block);
  Case c = case_for(source.name.substr(0, source.name.find('@')),
                    source.name.substr(source.name.find('@') + 1), source.instance);
  c.n = options.n;
  c.grid = 0;
  c.data = Data::ones;
  c.block = options.block != 0 ? options.block : source.block != 0 ? source.block : usual_block;
  Output output({});
  return output.finish(source.text + (options.main ? kernels::plain_main(source, c) : ""), Json(),
                       true);
}

}  // namespace

void add_source(CLI::App& app, Action& action) {
  const Verb<SourceOptions> verb(
      app, action, "source", "Print a form's kernel as plain CUDA that compiles by itself", run);
  SourceOptions& options = *verb;
  verb->add_option("form", options.form, "VARIANT@FORM")
      ->check(spec_or_catalogue())
      ->type_name("FORM")
      ->required();
  add_block(*verb.app, options.block);
  verb->add_flag("--main", options.main,
                 "Also print a main that launches it and checks the result");
  add_number(*verb.app, "--n", options.n, "Elements that main sums up (default 1000)", 1,
             std::numeric_limits<std::uint32_t>::max());
  verb->footer(
      "For a compiler explorer, a lecture or a profiler; nvcc compiles what is printed:\n"
      "  gauntlet source sequential@fixed --main > sequential.cu && nvcc sequential.cu");
}

}  // namespace gauntlet::cli
