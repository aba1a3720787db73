"""Tests of one and of two means, from noisy sums or from coins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair, one_column
from pydpstat._release.additive import Query
from pydpstat._release.options import Missing, Options, check_records
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.inference._cubic_release import release_cubic, tally_groups
from pydpstat.inference._moment_release import release_sums, sum_names
from pydpstat.inference._null_distributions.exact_moments import LEFT_OUT, ExactMeanInterval, exact_pvalue
from pydpstat.inference._null_distributions.group_comparisons import mean_difference, t_interval
from pydpstat.inference._null_distributions.mean_differences import FLOOR, t_floor, t_pvalue
from pydpstat.inference._null_distributions.noise import GeometricNoise
from pydpstat.inference._null_distributions.noisy_t import NoisySums, NoisyTInterval
from pydpstat.inference._null_distributions.proportions import (
    ProportionInterval,
    floor_of,
    noisy_tails,
    pvalue_of,
)
from pydpstat.inference._null_distributions.skewed_t import skewed_pvalue
from pydpstat.inference._samples import Sample
from pydpstat.inference._testing import GROUPS, assumed_shape, contrast_name
from pydpstat.results import DPResults, InferenceResults
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.record_grid import BITS, RecordGrid, Sums, completed, standard_grid
from pydpstat.statistics._kernels.records import Part, Records, records_of

METHODS = ("t", "exact")
# what the number of records is checked for
TESTED = {"ttest_ind": "t test", "f_oneway": "analysis of variance"}
# how two groups are called that have no names
SAMPLES = ("a", "b")
CLIPPED = "the mean is that of values clipped to the bounds"
PUBLIC = "the bounds were chosen without looking at the data"
NOBODY = "A group may have no records at all: the result is uninformative."
NOTHING = "The noise is as large as half the width of the bounds: hardly any mean can be ruled out."


def standard(value: float, pair: Pair, name: str = "popmean") -> float:
    """Check that a number lies within the bounds, and return its place between -1 and 1."""
    low, high = pair
    hint = "The mean of values within the bounds lies there; the data come first."
    number = checks.number(value, name, "a number within the bounds", lambda x: low <= x <= high, hint)
    given, lower, upper = map(Fraction, (number, low, high))
    return float((2 * given - lower - upper) / (upper - lower))


def one_sample(
    release: DPResults,
    known: NoisySums,
    pair: Pair,
    popmean: float,
    alternative: str,
    method: str,
    test: str = "One-sample t test",
) -> InferenceResults:
    """Return what noisy sums say of a mean."""
    mean = standard(popmean, pair)
    middle, half = 0.5 * pair[0] + 0.5 * pair[1], 0.5 * pair[1] - 0.5 * pair[0]
    if method == "exact":
        if known.size is None:
            raise PydpstatError(
                "method must be 't' if the number of records is private; got 'exact'. Use "
                "neighbors='bounded', or leave method out."
            )
        (statistic, p), floor = exact_pvalue(known, mean, alternative), LEFT_OUT
        interval: ExactMeanInterval | NoisyTInterval = ExactMeanInterval(known, middle, half, alternative)
    else:
        if known.third is not None:
            (statistic, p), floor = skewed_pvalue(known, mean, alternative), FLOOR
        else:
            (statistic, p), floor = t_pvalue(known, mean, alternative), t_floor(known)
        interval = t_interval(known, middle, half, alternative)
    return InferenceResults.of(
        release,
        test=test if method == "t" else test.replace("t test", "exact test of the mean"),
        statistic=statistic,
        pvalue=p,
        pvalue_floor=floor,
        alternative=alternative,
        null=(("mean", checks.as_float(checks.unwrap(popmean))),),
        released=_released(release),
        estimates=(("mean", noisy_mean(known, pair)),),
        parameter="mean",
        interval=interval,
        validity="exact" if method == "exact" else "measured",
        assumptions=(*assumed_shape([known]), "independent records of one distribution", CLIPPED, PUBLIC),
        remarks=_remarks(known),
    )


def noisy_mean(known: NoisySums, pair: Pair) -> float:
    """Return the mean that noisy sums say, within the bounds and in the data's unit."""
    middle, half = 0.5 * pair[0] + 0.5 * pair[1], 0.5 * pair[1] - 0.5 * pair[0]
    mean = middle + half * min(max(known.sums[1] / max(known.sums[0], 1.0), -1.0), 1.0)
    return min(max(mean, pair[0]), pair[1])


def tally_samples(
    function: str, samples: Sequence[Sample], arguments: tuple[str, ...], pair: Pair, how: Options, shape: str
) -> tuple[list[Sums], bool, Options]:
    """Return the exact sums of groups, whether cubics are among them, and the options with the unit."""
    groups = []
    for (given, scope), argument in zip(samples, arguments):
        records, how = records_of(given, how._replace(scope=scope), one_column, argument)
        groups.append((records, argument))
    return *tally_groups(groups, pair, how, TESTED[function], shape), how


def release_tallied(
    function: str,
    found: Sequence[Sums],
    cubic: bool,
    names: Sequence[str],
    how: Options,
    *,
    shape: str,
    **public: Any,
) -> tuple[DPResults, list[NoisySums]]:
    """Release the sums of one sample or of groups, with cubics or without; `public` is for the release."""
    if cubic:
        return release_cubic(function, names, found, how, **public)
    labels = [label for name in names for label in sum_names((name,), how)]
    blocks = [(each, each.count if how.bounded else 0, 1) for each in found]
    release, made = release_sums(function, labels, blocks, how, **public)
    return release, [replace(each.sums[0], normal=shape == "normal") for each in made]


