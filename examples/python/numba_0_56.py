# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Import this, and Numba 0.56 (Debian 12) works with CUDA 13, on a GPU too."""
from llvmlite import ir
from numba.cuda.cudadrv import driver, nvvm

find_api = driver.Driver._find_api


def find_first_context_device(self, name):
    # The second version of this one has other parameters.
    return self.lib.cuCtxGetDevice if name == "cuCtxGetDevice" else find_api(self, name)


def add_newest_ir_version(module):
    version = [ir.Constant(ir.IntType(32), part) for part in (2, 0, 3, 0)]
    module.add_named_metadata("nvvmir.version", module.add_metadata(version))


driver.Driver._find_api = find_first_context_device
nvvm.add_ir_version = add_newest_ir_version
