"""Comparisons of noisy means of groups, with sums of cubes or without, and intervals of each."""

from __future__ import annotations

from collections.abc import Sequence

from pydpstat.inference._null_distributions.group_means import equal_means
from pydpstat.inference._null_distributions.mean_differences import (
    WelchInterval,
    Whole,
    mean_interval,
    sized,
    two_sample_pvalue,
)
from pydpstat.inference._null_distributions.noisy_t import NoisySums, NoisyTInterval
from pydpstat.inference._null_distributions.skewed_groups import (
    SkewedWelchInterval,
    difference_pvalue,
    several_pvalue,
)
from pydpstat.inference._null_distributions.skewed_t import SkewedTInterval


def t_interval(
    known: NoisySums, middle: float, half: float, alternative: str = "two-sided"
) -> NoisyTInterval:
    """Return the interval of one mean."""
    kind = NoisyTInterval if known.third is None else SkewedTInterval
    return kind(known, middle, half, alternative)


def mean_difference(
    known: tuple[NoisySums, NoisySums], half: float, alternative: str = "two-sided"
) -> tuple[float, float, WelchInterval | Whole, bool]:
    """Return the statistic, the p-value of equal means, the interval, and whether anything can be said.

    It is the noisy Welch test, with the noisy numbers of records where none are public.
    """
    interval = mean_interval(known, half, alternative)
    if isinstance(interval, Whole):
        return 0.0, 1.0, interval, False
    if any(each.third is None for each in known):
        return *two_sample_pvalue(interval.known, alternative), interval, True
    with_cubes = SkewedWelchInterval(interval.known, half, alternative)
    return *difference_pvalue(interval.known, 0.0, alternative), with_cubes, True


def compare_means(known: Sequence[NoisySums]) -> tuple[float, float, tuple[int, ...]]:
    """Return statistic and p-value of equal means, and the places of the groups that are compared.

    Left out are groups whose noisy number of records may be noise alone. With fewer than two left, p is 1.
    """
    if any(each.third is None for each in known):
        return equal_means(known)
    found = {place: made for place, each in enumerate(known) if (made := sized(each)) is not None}
    if len(found) < 2:
        return 0.0, 1.0, tuple(found)
    return *several_pvalue(list(found.values())), tuple(found)
