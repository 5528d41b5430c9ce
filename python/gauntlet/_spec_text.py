# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""What this package reads of a spec (docs/own_kernels.md), and the spec of a Python kernel: the same
text with the kernel's PTX, and with the arguments that its compiler passes."""
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

from gauntlet._compilers import keep
from gauntlet._kernels import (Options, compile_triton, entry_of, numba_ptx, numba_words, parameters, ptx_file,
                               source_of)
from gauntlet._program import GauntletError

_bytes = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}
_numpy = {"i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "f16": "float16", "i32": "int32", "u32": "uint32",
          "f32": "float32", "i64": "int64", "u64": "uint64", "f64": "float64"}
_triton = {**{name: name for name in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bf16")}, "f16": "fp16", "f32": "fp32",
           "f64": "fp64"}

PTX_NAME = "kernel-of-python.ptx"


@dataclass(frozen=True)
class Declaration:
    name: str
    type: str
    extents: Tuple[str, ...]  #: none of a number


def numbered(text: str) -> List[Tuple[int, str]]:
    """The statements with their lines; a line that begins with a blank continues the one before."""
    all_of: List[Tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].rstrip()
        if line[:1].isspace() and line.strip() and all_of:
            all_of[-1] = (all_of[-1][0], f"{all_of[-1][1]} {line.strip()}")
        elif line.strip():
            all_of.append((number, line))
    return all_of


def statements(text: str) -> List[str]:
    return [one for _, one in numbered(text)]


def declarations(text: str) -> List[Declaration]:
    found = []
    for one in statements(text):
        array = re.match(r"(?:in|out|inout|scratch)\s+(\w+)\s*:\s*(\w+)\s*\[([^\]]*)\]", one)
        number = re.match(r"arg\s+(\w+)\s*:\s*(\w+)\s*=", one)
        if array:
            found.append(Declaration(array[1], array[2], tuple(part.strip() for part in array[3].split(","))))
        elif number:
            found.append(Declaration(number[1], number[2], ()))
    return found


@dataclass(frozen=True)
class Made:
    """The spec of a kernel of Python: its text, for each line of it the line of the user's text that it
    is of (0: none), the PTX, and the folder of a kernel that is text, relative to which its lines are told."""
    text: str
    lines: Tuple[int, ...]
    ptx: Path
    folder: Optional[Path] = None


def with_kernel(text: str, kernel: Any, options: Options) -> Made:
    """The spec's own `kernel` statement, if any, is replaced by one of the file PTX_NAME."""
    kept = [(number, one) for number, one in numbered(text) if not re.match(r"kernel\s", one)]
    rest = [one for _, one in kept]
    lines = [number for number, _ in kept]
    launches = [k for k, one in enumerate(rest) if re.match(r"launch\b", one)]
    if len(launches) != 1:
        raise GauntletError(f"a spec for kernel= needs one launch, and this one has {len(launches)}")
    launch = rest[launches[0]]
    named = re.search(r"\sargs\s+(\w+(?:\s*,\s*\w+)*)", launch)
    known = {one.name: one for one in declarations(text)}
    passed = [known[name] for name in re.split(r"\s*,\s*", named[1])] if named else list(known.values())
    unknown = [one.type for one in passed if one.type not in _bytes]
    if unknown:
        raise GauntletError(f"with kernel= a declaration has a type of its own, such as f32, not {unknown[0]}")
    home = type(kernel).__module__.split(".")[0]
    if home == "cupy" and hasattr(kernel, "code"):
        kernel, options = kernel.code, Options(kernel.name, options.arch, (*kernel.options, *options.flags), options.compiler)
    if isinstance(kernel, (str, Path)):
        source = source_of(kernel)
        file = ptx_file(source, options)
        symbol = parameters(file, options.entry, source)[0]
        return Made("\n".join([f"kernel {PTX_NAME} {symbol}", *rest]) + "\n", (0, *lines), file,
                    None if isinstance(kernel, Path) else source.parent)
    extra: Dict[str, str] = {}
    if home in ("numba", "numba_cuda") and hasattr(kernel, "py_func"):
        file, arguments, shared = _numba(kernel, passed, options, extra)
    elif home == "triton" and hasattr(kernel, "arg_names"):
        file, arguments, shared = _triton_kernel(kernel, passed, options, extra)
    else:
        raise GauntletError(f"kernel= cannot be {type(kernel).__name__}; give what gauntlet.sanitize takes")
    launch = launch.replace(named[0], "") if named else launch
    rest[launches[0]] = f"{launch} {shared} args {', '.join(arguments)}"
    made = [f"arg {name}:u64 = {value}" for name, value in extra.items()]
    at = launches[0]
    return Made("\n".join([f"kernel {PTX_NAME} {entry_of(file)}", *rest[:at], *made, *rest[at:]]) + "\n",
                (0, *lines[:at], *[0] * len(made), *lines[at:]), file)


def _numba(kernel: Any, passed: List[Declaration], options: Options, extra: Dict[str, str]) -> Tuple[Path, List[str], str]:
    import numba
    types = []
    for one in passed:
        if one.type not in _numpy:
            raise GauntletError(f"Numba has no {one.type}")
        number = getattr(numba, _numpy[one.type])
        types.append(numba.types.Array(number, len(one.extents), "C") if one.extents else number)
    arguments: List[str] = []
    for one in passed:
        if not one.extents:
            arguments.append(one.name)
            continue
        size = _bytes[one.type]
        facts = {"meminfo": "0", "parent": "0", "items": " * ".join(f"({part})" for part in one.extents), "itemsize": str(size)}
        for k, part in enumerate(one.extents):
            facts[f"shape{k}"] = part
            facts[f"stride{k}"] = " * ".join([str(size), *(f"({inner})" for inner in one.extents[k + 1:])])
        for word in numba_words(len(one.extents)):
            if word == "data":
                arguments.append(one.name)
            else:
                extra[f"{one.name}_{word}"] = facts[word]
                arguments.append(f"{one.name}_{word}")
    return numba_ptx(kernel, tuple(types), options), arguments, ""


def _triton_kernel(kernel: Any, passed: List[Declaration], options: Options, extra: Dict[str, str]) -> Tuple[Path, List[str], str]:
    constants = dict(options.constants or {})
    free = [name for name in kernel.arg_names if name not in constants]
    if len(free) != len(passed):
        raise GauntletError(f"{kernel.__name__} takes {len(free)} arguments without its constants, and the spec declares {len(passed)}")
    types = {name: ("*" if one.extents else "") + _triton[one.type] for name, one in zip(free, passed)}
    compiled = compile_triton(kernel, types, constants, [name for name in free if types[name].startswith("*")], options)
    file = keep(compiled.asm["ptx"], "kernel.ptx")
    if getattr(compiled.metadata, "global_scratch_size", 0):
        raise GauntletError("this Triton kernel wants scratch memory; use gauntlet.sanitize")
    arguments = [one.name for one in passed]
    for k in range(len(parameters(file, entry_of(file))[1]) - len(passed)):
        extra[f"compiler_{k + 1}"] = "0"
        arguments.append(f"compiler_{k + 1}")
    return file, arguments, f"shared={compiled.metadata.shared}" if compiled.metadata.shared else ""


def text_of(spec: Union[str, Path]) -> str:
    try:
        return Path(spec).read_text(encoding="utf-8")
    except OSError as error:
        raise GauntletError(f"{spec}: {error.strerror}; name a .gauntlet file") from error
