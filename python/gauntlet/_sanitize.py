# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""gauntlet.sanitize: one launch of any kernel, with NumPy arrays in and out."""
import math
import tempfile
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from gauntlet._arguments import Spelled
from gauntlet._findings import Findings, GauntletFindings, read_finding
from gauntlet._kernels import Options, flag_words, prepare
from gauntlet._program import GauntletError, call

Extent = Union[int, Sequence[int]]


def sanitize(kernel: Any, grid: Extent, block: Optional[Extent], *arguments: Any, entry: str = "", shared: int = 0,
             cooperative: bool = False, constants: Optional[Mapping[str, Any]] = None,
             compile_options: Optional[Mapping[str, Any]] = None, arch: int = 80, flags: Sequence[str] = (),
             compiler: str = "", schedule: str = "", races: bool = True, repeat: bool = False,
             step_limit: Optional[int] = None, assert_clean: bool = False) -> Findings:
    """Runs one launch on the SIMT machine, with every check, and returns its findings.

    kernel     a Numba dispatcher, a Triton JITFunction, a cupy.RawKernel, CUDA C++ or PTX as text,
               or the pathlib.Path of a .cu or .ptx file
    grid       blocks: a number, or up to three; block: threads of a block likewise, and None for
               Triton, whose compile_options have num_warps
    arguments  NumPy arrays (PyTorch's on the CPU too), numbers, None for a null pointer. What the
               kernel writes is in the caller's arrays afterwards; one that is not writeable must
               not be written. `gauntlet.undefined(array)`: its content is undefined before
    entry      which kernel of a text; shared: bytes of dynamic shared memory
    constants  of Triton: the values of its tl.constexpr parameters, by name
    arch       compute capability to compile for, 80 is 8.0; flags: for nvcc or NVRTC; compiler:
               'nvcc' or 'nvrtc', without it what is there
    schedule, races, repeat, step_limit   as of `gauntlet sanitize` (docs/sanitize.md)
    assert_clean  raises GauntletFindings (an AssertionError) unless there are but notes

    Raises GauntletError where it cannot be run: the text says what to install or to write."""
    extent = _extent(grid, "grid")
    options = Options(entry, arch, flag_words(flags), compiler, constants, compile_options, math.prod(map(int, extent.split(","))))
    with tempfile.TemporaryDirectory(prefix="gauntlet-") as temporary:
        spelled = Spelled(Path(temporary))
        compiled = prepare(kernel, arguments, options, spelled)
        command = ["sanitize", str(compiled.file), "--entry", compiled.entry, "--grid", extent,
                   "--block", _block(block, compiled.threads), "--shared", str(shared + compiled.shared), *spelled.words]
        command += ["--cooperative"] if cooperative else []
        command += ["--repeat"] if repeat else []
        command += [] if races else ["--no-races"]
        command += ["--schedule", schedule] if schedule else []
        command += ["--step-limit", str(step_limit)] if step_limit is not None else []
        result, text = call(command, compiled.folder)
        spelled.read_back()
    findings = Findings([read_finding(one, compiled.folder) for one in result["findings"]], text.rstrip(),
                        result["schedules"][0].get("printed", "") if result["schedules"] else "")
    if assert_clean and not findings.clean:
        raise GauntletFindings(findings)
    return findings


def _extent(value: Extent, name: str) -> str:
    numbers: Tuple[int, ...] = (value,) if isinstance(value, int) else tuple(value)
    if not 1 <= len(numbers) <= 3 or any(int(one) < 1 for one in numbers):
        raise GauntletError(f"{name}={value!r}; give one to three numbers, each at least 1")
    return ",".join(str(int(one)) for one in numbers)


def _block(block: Optional[Extent], threads: Optional[int]) -> str:
    if threads is None:
        if block is None:
            raise GauntletError("block=None; give the threads of a block")
        return _extent(block, "block")
    if block is not None:
        raise GauntletError("Triton decides how many threads a block has; give None and compile_options={'num_warps': N}")
    return str(threads)
