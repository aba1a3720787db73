"""R's library path and arithmetic kernels, which are set before R starts."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def add_own_library() -> None:
    """Add the packages installed by a checkout's set-up to R's library path, before R starts."""
    folder = str(Path(__file__).resolve().parents[2] / ".r-library")
    libraries = [name for name in os.environ.get("R_LIBS", "").split(os.pathsep) if name]
    if Path(folder).is_dir() and folder not in libraries:
        os.environ["R_LIBS"] = os.pathsep.join([folder, *libraries])


def choose_kernels() -> None:
    """Select the same OpenBLAS kernels on every x86-64 processor, before R starts; AVX-512 changes R's models."""
    if platform.machine() in ("x86_64", "AMD64"):
        os.environ.setdefault("OPENBLAS_CORETYPE", "Prescott")