def release_groups(
    function: str,
    samples: Sequence[Sample],
    arguments: tuple[str, ...],
    names: Sequence[str],
    pair: Pair,
    how: Options,
    asked: tuple[tuple[str, object], ...],
    shape: str = "any",
) -> tuple[DPResults, list[NoisySums]]:
    """Release the sums of groups, which have names as arguments of the call and others in results."""
    found, cubic, how = tally_samples(function, samples, arguments, pair, how, shape)
    public = {"data": arguments, "arguments": (("bounds", pair), *asked), "bounds": pair}
    conditions = (GROUPS,) if how.bounded else ()
    return release_tallied(function, found, cubic, names, how, shape=shape, conditions=conditions, **public)


def two_samples(
    release: DPResults,
    known: Sequence[NoisySums],
    pair: Pair,
    alternative: str,
    names: tuple[str, ...],
) -> InferenceResults:
    """Return what noisy sums of two groups say of the difference of their means."""
    half = 0.5 * pair[1] - 0.5 * pair[0]
    statistic, p, interval, tell = mean_difference((known[0], known[1]), half, alternative)
    means = [noisy_mean(each, pair) for each in known]
    difference = contrast_name("difference", names, SAMPLES)
    remarks = tuple(dict.fromkeys(each for one in known for each in _remarks(one)))
    return InferenceResults.of(
        release,
        test="Welch's t test",
        statistic=statistic,
        pvalue=p,
        pvalue_floor=FLOOR if tell else 0.0,
        alternative=alternative,
        null=((difference, 0.0),),
        released=_released(release),
        estimates=(
            *((f"mean of {name}", mean) for name, mean in zip(names, means)),
            (difference, means[0] - means[1]),
        ),
        parameter=difference,
        interval=interval,
        validity="measured",
        assumptions=(
            *assumed_shape(known),
            "independent, identically distributed records in each group",
            CLIPPED,
            PUBLIC,
        ),
        remarks=remarks if tell else (NOBODY,),
    )


def _released(release: DPResults) -> tuple[tuple[str, float], ...]:
    return tuple((str(name), float(value)) for name, value in release.params.items())


def _remarks(known: NoisySums) -> tuple[str, ...]:
    """Remark, from public numbers alone, on uninformative results."""
    size = known.size if known.size is not None else known.sums[0]
    if size < 2:
        return ("The variance of one record cannot be estimated: the test rests on the bounds alone.",)
    sd = math.sqrt(known.unit_variance * sum(each * each for each in known.noise[1]))
    return (NOTHING,) if sd >= size else ()


@dataclass(frozen=True)
class _CoinInterval:
    """The means that the test by coins does not reject: the shares of heads, in the data's unit."""

    shares: ProportionInterval
    pair: Pair

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the mean with probability `alpha` at most."""
        lower, upper = self.pair
        middle, half = 0.5 * lower + 0.5 * upper, 0.5 * upper - 0.5 * lower
        low, high = (middle + half * (2.0 * share - 1.0) for share in self.shares.ends(alpha))
        return min(max(low, lower), upper), min(max(high, lower), upper)


def by_coins(
    records: Records,
    pair: Pair,
    how: Options,
    popmean: float,
    alternative: str,
    asked: tuple[tuple[str, object], ...],
) -> InferenceResults:
    """Release how many coins show heads, a coin for each record, and test with that."""
    grid = standard_grid(*pair)
    placed = records.fold(partial(_placed, grid=grid, missing=how.missing), _joined)
    size = placed.size
    check_records(how, size, 1, "test of a mean", "a")
    # (1 + z) / 2 is a multiple of the probability of one of these integers
    heads = int(np.count_nonzero(how.source.integers(size, 2 << BITS) < (placed + 1.0) / grid.unit))
    labels = Labels("heads")
    query = Query("heads", np.asarray(float(heads)), (1,), labels, integer=True, nobs=size, exact=(heads,))
    release = release_statistic("ttest_1samp", query, how, data=("a",), arguments=asked, bounds=pair)
    count, middle, half = float(release.value), 0.5 * pair[0] + 0.5 * pair[1], 0.5 * pair[1] - 0.5 * pair[0]
    heads_law = 0.5 * (1.0 + standard(popmean, pair))
    tails = noisy_tails(count, size, heads_law, GeometricNoise(how.epsilon))
    shares = ProportionInterval(count, size, how.epsilon, alternative, smooth=False)
    estimate = middle + half * (2.0 * min(max(count / size, 0.0), 1.0) - 1.0)
    return InferenceResults.of(
        release,
        test="One-sample exact test of the mean",
        statistic=count,
        pvalue=pvalue_of(*tails, alternative),
        pvalue_floor=floor_of(alternative),
        alternative=alternative,
        null=(("mean", popmean),),
        estimates=(("mean", min(max(estimate, pair[0]), pair[1])),),
        parameter="mean",
        interval=_CoinInterval(shares, pair),
        validity="exact",
        assumptions=("independent records of one distribution", CLIPPED, PUBLIC),
        remarks=("Each record was replaced by a coin: another release tosses other coins.",),
    )


def _placed(part: Part, grid: RecordGrid, missing: Missing) -> np.ndarray:
    """Return records on the grid, from -1 to 1, missing ones dealt with."""
    placed = [grid.place(part.columns.arrays[0])]
    if np.isnan(placed[0].sum()):
        placed, _ = completed(placed, (grid,), missing)
    return placed[0]


def _joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.concatenate([first, second])
