"""Build the wheel, install it elsewhere and use it there: ``python tools/wheel.py``.

Packages come from PyPI. Where the builder is installed, as on a machine with Debian's packages, nothing
is asked of the network: the wheel is built with it, and installed beside the system's packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OFFLINE = find_spec("hatchling") is not None
# what an installed package has beside its modules
FILES = {
    "pydpstat/py.typed",
    "pydpstat/__init__.pyi",
}
USE = """
import pathlib, sys, warnings
import pydpstat
home = pathlib.Path(pydpstat.__file__).resolve()
assert home.is_relative_to(pathlib.Path(sys.prefix).resolve()), f"{home} is not the installed package"
ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
result = pydpstat.mean(ages, 1.0, bounds=(0, 100))
assert result.guarantee.epsilon == 1.0 and not result.reproducible
assert round(pydpstat.mean(ages, 1.0, bounds=(0, 100), rng=pydpstat.RRandom(123)), 3) == 30.869
print(result.summary())
"""


def run(*command: str, folder: Path) -> None:
    """Run a command that sees neither the checkout nor the user's own packages."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    subprocess.run(command, cwd=folder, env={**kept, "PYTHONNOUSERSITE": "1"}, check=True)


def build(folder: Path) -> Path:
    """Build the wheel in a folder, and return its path."""
    options = ["--quiet", "--no-deps", *(["--no-build-isolation"] if OFFLINE else [])]
    run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", str(folder), str(ROOT), folder=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def main() -> None:
    """Build, install and use."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        wheel = build(folder)
        names = set(zipfile.ZipFile(wheel).namelist())
        assert FILES <= names, f"the wheel lacks {sorted(FILES - names)}"
        others = [name for name in names if name.split("/")[0] not in ("pydpstat", wheel_info(wheel))]
        assert not others, f"the wheel has {others}"
        system, install = (["--system-site-packages"], ["--no-deps", "--no-index"]) if OFFLINE else ([], [])
        run(sys.executable, "-m", "venv", *system, "env", folder=folder)
        python = str(folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python")
        run(python, "-m", "pip", "install", "--quiet", *install, str(wheel), folder=folder)
        run(python, "-c", USE, folder=folder)
        compare = ("parity", "--only", "meanDP/", "--recorded", "--draws", "0")
        # -P: the installed package, with the cases of this checkout
        run(python, "-P", "-m", "pydpstat", *compare, folder=ROOT)
        print(f"{wheel.name} works where it is installed.")


def wheel_info(wheel: Path) -> str:
    """Return the name of the wheel's folder of metadata."""
    return "-".join(wheel.name.split("-")[:2]) + ".dist-info"


if __name__ == "__main__":
    main()
