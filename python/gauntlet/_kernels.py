# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""What a kernel may be, and how each kind is compiled without a GPU and takes its arguments."""
import inspect
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from gauntlet._arguments import Parameter, Spelled, check_count, host_array, is_array
from gauntlet._compilers import is_ptx, keep, ptx_of
from gauntlet._program import GauntletError, call


@dataclass
class Compiled:
    """PTX with the arguments of one launch. `threads`: of a block where the compiler decides;
    `shared`: bytes of dynamic shared memory that it asks for; `folder`: where the source is, if not
    in the current folder or below."""
    file: Path
    entry: str
    threads: Optional[int] = None
    shared: int = 0
    folder: Optional[Path] = None


@dataclass(frozen=True)
class Options:
    entry: str = ""
    arch: int = 80
    flags: Tuple[str, ...] = ()
    compiler: str = ""
    constants: Optional[Mapping[str, Any]] = None
    compile_options: Optional[Mapping[str, Any]] = None  #: of Triton: num_warps, num_stages, ...
    blocks: int = 1  #: of the grid: Triton's scratch memory is as much for each

    def __post_init__(self) -> None:
        if not isinstance(self.arch, int):
            raise GauntletError(f"arch={self.arch!r}; give a number, 80 for sm_80")


def flag_words(flags: Sequence[str]) -> Tuple[str, ...]:
    """Flags for the compiler, each a word of its own."""
    if isinstance(flags, str):
        raise GauntletError(f"flags={flags!r}; give a list: {flags.split()!r}")
    return tuple(flags)


def prepare(kernel: Any, given: Sequence[Any], options: Options, spelled: Spelled) -> Compiled:
    """Compiles what is given for these arguments, and spells them."""
    home = type(kernel).__module__.split(".")[0]
    for name in ("constants", "compile_options"):
        if getattr(options, name) is not None and home != "triton":
            raise GauntletError(f"{name}= is for Triton's kernels; leave it out")
    if isinstance(kernel, (str, Path)):
        return _of_text(kernel, given, options, spelled)
    if home in ("numba", "numba_cuda"):
        return _of_numba(kernel, given, options, spelled)
    if home == "triton":
        return _of_triton(kernel, given, options, spelled)
    if home == "cupy" and hasattr(kernel, "code") and hasattr(kernel, "name"):
        own = Options(kernel.name, options.arch, (*kernel.options, *options.flags), options.compiler)
        return _of_text(kernel.code, given, own, spelled)
    raise GauntletError(f"a kernel cannot be {type(kernel).__name__}; give a Numba dispatcher (@cuda.jit), a Triton "
                        "JITFunction (@triton.jit), a cupy.RawKernel, CUDA C++ or PTX as text, or the Path of a .cu or .ptx file")


# --- text and files


def source_of(kernel: Union[str, Path]) -> Path:
    """The text as a file."""
    if isinstance(kernel, Path):
        if not kernel.is_file():
            raise GauntletError(f"there is no file {kernel}")
        return kernel.resolve()
    if is_ptx(kernel):
        return keep(kernel, "kernel.ptx")
    if "__global__" not in kernel:
        raise GauntletError("the text is neither PTX (.version) nor CUDA C++ (__global__); for a file give pathlib.Path(...)")
    return keep(kernel, "kernel.cu")


def ptx_file(source: Path, options: Options) -> Path:
    return source if source.suffix == ".ptx" else ptx_of(source, options.arch, options.flags, options.compiler)


def _names(source: Path, kernel: str, count: int) -> List[str]:
    """Of the parameters, as the source has them; else arg1, arg2, ..."""
    name = kernel.split("<")[0].split("::")[-1]
    found = re.search(rf"\b{re.escape(name)}\s*\(([^)]*)\)", source.read_text(encoding="utf-8", errors="replace"))
    parts = [re.findall(r"\w+", part) for part in found[1].split(",")] if found and source.suffix != ".ptx" else []
    good = len(parts) == count and all(len(part) > 1 for part in parts)
    return [part[-1] for part in parts] if good else [f"arg{k + 1}" for k in range(count)]


@lru_cache(maxsize=None)
def _listed(file: Path) -> List[Dict[str, Any]]:
    kernels: List[Dict[str, Any]] = call(["sanitize", str(file)])[0]["kernels"]
    return kernels


