"""Comparisons of noisy group means, with or without sums of cubes, and intervals of each mean."""

from __future__ import annotations

from collections.abc import Sequence

from pydpstat._null_distributions.means.group_means import run_equal_means_test
from pydpstat._null_distributions.means.mean_differences import (
    UninformativeInterval,
    WelchInterval,
    compute_two_sample_pvalue,
    make_welch_interval,
    use_noisy_size,
)
from pydpstat._null_distributions.means.noisy_t import NoisySums, NoisyTInterval
from pydpstat._null_distributions.means.skewed_groups import (
    SkewedWelchInterval,
    compute_difference_pvalue,
    compute_several_means_pvalue,
)
from pydpstat._null_distributions.means.skewed_t import SkewedTInterval


def make_t_interval(
    noisy_sums: NoisySums, middle: float, half_width: float, alternative: str = "two-sided"
) -> NoisyTInterval:
    """Return the interval of one mean."""
    kind = NoisyTInterval if noisy_sums.cube_sum is None else SkewedTInterval
    return kind(noisy_sums, middle, half_width, alternative)


def compare_two_means(
    noisy_sums: tuple[NoisySums, NoisySums], half_width: float, alternative: str = "two-sided"
) -> tuple[float, float, WelchInterval | UninformativeInterval, bool]:
    """Return the statistic, the p-value of equal means, the interval, and whether the result is informative.

    The test is the noisy Welch test, with noisy numbers of records if these are private.
    """
    interval = make_welch_interval(noisy_sums, half_width, alternative)
    if isinstance(interval, UninformativeInterval):
        return 0.0, 1.0, interval, False
    if any(sums.cube_sum is None for sums in noisy_sums):
        return *compute_two_sample_pvalue(interval.noisy_sums, alternative), interval, True
    with_cubes = SkewedWelchInterval(interval.noisy_sums, half_width, alternative)
    return *compute_difference_pvalue(interval.noisy_sums, 0.0, alternative), with_cubes, True


def compare_means(noisy_sums: Sequence[NoisySums]) -> tuple[float, float, tuple[int, ...]]:
    """Return the statistic, the p-value of equal means, and the indices of the groups that are compared.

    Groups whose noisy number of records may be noise alone are excluded. With fewer than two groups the p-value is 1.
    """
    if any(sums.cube_sum is None for sums in noisy_sums):
        return run_equal_means_test(noisy_sums)
    groups = {index: group for index, sums in enumerate(noisy_sums) if (group := use_noisy_size(sums)) is not None}
    if len(groups) < 2:
        return 0.0, 1.0, tuple(groups)
    return *compute_several_means_pvalue(list(groups.values())), tuple(groups)
