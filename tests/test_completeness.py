"""A function that releases is in the places of step 4 in CONTRIBUTING.md that no other test watches."""

import inspect
import re

import pytest

import pydpstat
from pydpstat.auditing._cases import all_cases
from pydpstat.statistics._catalog import STATISTICS
from tests.filled_pages import DOCS, read_page
from tests.own_releases import OWN

# where functions are, with those that have a reason to be missing
NOISE = {"symmetric_geometric", "symmetric_geometric_noise"}
PLACES = {
    # its releases are those of weighted_mean
    "tests/own_releases.py": {*NOISE, "weighted_proportion"},
    "pydpstat/auditing/_cases": set(),
    "docs/own": set(),
}
FOUND = {
    "tests/own_releases.py": "\n".join(each.name for each in OWN),
    "pydpstat/auditing/_cases": "\n".join(case.name for case in all_cases()),
    "docs/own": "\n".join(read_page(f"own/{page.name}") for page in (DOCS / "own").glob("*.md")),
}


def functions():
    """Return the functions of pydpstat's own that release."""
    own = ("pydpstat.statistics", "pydpstat.inference")
    names = [name for name, home in pydpstat._HOMES.items() if home.startswith(own) and name.islower()]
    return [name for name in names if "epsilon" in inspect.signature(getattr(pydpstat, name)).parameters]


@pytest.mark.parametrize("place", PLACES)
def test_no_function_is_forgotten(place):
    missing = [name for name in functions() if not re.search(rf"\b{name}\b", FOUND[place])]
    assert not {*missing} - PLACES[place], f"add {missing} to {place}"
    assert PLACES[place] <= {*missing}, f"{PLACES[place] - {*missing}} need no exemption for {place}"


def test_every_statistic_has_a_record():
    homes = {name: home for name, home in pydpstat._HOMES.items() if home.startswith("pydpstat.statistics")}
    assert homes == {name: statistic.home for name, statistic in STATISTICS.items()}
    assert all(getattr(pydpstat, name).__module__ == home for name, home in homes.items())