def parameters(file: Path, entry: str, source: Optional[Path] = None) -> Tuple[str, List[Parameter]]:
    """The entry's symbol and its parameters; without a name the only one."""
    kernels = _listed(file)
    exact = [one for one in kernels if entry in (one["kernel"], one["symbol"])]
    some = exact or [one for one in kernels if entry in one["signature"]]
    if len(some) != 1:
        known = ", ".join(one["kernel"] for one in kernels) or "none"
        raise GauntletError(f"the text has several kernels; give entry=, one of {known}" if some and not entry else
                            f"entry={entry!r} is " + ("no kernel" if not some else "not one kernel") + f" of the text; it has {known}")
    one = some[0]
    names = _names(source or file, one["kernel"], len(one["parameters"]))
    return one["symbol"], [Parameter(p["type"], p["bytes"], name) for p, name in zip(one["parameters"], names)]


def _of_text(kernel: Union[str, Path], given: Sequence[Any], options: Options, spelled: Spelled) -> Compiled:
    source = source_of(kernel)
    file = ptx_file(source, options)
    symbol, wanted = parameters(file, options.entry, source)
    check_count(given, len(wanted), next(one["kernel"] for one in _listed(file) if one["symbol"] == symbol))
    for value, parameter in zip(given, wanted):
        if value is None or is_array(value):
            spelled.add_pointer(parameter.name, value)
        else:
            spelled.add_number(parameter.name, value, parameter)
    return Compiled(file, symbol, folder=None if isinstance(kernel, Path) else source.parent)


# --- Numba


def _of_numba(kernel: Any, given: Sequence[Any], options: Options, spelled: Spelled) -> Compiled:
    if hasattr(kernel, "dispatcher") and hasattr(kernel, "griddim"):
        raise GauntletError("this is a kernel with its launch; give the kernel without [grid, block]")
    if not hasattr(kernel, "py_func") or not hasattr(kernel, "targetoptions"):
        raise GauntletError("this is no kernel of numba.cuda's compiler; write @cuda.jit, and unset NUMBA_ENABLE_CUDASIM")
    function = kernel.py_func
    check_count(given, len(inspect.signature(function).parameters), function.__name__)
    values = [host_array(value) if is_array(value) else value for value in given]
    import numba
    file = numba_ptx(kernel, tuple(map(numba.typeof, values)), options)
    for name, value in zip(inspect.signature(function).parameters, given):
        if is_array(value):
            array = host_array(value)
            words = numba_words(array.ndim)
            facts = {"items": array.size, "itemsize": array.itemsize,
                     **{f"shape{k}": size for k, size in enumerate(array.shape)},
                     **{f"stride{k}": step for k, step in enumerate(array.strides)}}
            for word in words:
                if word == "data":
                    spelled.add_pointer(name, value)
                else:
                    spelled.add_number(f"{name}_{word}", np.uint64(facts.get(word, 0)))
        else:
            for k, part in enumerate(value if isinstance(value, tuple) else (value,)):
                spelled.add_number(name if k == 0 else f"{name}_{k}", part if isinstance(part, np.generic)
                                   else np.uint8(part) if isinstance(part, bool) else part)
    return Compiled(file, entry_of(file))


def numba_words(dimensions: int) -> List[str]:
    """What Numba passes for an array: two pointers of its own, sizes, the data, shape and strides."""
    axes = range(dimensions)
    return ["meminfo", "parent", "items", "itemsize", "data", *(f"shape{k}" for k in axes), *(f"stride{k}" for k in axes)]


def numba_ptx(kernel: Any, types: Tuple[Any, ...], options: Options) -> Path:
    """The PTX for these argument types. It needs libNVVM, and no driver."""
    return keep(_numba_text(kernel, types, options.arch), "kernel.ptx")


@lru_cache(maxsize=256)  # as a dispatcher's own launches, compiled once for the same types
def _numba_text(kernel: Any, types: Tuple[Any, ...], arch: int) -> str:
    from numba import cuda
    if "numba_cuda" in sys.modules and not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 names it while it compiles; NumPy has none from 2.5 on
    fast = bool(kernel.targetoptions.get("fastmath"))
    try:
        text, _ = cuda.compile_ptx(kernel.py_func, types, lineinfo=True, fastmath=fast, cc=divmod(arch, 10))
    except Exception as error:  # of several classes, which differ with the version
        if "NvvmSupportError" in type(error).__name__ or "nvvm" in str(error).lower():
            raise GauntletError("Numba needs libNVVM of a CUDA toolkit to compile; install one (pip install "
                                f"nvidia-cuda-nvcc-cu12, or set CUDA_HOME): {error}") from error
        raise
    return text.decode() if isinstance(text, bytes) else str(text)


