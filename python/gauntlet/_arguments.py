# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Python's values as arguments of `gauntlet sanitize` (docs/sanitize.md, "Arguments")."""
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from gauntlet._program import GauntletError

Array = np.ndarray[Any, Any]

_types = {"int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
          "int64": "i64", "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "bf16"}
# C++'s number types, as the program prints them.
_cpp = {"char": "i8", "signed char": "i8", "unsigned char": "u8", "bool": "u8", "short": "i16", "unsigned short": "u16",
        "int": "i32", "unsigned int": "u32", "long": "i64", "unsigned long": "u64", "long long": "i64",
        "unsigned long long": "u64", "float": "f32", "double": "f64", "__half": "f16", "__nv_bfloat16": "bf16"}


@dataclass(frozen=True)
class Parameter:
    """Of a kernel: its C++ type (empty: unknown), its size, a name for it."""
    type: str
    bytes: int
    name: str


class Undefined:
    """An array whose content before the launch is undefined, as that of cudaMalloc is."""

    def __init__(self, array: Any) -> None:
        self.array = array


def undefined(array: Any) -> Undefined:
    """Gives an output to `sanitize`: what a kernel does not write of it has no value."""
    return Undefined(array)


def is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, Undefined)) or (
        not isinstance(value, np.generic) and hasattr(value, "__array__"))


def host_array(value: Any) -> Array:
    """The memory itself, of NumPy's or of another library's array on the CPU (PyTorch's, say)."""
    value = value.array if isinstance(value, Undefined) else value
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise GauntletError(f"{type(value).__name__} is not on the CPU, or no NumPy type; give a NumPy array ({error})") from error
    if not array.flags.c_contiguous:
        raise GauntletError("an array is not contiguous in C order; give numpy.ascontiguousarray(x)")
    if array.dtype.hasobject or array.dtype.byteorder == ">":
        raise GauntletError(f"an array of {array.dtype} is nothing that a kernel reads; give numbers")
    return array


def elements(array: Array) -> Tuple[Array, str]:
    """Flat, and with the element type's name: complex numbers are two floats, other types bytes."""
    flat = array.reshape(-1)
    name = array.dtype.name
    if name in _types:
        return (flat.view(np.uint16) if name == "bfloat16" else flat), _types[name]
    if name in ("complex64", "complex128"):
        return flat.view(np.float32 if name == "complex64" else np.float64), "f32" if name == "complex64" else "f64"
    return flat.view(np.uint8), "u8"


def number(value: Any, parameter: Optional[Parameter]) -> str:
    """TYPE=VALUE. A Python number takes the parameter's type; a NumPy one has its own."""
    if isinstance(value, np.void):
        data = value.tobytes()
        return f"u8x{len(data)}={','.join(map(str, data))}"
    if isinstance(value, (complex, np.complexfloating)):
        kind = "f32" if isinstance(value, np.complex64) else "f64"
        return f"{kind}x2={value.real!r},{value.imag!r}"
    kind = _kind(value, parameter)
    if kind.startswith(("f", "bf")):
        return f"{kind}={float(value)!r}"
    if int(value) != value:
        raise GauntletError(f"{value!r} is no {kind}; give an integer")
    return f"{kind}={int(value)}"


def _kind(value: Any, parameter: Optional[Parameter]) -> str:
    if isinstance(value, np.generic):
        kind = "u8" if isinstance(value, np.bool_) else _types.get(value.dtype.name, "")
    elif not isinstance(value, (bool, int, float)):
        kind = ""
    elif parameter and parameter.type in _cpp:
        kind = _cpp[parameter.type]
    elif parameter is None or parameter.bytes in (1, 2, 4, 8):
        size = parameter.bytes if parameter else 8
        letter = "f" if isinstance(value, float) else "u" if value > 0 and int(value) >> (8 * size - 1) else "i"
        kind = letter + str(8 * size)
    else:
        kind = ""
    if not kind:
        raise GauntletError(f"an argument is of {type(value).__name__}; give a number, a NumPy array or a NumPy scalar")
    return kind


class Spelled:
    """The --arg words of one launch, and the files of its arrays."""

    def __init__(self, folder: Path) -> None:
        self.words: List[str] = []
        self._folder = folder
        self._arrays: Dict[Tuple[int, int], Tuple[str, Array]] = {}
        self._dumps: List[Tuple[Path, Array]] = []

    def add_number(self, name: str, value: Any, parameter: Optional[Parameter] = None) -> None:
        self.words += ["--arg", f"{self._free(name)}:{number(value, parameter)}"]

    def add_pointer(self, name: str, value: Any) -> None:
        """An array; the same memory again is a pointer to the first; None is a null pointer."""
        if value is None:
            self.words += ["--arg", f"{self._free(name)}:ptr=0"]
            return
        array = host_array(value)
        place = (array.ctypes.data, array.nbytes)
        name = self._free(name)
        if array.size and place in self._arrays:
            self.words += ["--arg", f"{name}:ptr=@{self._arrays[place][0]}"]
            return
        for _, other in self._arrays.values():
            if np.may_share_memory(array, other):
                raise GauntletError("two arrays overlap in part; give copies, or one array twice")
        self._arrays[place] = (name, array)
        flat, kind = elements(array)
        content, option = "", "" if array.flags.writeable else ",const"
        if not isinstance(value, Undefined):
            file = self._folder / f"{len(self._arrays)}.npy"
            np.save(file, flat)
            content = f"={file}"
        self.words += ["--arg", f"{name}:{kind}[{flat.size}]{option}{content}"]
        if array.flags.writeable and array.size:
            after = self._folder / f"{len(self._arrays)}-after.npy"
            self._dumps.append((after, flat))
            self.words += ["--dump", f"{name}={after}"]

    def add_scratch(self, name: str, size: int) -> None:
        """Memory of the compiler's own; 0 bytes are a null pointer."""
        self.words += ["--arg", f"{name}:u8[{size}],scratch" if size else f"{name}:ptr=0"]

    def read_back(self) -> None:
        """What the kernel left, into the caller's arrays."""
        for file, flat in self._dumps:
            if file.exists():
                flat[...] = np.load(file)

    def _free(self, name: str) -> str:
        taken = {word.split(":", 1)[0] for word in self.words}
        return name if name not in taken else next(f"{name}_{k}" for k in range(2, 1000) if f"{name}_{k}" not in taken)


def check_count(given: Sequence[Any], wanted: int, kernel: str) -> None:
    if len(given) != wanted:
        raise GauntletError(f"{kernel} takes {wanted} argument{'' if wanted == 1 else 's'}, and {len(given)} "
                            f"{'is' if len(given) == 1 else 'are'} given")
