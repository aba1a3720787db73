"""The matching of arguments: on random calls it is that of R's match.call."""

from __future__ import annotations

import json
import os
from shutil import which

import pytest

from pydpstat.porting._argument_matching import AmbiguousArguments, match_arguments
from r_reference import argument_matching as reference

NEEDS_R = pytest.mark.skipif(
    which("Rscript") is None or os.environ.get("PYDPSTAT_NO_R", "0") not in ("", "0"), reason="needs R"
)


def ours(formals, names, empty):
    """Return a call's matched arguments as R's side writes them."""
    try:
        found = match_arguments(formals, names, empty)
    except AmbiguousArguments:
        return "error"
    if None in found:
        return "error"
    pairs = [f"{one} {k + 1}" for k, one in enumerate(found) if one != "..." and k not in empty]
    dots = ["empty" if k in empty else str(k + 1) for k, one in enumerate(found) if one == "..."]
    return "; ".join([*sorted(pairs), *[" ".join(["...", *dots])] * bool(dots)])


def test_recorded_calls_are_matched_as_by_r():
    recorded = json.loads(reference.RECORDED.read_text(encoding="utf-8"))
    differ = [
        (reference.written((formals, names, empty)), theirs)
        for formals, names, empty, theirs in recorded
        if ours(formals, names, empty) != theirs
    ]
    assert differ == []
    # both kinds are there
    assert 0.1 < sum(each[3] == "error" for each in recorded) / len(recorded) < 0.9


@pytest.mark.slow
@NEEDS_R
def test_random_calls_are_matched_as_by_r():
    cases = reference.random_cases(20_000, seed=2)
    differ = [
        (reference.written(case), ours(*case), theirs)
        for case, theirs in zip(cases, reference.ask_r(cases), strict=True)
        if ours(*case) != theirs
    ]
    assert differ == []
