"""Intervals of both kinds on a released statistic: for the noise alone, and for the population."""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

import pydpstat
from pydpstat.errors import PydpstatError


@dataclass(frozen=True)
class Wide:
    """Intervals whose ends tell the level."""

    shape: tuple[int, ...]
    validity: str = "model"
    assumptions: tuple[str, ...] = ("records are independent",)

    def interval(self, alpha):
        return np.full(self.shape, -1.0 / alpha), np.full(self.shape, 1.0 / alpha)


def with_population(release):
    return replace(release, post=replace(release.post, population=Wide(release.value.shape)))


def test_each_kind_has_its_own_interval():
    plain = pydpstat.mean([0.2, 0.4, 0.9], 1.0, bounds=(0, 1), rng=1)
    both = with_population(plain)
    assert both.conf_int(0.1).equals(plain.conf_int(0.1)) and both.conf_int(0.1, "noise").equals(
        plain.conf_int(0.1)
    )
    ends = both.conf_int(0.1, kind="population")
    assert ends.index.tolist() == ["mean"] and ends.to_numpy().tolist() == [[-10.0, 10.0]]
    again = pickle.loads(pickle.dumps(both))
    assert again.conf_int(kind="population").equals(both.conf_int(kind="population"))


def test_a_summary_shows_both_and_says_which_is_which():
    plain = pydpstat.mean([0.2, 0.4, 0.9], 9.0, bounds=(0, 1), rng=1)
    text = with_population(plain).summary(0.1).as_text()
    for shown in (
        "noise [0.05",
        "population [0.05",
        "-10",
        "exact under the assumptions",
        "are independent.",
    ):
        assert shown in text
    assert "population" not in plain.summary().as_text()


def test_a_long_summary_leaves_the_population_to_its_method():
    table = pydpstat.count(np.tile([[True, False]], (3, 10)), 1.0, rng=1)
    text = with_population(table).summary().as_text()
    assert "population [" not in text and "conf_int(kind='population')" in text
    assert with_population(table).conf_int(kind="population").shape == (20, 2)


def test_what_is_not_known_is_said():
    release = pydpstat.mean([0.2, 0.4], 1.0, bounds=(0, 1), rng=1)
    with pytest.raises(PydpstatError, match="has no confidence interval for the population"):
        release.conf_int(kind="population")
    with pytest.raises(PydpstatError, match="kind must be"):
        release.conf_int(kind="sampling")
    with pytest.raises(PydpstatError, match="alpha must be"):
        with_population(release).conf_int(2.0, kind="population")
