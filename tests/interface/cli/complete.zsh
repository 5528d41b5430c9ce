# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# What an interactive zsh makes of command lines with a tab behind them, one line each.
#   zsh -f complete.zsh FOLDER LINE...      FOLDER has the completion, _gauntlet
zmodload zsh/zpty || exit 1
zpty shell TERM=dumb zsh -f -i
# The shell says `ready` when it waits for a line; "rea''dy" keeps the echo of this one apart from it.
zpty -w shell "cd ${(q)1}; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D
gauntlet() { print -r -- \"GOT:<\$*>\" }; PROMPT=rea''dy"
zpty -r -m shell text '*ready*' || exit 1
shift
for line; do
  zpty -w shell "gauntlet $line"$'\t'
  zpty -r -m shell text '*GOT:<*>*ready*' || exit 1
  print -r -- "${${text##*GOT:<}%%>*}"
done
