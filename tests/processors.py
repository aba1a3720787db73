"""Python with the processor's optional features left out: ``python tests/processors.py -m pytest``.

NumPy and OpenBLAS choose code by the processor they find. Both can be told to use what every
processor of the kind has.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np


def optional_features() -> list[str]:
    """Features for which this NumPy has code of its own and that this processor has."""
    core = np._core if hasattr(np, "_core") else np.core
    found = core._multiarray_umath.__cpu_features__
    return [name for name in core._multiarray_umath.__cpu_dispatch__ if found.get(name)]


def plainest() -> dict[str, str]:
    """The environment's variables that leave them out; another BLAS than OpenBLAS has its own."""
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(optional_features()), "OPENBLAS_CORETYPE": "Nehalem"}


def environment(plain: bool) -> dict[str, str]:
    """This process's environment with the features left out, or with all of them."""
    kept = {name: value for name, value in os.environ.items() if name not in plainest()}
    return {**kept, **plainest()} if plain else kept


if __name__ == "__main__":
    sys.exit(subprocess.run([sys.executable, *sys.argv[1:]], env=environment(plain=True)).returncode)
