#!/usr/bin/env bash
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# release_notes_test.sh SOURCE FOLDER: a version's own section and no other; none is an error; the project's
# changelog has a place for what comes next.
set -euo pipefail
source=$1 folder=$2
fail() { echo "$*" >&2; exit 1; }
mkdir -p "$folder"
log=$folder/CHANGELOG.md
printf '%s\n' '# Changelog' '' '## Unreleased' '' '- next' '' '## 1.10.0 - 2030-02-01' '' '### Added' '' \
  '- ten' '' '## 1.1.0 - 2030-01-01' '' '- one' >"$log"
[[ $("$source/ci/release-notes" v1.10.0 "$log") == $'### Added\n\n- ten' ]] || fail "not the section of 1.10.0"
[[ $("$source/ci/release-notes" v1.1.0 "$log") == '- one' ]] || fail "not the section of 1.1.0"
if text=$("$source/ci/release-notes" v1.1 "$log" 2>&1); then fail "notes of a version that is not there: $text"; fi
[[ $text == *'no section "## 1.1 - DATE"'* ]] || fail "does not say what is missing: $text"
grep -qx '## Unreleased' "$source/CHANGELOG.md" || fail "CHANGELOG.md has no section Unreleased"
