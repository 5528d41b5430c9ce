#!/usr/bin/env bash
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# report_test.sh CI-REPORT: with a program that only looks at them, all committed results that the page is
# made of exist.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/program" <<'PROGRAM'
#!/usr/bin/env bash
[[ $1 == report ]] || exit 0
echo page >"$2"
for file in "${@:3}"; do
  [[ $file != docs/* || -s $file ]] || { echo "no $file" >&2; exit 1; }
done
PROGRAM
chmod +x "$folder/program"
GAUNTLET_PROGRAM=$folder/program "$1" "$folder/page.html"
