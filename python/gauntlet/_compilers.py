# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ text to PTX: by nvcc, or by NVRTC where there is no toolkit."""
import atexit
import ctypes
import ctypes.util
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, List, Optional, Sequence, Tuple

from gauntlet._program import GauntletError


@lru_cache(maxsize=None)
def folder() -> Path:
    """Where texts are files, for source lines of findings, until the process ends."""
    path = tempfile.mkdtemp(prefix="gauntlet-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def is_ptx(text: str) -> bool:
    return re.search(r"^\s*\.version\s+\d", text, re.MULTILINE) is not None and ".target" in text


def keep(text: str, name: str) -> Path:
    """The text as a file; equal texts are one file, so that they are compiled once."""
    place = folder() / hashlib.sha256(text.encode()).hexdigest()[:12]
    place.mkdir(exist_ok=True)
    (place / name).write_text(text, encoding="utf-8")
    return place / name


def nvcc() -> Optional[str]:
    found = shutil.which("nvcc")
    places = [os.path.join(os.environ[name], "bin", "nvcc") for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    return found or next((path for path in [*places, "/usr/local/cuda/bin/nvcc"] if os.access(path, os.X_OK)), None)


def nvrtc() -> Optional[Any]:
    """NVRTC of a toolkit, of a system package, or of the package nvidia-cuda-nvrtc."""
    places = [os.path.join(os.environ[name], "lib64") for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    places += ["/usr/local/cuda/lib64"]
    places += [os.path.join(path, "nvidia", part, "lib") for path in sys.path for part in ("cu13", "cuda_nvrtc")]
    files = [path for place in places for path in sorted(glob.glob(os.path.join(place, "libnvrtc.so*")), reverse=True)]
    found = ctypes.util.find_library("nvrtc")
    for path in [*files, *([found] if found else [])]:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None


@lru_cache(maxsize=None)
def ptx_of(source: Path, arch: int, flags: Tuple[str, ...], compiler: str = "") -> Path:
    """The PTX of a .cu file, with source lines. compiler: nvcc, nvrtc; empty: what is there."""
    if compiler not in ("", "nvcc", "nvrtc"):
        raise GauntletError(f"compiler={compiler!r}; write 'nvcc' or 'nvrtc'")
    out = folder() / hashlib.sha256(repr((str(source), arch, flags, compiler)).encode()).hexdigest()[:12]
    out.mkdir(exist_ok=True)
    ptx = out / (source.stem + ".ptx")
    tool = nvcc() if compiler in ("", "nvcc") else None
    if tool:
        ran = subprocess.run([tool, "-ptx", "-lineinfo", f"-arch=compute_{arch}", *flags, "-o", str(ptx), str(source)],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
        if ran.returncode:
            raise GauntletError(f"nvcc cannot compile {source.name}:\n{ran.stdout.strip()}")
        return ptx
    library = nvrtc() if compiler in ("", "nvrtc") else None
    if library is None:
        raise GauntletError("CUDA C++ needs a compiler, and there is neither nvcc nor libnvrtc; install one "
                            "(pip install nvidia-cuda-nvrtc), or give PTX")
    ptx.write_bytes(_by_nvrtc(library, source, arch, flags))
    return ptx


def _by_nvrtc(library: Any, source: Path, arch: int, flags: Sequence[str]) -> bytes:
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def check(result: int) -> None:
        if result:
            raise GauntletError(f"NVRTC: {library.nvrtcGetErrorString(result).decode()}")

    check(library.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), str(source).encode(), 0, None, None))
    options: List[bytes] = [b"-lineinfo", f"--gpu-architecture=compute_{arch}".encode(), *map(str.encode, flags)]
    result = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if result:
        check(library.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
        log = ctypes.create_string_buffer(size.value)
        check(library.nvrtcGetProgramLog(program, log))
        raise GauntletError(f"NVRTC cannot compile {source.name}:\n{log.value.decode(errors='replace').strip()}")
    check(library.nvrtcGetPTXSize(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    check(library.nvrtcGetPTX(program, text))
    check(library.nvrtcDestroyProgram(ctypes.byref(program)))
    return text.value
