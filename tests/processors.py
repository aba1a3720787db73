"""Python with the processor's optional features left out: ``python tests/processors.py plain -m pytest``.

NumPy and OpenBLAS choose code by the processor they find. Both can be told to use what every
processor of the kind has, or what those without AVX-512 have.
"""

import os
import platform
import subprocess
import sys

import numpy as np

# for OpenBLAS; other architectures have names of their own
CORES = {"plain": "Prescott", "avx2": "Haswell"}
# X86_V4 is the group of AVX-512 in NumPy from 2.4 on
AVX512 = ("AVX512", "X86_V4")


def optional_features(setting: str = "plain") -> list[str]:
    """What the setting leaves out: features of this processor for which this NumPy has code of its own."""
    core = np._core if hasattr(np, "_core") else np.core
    found = core._multiarray_umath.__cpu_features__
    names = [name for name in core._multiarray_umath.__cpu_dispatch__ if found.get(name)]
    return names if setting == "plain" else [name for name in names if name.startswith(AVX512)]


def environment(setting: str = "") -> dict[str, str]:
    """This process's environment, with features left out or, without a setting, with all of them."""
    changed = {"NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE"}
    kept = {name: value for name, value in os.environ.items() if name not in changed}
    if setting:
        kept["NPY_DISABLE_CPU_FEATURES"] = " ".join(optional_features(setting))
        if platform.machine() in ("x86_64", "AMD64"):
            kept["OPENBLAS_CORETYPE"] = CORES[setting]
    return kept


if __name__ == "__main__":
    sys.exit(subprocess.run([sys.executable, *sys.argv[2:]], env=environment(sys.argv[1])).returncode)
