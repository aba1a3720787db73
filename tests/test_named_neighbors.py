"""A message names unbounded neighbors as a way out only if the function has them."""

import functools

import pytest

from pydpstat import PydpstatError
from tests.containers import CALLS

HAVE = {name: call for name, call in CALLS.items() if "neighbors" in call[1]}
HINT = "neighbors='unbounded'"


def told(name, **options):
    """Return the error of a call with these options, None where there is none."""
    call, arguments, _ = HAVE[name]
    try:
        call(**{**arguments, **options})
    except PydpstatError as error:
        return str(error)
    return None


@functools.cache
def has_unbounded(name):
    """Tell whether a function takes unbounded neighbors."""
    return "neighbors must be 'bounded'" not in (told(name, neighbors="unbounded", **empty(name)) or "")


def empty(name):
    """Return a call's records, of which there are none."""
    _, arguments, records = HAVE[name]
    return {key: arguments[key][:0] for key in records}


def test_some_functions_have_both_and_some_do_not():
    known = {name: has_unbounded(name) for name in HAVE}
    assert known["binomtest"] and known["logit"] and not known["mannwhitneyu"]


@pytest.mark.parametrize("name", HAVE)
def test_without_records(name):
    said = told(name, neighbors="bounded", **empty(name))
    if said is not None:
        assert "at least" in said
        assert (HINT in said) == has_unbounded(name), said


@pytest.mark.parametrize("name", [name for name, call in HAVE.items() if "missing" in call[1]])
def test_missing_values_left_out(name):
    said = told(name, missing="drop", neighbors="bounded")
    assert said.startswith("missing must not be 'drop' with neighbors 'bounded'")
    assert (HINT in said) == has_unbounded(name), said
    # of a value and a weight, and of an id, nothing takes the place
    assert ("public value" in said) == (not name.startswith("weighted_") and name != "nunique")
