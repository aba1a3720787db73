"""Build sdist and wheel, install the wheel elsewhere and use it there: ``python tools/wheel.py``.

``python tools/wheel.py python3.12 python3.13`` does so with these Pythons. Packages come from PyPI.
Where the builder is installed, as on a machine with Debian's packages, nothing is asked of the network: the
wheel is built with it, and installed beside the system's packages.
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


def environment(python: str, folder: Path, *options: str) -> str:
    """Make an environment in a folder, and return its Python."""
    run(python, "-m", "venv", *options, folder.name, folder=folder.parent)
    return str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")


def build(folder: Path) -> Path:
    """Build the sdist in a folder, and of it the wheel; return the wheel's path."""
    builder = sys.executable
    if not OFFLINE:
        builder = environment(sys.executable, folder / "builder")
        run(builder, "-m", "pip", "install", "--quiet", "hatchling", folder=folder)
    made = folder / "sdist"
    run(builder, "-m", "hatchling", "build", "-t", "sdist", "-d", str(made), folder=ROOT)
    (sdist,) = made.glob("*.tar.gz")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    run(builder, "-m", "pip", "wheel", *options, str(sdist), folder=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def main() -> None:
    """Build, then install and use with each Python, by default with this one."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        wheel = build(folder)
        names = set(zipfile.ZipFile(wheel).namelist())
        assert FILES <= names, f"the wheel lacks {sorted(FILES - names)}"
        others = [name for name in names if name.split("/")[0] not in ("pydpstat", wheel_info(wheel))]
        assert not others, f"the wheel has {others}"
        system, install = (["--system-site-packages"], ["--no-deps", "--no-index"]) if OFFLINE else ([], [])
        for place, given in enumerate(sys.argv[1:] or [sys.executable]):
            python = environment(given, folder / f"env{place}", *system)
            run(python, "-m", "pip", "install", "--quiet", *install, str(wheel), folder=folder)
            run(python, "-c", USE, folder=folder)
            compare = ("parity", "--only", "meanDP/", "--recorded", "--draws", "0")
            # -P: the installed package, with the cases of this checkout
            run(python, "-P", "-m", "pydpstat", *compare, folder=ROOT)
            print(f"{wheel.name} works where it is installed, with {given}.", flush=True)


def wheel_info(wheel: Path) -> str:
    """Return the name of the wheel's folder of metadata."""
    return "-".join(wheel.name.split("-")[:2]) + ".dist-info"


if __name__ == "__main__":
    main()
