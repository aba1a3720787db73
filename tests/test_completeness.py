"""A function that releases is in the places of step 3 in CONTRIBUTING.md that no other test watches."""

import inspect
import re
from pathlib import Path

import pytest

import pydpstat

ROOT = Path(__file__).resolve().parents[1]
# where functions are, with those that have a reason to be missing
NOISE = {"symmetric_geometric", "symmetric_geometric_noise"}
PLACES = {
    # its releases are those of weighted_mean
    "tests/own_releases.py": {*NOISE, "weighted_proportion"},
    "pydpstat/auditing/_cases": set(),
    "docs/own": set(),
}


def functions():
    """Return the functions of pydpstat's own that release."""
    own = ("pydpstat.statistics", "pydpstat.inference")
    names = [name for name, home in pydpstat._HOMES.items() if home.startswith(own) and name.islower()]
    return [name for name in names if "epsilon" in inspect.signature(getattr(pydpstat, name)).parameters]


@pytest.mark.parametrize("place", PLACES)
def test_no_function_is_forgotten(place):
    path = ROOT / place
    files = [path] if path.is_file() else [*path.glob("*.py"), *path.glob("*.md")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    missing = [name for name in functions() if not re.search(rf"\b{name}\b", text)]
    assert not {*missing} - PLACES[place], f"add {missing} to {place}"
    assert PLACES[place] <= {*missing}, f"{PLACES[place] - {*missing}} need no exemption for {place}"
