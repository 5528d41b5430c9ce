# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""The console script: the program of the wheel, with the same arguments."""
import os
import sys

from gauntlet._program import GauntletError, program


def main() -> None:
    try:
        path = program()
    except GauntletError as error:
        sys.exit(f"gauntlet: {error}")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
