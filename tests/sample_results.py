"""Data and calls that the tests of results share."""

import warnings

import pydpstat
from pydpstat import DPResultsPair, RRandom

AGES = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
FLAT = ["a", "b", "a", "c", "b", "a", "a", "c"]
GROUP = ["y", "x", "y", "y", "x", "x", "y", "y"]


def quietly(call, *arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **keywords)


def table(*columns, **keywords):
    return quietly(pydpstat.tableDP, *columns, rng=RRandom(3), **keywords)


def parts(result):
    return list(result.values()) if isinstance(result, DPResultsPair) else [result]
