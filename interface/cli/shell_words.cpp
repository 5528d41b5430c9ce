// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text/markdown.hpp"
#include "interface/cli/help.hpp"
#include "interface/cli/shell.hpp"
#include "interface/cli/version.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::cli {
namespace {

constexpr std::string_view of_nvcc = R"(.SH ENVIRONMENT
.TP
.B PATH
Where nvcc is looked for, then in
.B CUDA_HOME
and /usr/local/cuda.
)";

Completes completes(const CLI::Option& option, const std::string& label) {
  const std::string name = option.get_name();
  if (option.get_positional() && (name == "selector" || name == "variant" || name == "form" ||
                                  name == "left" || name == "right")) {
    return Completes::words;
  }
  if (label.starts_with("FILE") || label.ends_with(".html") || label.starts_with("RESULT")) {
    return Completes::files;
  }
  return label == "FOLDER" ? Completes::folders : Completes::nothing;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  for (const auto& name : option.get_snames()) words.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) words.names.push_back("--" + name);
  if (words.names.empty()) words.positional = option.get_name();
  if (option.get_type_size() != 0) words.label = option.get_type_name();
  words.description = option.get_description();
  words.completes = completes(option, words.label);
  return words;
}

/// What roff would take for a command or an escape.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      result += std::string("\\&") + c;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::vector<CommandWords> commands_of(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) {
    if (verb->get_group().empty()) continue;  // hidden
    CommandWords words{verb->get_name(), verb->get_description(), verb->get_footer(), {}};
    for (const CLI::Option* option : verb->get_options()) {
      words.options.push_back(words_of(*option));
      words.takes_names = words.takes_names || words.options.back().completes == Completes::words;
    }
    commands.push_back(std::move(words));
  }
  return commands;
}

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const auto& variant : kernels::catalogue()) {
    names.push_back(variant.id);
    for (const auto& form : variant.forms) names.push_back(variant.id + "@" + form.name);
  }
  return names;
}

std::string manual_page(const CLI::App& app, const std::vector<CommandWords>& commands) {
  std::string text = fmt::format(
      ".TH GAUNTLET 1 \"\" \"gauntlet {}\" \"User Commands\"\n.SH NAME\n"
      "gauntlet \\- tests CUDA kernels without a GPU\n.SH SYNOPSIS\n"
      ".B gauntlet\n.I COMMAND\n.RI [ OPTION ...]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      project_version(), roff(app.get_description()));
  for (const CommandWords& command : commands) {
    text += fmt::format(".SS gauntlet {}\n{}.\n", roff(command.name), roff(command.description));
    for (const OptionWords& option : command.options) {
      const bool positional = option.names.empty();
      if (positional && option.description.empty()) continue;
      text += fmt::format(".TP\n.{} {}{}\n{}.\n", positional ? "I" : "B",
                          positional ? roff(option.positional)
                                     : roff(fmt::format("{}", fmt::join(option.names, ", "))),
                          option.label.empty() ? "" : roff(" " + option.label),
                          roff(option.description));
    }
    const bool own = !command.footer.empty() && command.footer != app.get_footer();
    if (own) text += ".PP\n.nf\n" + roff(command.footer) + "\n.fi\n";
  }
  text += R"(.SH EXAMPLES
A first spec for a kernel, and its check:
.PP
.nf
    gauntlet init my_sum.cu > my_sum.gauntlet
    gauntlet check my_sum.gauntlet
    gauntlet repro \(aqmy_sum.gauntlet n=0 block=64\(aq
.fi
.PP
A whole program, and a kernel without a spec:
.PP
.nf
    nvcc \-g \-lineinfo my_tests.cu \-o my_tests
    gauntlet run \-\- ./my_tests
    gauntlet sanitize my.cu \-\-grid 1 \-\-block 64 \-\-arg in:f32[64] \-\-arg out:f32[1]
.fi
.PP
What a finding means and how to mend it:
.PP
.nf
    gauntlet help race_write_read
.fi
.SH FILES
.TP
.I FILE.gauntlet
A spec,
.BR gauntlet\-spec (5).
.TP
.I FILE.cases
Beside it: the cases that have failed, replayed first by
.BR "gauntlet check" .
.TP
.I PREFIX/share/gauntlet
The documents, the catalogue's counterexamples and witnesses, examples.
.TP
.I PREFIX/lib/gauntlet
The libraries that programs under
.B gauntlet run
load.
)";
  text += std::string(of_nvcc) + R"(.TP
.B NO_COLOR
Not empty: no colours on a terminal.
.TP
.B GAUNTLET_TARGET
.B baseline
runs the machine without AVX2.
.TP
.B NVCC_APPEND_FLAGS
Of nvcc: builds a program with \-lineinfo whatever its makefile says.
)";
  return text + ".SH EXIT STATUS\n.nf\n" + roff(app.get_footer()) +
         "\n.fi\n.SH SEE ALSO\n.BR gauntlet\\-spec (5)\n";
}

std::string spec_manual() {
  constexpr std::string_view files = R"(.SH FILES
.TP
.I FILE.cases
Beside the spec: the cases that have failed, replayed first by
.BR "gauntlet check" .
.TP
.I PREFIX/share/gauntlet/examples/own_kernel
A project with specs, for CMake and GoogleTest.
)";
  constexpr std::string_view codes = R"(.SH EXIT STATUS
Of
.BR "gauntlet check" :
0 the kernel holds, or exactly what the spec expects was found; 1 it does not, or no case was run; 2 the spec
cannot be read or its kernel not compiled.
)";
  std::string text = fmt::format(
      ".TH GAUNTLET-SPEC 5 \"\" \"gauntlet {}\" \"File Formats\"\n.SH NAME\n"
      "gauntlet\\-spec \\- what a CUDA kernel takes and what must come out\n",
      project_version());
  for (const Section& section : sections_of(page("own_kernels"))) {
    std::string heading = section.level == 1                 ? "description"
                          : section.heading == "A first one" ? "examples"
                                                             : section.heading;
    std::ranges::transform(heading, heading.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    text += fmt::format(".{} {}\n.nf\n{}.fi\n", section.level < 3 ? "SH" : "SS", roff(heading),
                        roff(terminal_text(section.body)));
  }
  return text + std::string(files) + std::string(of_nvcc) + std::string(codes) +
         ".SH SEE ALSO\n.BR gauntlet (1)\n";
}

}  // namespace gauntlet::cli
