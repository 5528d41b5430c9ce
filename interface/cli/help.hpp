// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet help TOPIC: the pages of docs/, which are installed, and the kinds of findings.
#pragma once

#include <string>

#include "base/text/text.hpp"

namespace gauntlet::cli {

/// The text of docs/FILE. Throws UsageError where the documents are not installed.
[[nodiscard]] std::string document(const std::string& file);
/// The Markdown of docs/NAME.md.
[[nodiscard]] std::string page(const std::string& name);

/// What `gauntlet help WORD` prints: `spec`, a page by its name (run.md, docs/run.md, schedules), a
/// kind of finding, or `topics`, all of these. Throws UsageError of another word.
[[nodiscard]] std::string topic(const std::string& word, const Style& style);

/// A page of that name; a command has one too: `gauntlet help run` shows its options.
[[nodiscard]] bool has_page(const std::string& name);

}  // namespace gauntlet::cli
