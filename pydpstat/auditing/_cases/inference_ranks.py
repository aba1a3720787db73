"""Tests by ranks and by distances of distribution functions, at their worst neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.inference.distances import ks_2samp, kstest
from pydpstat.inference.rank_groups import kruskal, mannwhitneyu
from pydpstat.inference.rank_pairs import kendalltau, wilcoxon

# one record of the smaller group goes from below all others to above them
LOW: Any = ([0.0], [1.0, 2.0, 3.0])
HIGH: Any = ([9.0], LOW[1])
# one of tied records leaves them: the keys of the others settle their order
TIED: Any = ([1.0, 1.0], [1.0, 1.0, 1.0])
UNTIED: Any = ([9.0, 1.0], TIED[1])
# the largest record changes its sign
NEGATIVE: Any = [0.5, -1.0, -2.0, -9.0]
POSITIVE: Any = [0.5, -1.0, -2.0, 9.0]
# a record that agrees with no other one comes to agree with all
AGAINST: Any = ([1.0, 2.0, 3.0, 9.0], [1.0, 2.0, 3.0, 0.0])
ALONG: Any = (AGAINST[0], [1.0, 2.0, 3.0, 9.0])
# the lowest record of a group that lies above the others comes to lie above them, too
MIXED: Any = ([0.0, 11.0, 12.0, 13.0, 14.0], [1.0, 4.0, 5.0, 8.0, 9.0], [2.0, 3.0, 6.0, 7.0, 10.0])
APART: Any = ([15.0, *MIXED[0][1:]], *MIXED[1:])
# and that of a small group, whose distance has no weights
UNEQUAL: Any = ([0.0, 11.0, 12.0], [float(place) for place in range(1, 11)])
UNEQUAL_APART: Any = ([15.0, 11.0, 12.0], UNEQUAL[1])


def _atoms(x: Any) -> Any:
    """Return the distribution function of a distribution that has one half at 0 and one at 1."""
    return np.where(x < 0.0, 0.0, np.where(x < 1.0, 0.5, 1.0))


def _two(function: Release, **options: object) -> Release:
    return lambda data: function(*data, 1.0, **options)


def _one(cap: int | None = None) -> Release:
    return lambda data: wilcoxon(data, 1.0, cap=cap)


def _case(name: str, release: Release, data: object, neighbor: object, true: float = 1.0) -> Case:
    return Case("sound", name, release, data, neighbor, true=true)


CASES = (
    _case("mannwhitneyu", _two(mannwhitneyu), LOW, HIGH),
    _case("mannwhitneyu, ties", _two(mannwhitneyu), TIED, UNTIED),
    _case("wilcoxon", _one(cap=4), NEGATIVE, POSITIVE),
    _case("wilcoxon, sign test", _one(cap=1), NEGATIVE, POSITIVE),
    _case("wilcoxon, cap of n and epsilon", _one(), NEGATIVE, POSITIVE),
    _case("kruskal", lambda data: kruskal(*data, epsilon=1.0), MIXED, APART),
    _case(
        "kruskal, groups of unequal sizes", lambda data: kruskal(*data, epsilon=1.0), UNEQUAL, UNEQUAL_APART
    ),
    _case("kendalltau", _two(kendalltau), AGAINST, ALONG),
    _case("kendalltau, of one side", _two(kendalltau, alternative="less"), AGAINST, ALONG),
    _case("kstest", lambda data: kstest(data, "uniform", 1.0), [0.0, 0.0], [0.0, 1.0]),
    _case(
        "kstest, a distribution with atoms", lambda data: kstest(data, _atoms, 1.0), [0.0, 0.0], [0.0, 1.0]
    ),
    _case("ks_2samp", _two(ks_2samp), ([0.0], [0.0, 0.0, 0.0]), ([9.0], [0.0, 0.0, 0.0])),
)