def entry_of(file: Path) -> str:
    found = re.findall(r"^\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+([\w$]+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    if len(found) != 1:
        raise GauntletError(f"{file} has {len(found)} kernels")
    return str(found[0])


# --- Triton

_triton_types = {"bool": "i1", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
                 "int64": "i64", "uint64": "u64", "float16": "fp16", "float32": "fp32", "float64": "fp64", "bfloat16": "bf16"}


def _of_triton(kernel: Any, given: Sequence[Any], options: Options, spelled: Spelled) -> Compiled:
    if not hasattr(kernel, "arg_names") or not hasattr(kernel, "params"):
        raise GauntletError(f"this is Triton's {type(kernel).__name__}; give the function below it (kernel.fn) and the constants of "
                            "one configuration, and unset TRITON_INTERPRET")
    constants = dict(options.constants or {})
    free = [p.name for p in kernel.params if p.name not in constants]
    unknown = [name for name in constants if name not in kernel.arg_names]
    if unknown:
        raise GauntletError(f"{kernel.__name__} has no parameter {unknown[0]}; its parameters are {', '.join(kernel.arg_names)}")
    check_count(given, len(free), f"{kernel.__name__} without its constants")
    values = dict(zip(free, given))
    wrong = [p.name for p in kernel.params if p.is_constexpr and p.name in values]
    if wrong:
        raise GauntletError(f"{wrong[0]} of {kernel.__name__} is a tl.constexpr; write constants={{'{wrong[0]}': ...}}")
    # As Triton's own launch does: 1 and None are compiled in, and of multiples of 16 it is told.
    fixed = {name: value for name, value in values.items() if _is_one(value) or value is None}
    passed = [(name, value) for name, value in values.items() if name not in fixed]
    divisible = [name for name, value in passed if is_array(value) or (isinstance(value, int) and value % 16 == 0)]
    compiled = compile_triton(kernel, {name: _triton_type(value) for name, value in passed}, {**constants, **fixed},
                              divisible, options)
    file = keep(compiled.asm["ptx"], "kernel.ptx")
    entry = entry_of(file)
    wanted = parameters(file, entry)[1]
    if len(wanted) < len(passed):
        raise GauntletError(f"Triton's PTX takes {len(wanted)} parameters for {len(passed)} arguments; this version is not known")
    for (name, value), parameter in zip(passed, wanted):
        if value is None or is_array(value):
            spelled.add_pointer(name, value)
        else:
            spelled.add_number(name, value, parameter)
    # Two pointers of its own behind them: scratch memory, and a profiler's.
    sizes = [getattr(compiled.metadata, "global_scratch_size", 0), getattr(compiled.metadata, "profile_scratch_size", 0)]
    for k in range(len(wanted) - len(passed)):
        spelled.add_scratch(f"scratch{k + 1}", (sizes[k] if k < len(sizes) else 0) * options.blocks)
    return Compiled(file, entry, compiled.metadata.num_warps * 32, compiled.metadata.shared)


def _is_one(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == 1


def compile_triton(kernel: Any, types: Mapping[str, str], constants: Mapping[str, Any], divisible: Sequence[str],
                   options: Options) -> Any:
    """Triton's compiled kernel: types by parameter, as "*fp32" and "i32"; of divisible ones the
    compiler may take for granted that 16 divides them."""
    from triton import compile
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    place = {name: (k,) for k, name in enumerate(kernel.arg_names)}
    signature = {name: "constexpr" if name in constants else types[name] for name in kernel.arg_names}
    fixed = {place[name]: value for name, value in constants.items()}
    hints = {place[name]: [["tt.divisibility", 16]] for name in divisible}
    return compile(ASTSource(kernel, signature, fixed, hints), target=GPUTarget("cuda", options.arch, 32),
                   options=dict(options.compile_options or {}))


def _triton_type(value: Any) -> str:
    if is_array(value):
        name = host_array(value).dtype.name
        if name not in _triton_types:
            raise GauntletError(f"Triton has no pointer to {name}")
        return "*" + _triton_types[name]
    if isinstance(value, np.generic):
        return _triton_types[value.dtype.name]
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        return "i32" if -2**31 <= value < 2**31 else "i64" if value < 2**63 else "u64"
    if isinstance(value, float):
        return "fp32"
    raise GauntletError(f"an argument is of {type(value).__name__}; give a number or an array")
