"""Sign test of a quantile."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, read_single_column
from pydpstat._null_distributions.noise import Tulap
from pydpstat._null_distributions.proportions.one_proportion import (
    EXCLUDED_SIZES_PROBABILITY,
    NoisyBinaryCounts,
    combine_tails,
    compute_noisy_tails,
    get_noisy_tails_floor,
)
from pydpstat._records.groups import Keys
from pydpstat._release.options import Missing
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.inference._testing import (
    IID_ASSUMPTION,
    UNINFORMATIVE_REMARK,
    count_disjoint_cells,
    get_alternative_argument,
    make_count_options,
    make_counts_query,
)
from pydpstat.results.inference_results import InferenceResults

NO_TIES_CONDITION = "whether a record equals q is treated as public"


@guard_release
def quantile_test(
    x: Data,
    epsilon: float,
    *,
    q: float = 0.0,
    p: float = 0.5,
    alternative: str = "two-sided",
    ties: bool = True,
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether a value is the population's median or another quantile.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data. Bounds are not needed: only how many records are below and above `q` counts.
    epsilon : float
        Privacy parameter; positive and finite.
    q : float, default 0
        The quantile's value under the null hypothesis; finite.
    p : float, default 0.5
        Which quantile: the share of the population below it; above 0 and below 1.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: the quantile is above `q`.
    ties : bool, default True
        Whether records may equal `q`. False where that is impossible, as in continuous data: then the whole
        of epsilon is for one count.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a public number.
    unit : str or column, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. One record of each unit is used, drawn at
        random. The default is that of `budget`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    InferenceResults
        Its `statistic` is the noisy number of records below `q` (above it, if these tell more), for private
        numbers of records the distance from the null hypothesis in standard errors. It has no interval for
        the quantile, which a histogram gives for all quantiles at once.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `x` is not made of numbers, it is empty under bounded neighbors, or a value is
        missing with ``missing="error"``.

    See Also
    --------
    median, quantile : the quantile itself.
    wilcoxon : more power where the distribution is symmetric.

    Notes
    -----
    Guarantee: epsilon. With ``missing="error"`` whether values are missing is treated as public.

    The null hypothesis is P(X < q) <= p <= P(X <= q), so that the number of records below q is at most, in
    distribution, a binomial (n, p) variable K, and the number above at most a binomial (n, 1 - p) one. Where
    so many are below that K plus the noise seldom reaches it, the quantile is less than q; the number above
    tells of the other side. For two sides the p-value is twice the smaller one.

    Bounded neighbors: both counts are released together; replacing a record moves them by 2 at most, so that
    the symmetric geometric noise has the rate epsilon / 2. A uniform number between -1/2 and 1/2 is added to
    each afterwards. The p-values are exact sums, as in `binomtest`, for every distribution of the records:
    validity ``exact``, and conservative where records equal q. With ``ties=False`` the count below is
    released alone, with the rate epsilon.

    Unbounded neighbors: the counts below, at (with `ties`) and above are released; a record changes one of
    them by 1. The tests are those of `binomtest` for a private number of records, of the records below
    against all others, and of those above: validity ``model``.

    References
    ----------
    Conover, W. J. (1999). Practical nonparametric statistics, third edition, section 3.2. Wiley.
    Awan, J. and Slavkovic, A. (2018). Differentially private uniformly most powerful tests for binomial data.
    NeurIPS 2018.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> waiting = np.arange(100) % 37 / 4
    >>> r = pydpstat.quantile_test(waiting, 1.0, q=3.0, alternative="greater", rng=1)
    >>> round(r.pvalue, 4), r.validity
    (0.0245, 'exact')
    """
    at = checks.check_number(q, "q", "a finite number", math.isfinite, "Give a value that the quantile may have.")
    share = checks.check_number(p, "p", "above 0 and below 1", lambda each: 0.0 < each < 1.0, "0.5 is the median.")
    tied = checks.check_boolean(ties, "ties")
    options = make_count_options(epsilon, alternative, neighbors, missing, float, rng, budget)
    options = options.use_one_record_per_unit(unit)
    side_counts, size, options = count_disjoint_cells(
        x, options, "x", "test", read_single_column, partial(_count_sides, q=at)
    )
    names, cells, ones = _choose_cells(options.has_public_size, tied)
    settings = (
        ("q", at),
        ("p", share),
        *get_alternative_argument(alternative),
        *(() if tied else (("ties", False),)),
    )
    release = release_statistic(
        "quantile_test",
        make_counts_query((cells * side_counts).sum(axis=1), names, ones, size, options),
        options,
        data_names=("x",),
        public_arguments=settings,
    )
    noisy = np.ravel(release.value)
    if options.has_public_size:
        # uniform numbers make the noise continuous
        uniform = options.source.uniform(noisy.size) - 0.5
        sides = _test_public_size_counts(noisy, uniform, size, share, Tulap(options.epsilon / ones))
        names = (*names, *(f"{name} and a uniform number" for name in names))
        noisy = np.append(noisy, noisy + uniform)
    else:
        sides = _test_private_size_counts(noisy, share, options.epsilon)
    return InferenceResults.of(
        release,
        test="Quantile test",
        statistic=sides.get_statistic(alternative),
        pvalue=combine_tails(sides.greater, sides.less, alternative),
        pvalue_floor=get_noisy_tails_floor(alternative)
        if options.has_public_size
        else NoisyBinaryCounts.get_pvalue_floor(alternative),
        alternative=alternative,
        null=((f"{share:g}-quantile", at),),
        released=tuple(zip(names, noisy.tolist())),
        estimates=(("share below", sides.below), ("share above", sides.above)),
        validity="exact" if options.has_public_size else "model",
        assumptions=(IID_ASSUMPTION, *(() if tied else (NO_TIES_CONDITION,))),
        remarks=() if sides.is_informative else (UNINFORMATIVE_REMARK,),
    )


class _OneSidedTests(NamedTuple):
    """Results of both one-sided tests: p-values, statistics, shares of records and whether they are informative."""

    less: float
    greater: float
    statistics: tuple[float, float]
    below: float
    above: float
    is_informative: bool

    def get_statistic(self, alternative: str) -> float:
        """Return the statistic to which the p-value belongs."""
        less = alternative == "less" or alternative == "two-sided" and self.less <= self.greater
        return self.statistics[0 if less else 1]


def _count_sides(values: np.ndarray, q: float) -> np.ndarray:
    """Return the numbers of values below, equal to and above `q`."""
    # NumPy would round q to the precision of float32 or float16 values
    values = values.astype(np.float64, copy=False)
    below, above = int(np.count_nonzero(values < q)), int(np.count_nonzero(values > q))
    return np.array([below, values.size - below - above, above])


def _choose_cells(bounded: bool, has_ties: bool) -> tuple[tuple[str, ...], np.ndarray, int]:
    """Return the names of the released counts, the cells summed in each, and the number that one record changes."""
    if bounded and has_ties:
        return ("below", "above"), np.array([[1, 0, 0], [0, 0, 1]]), 2
    if bounded:
        return ("below",), np.array([[1, 0, 0]]), 1
    if has_ties:
        return ("below", "equal", "above"), np.eye(3, dtype=np.int64), 1
    return ("below", "not below"), np.array([[1, 0, 0], [0, 1, 1]]), 1


def _test_public_size_counts(
    noisy: np.ndarray, uniform: np.ndarray, size: int, p: float, noise: Tulap
) -> _OneSidedTests:
    """Test with a public number of records, from the counts below and above or from the count below alone."""
    smooth = (noisy + uniform).tolist()
    less, greater = compute_noisy_tails(smooth[0], size, p, noise)
    if noisy.size == 2:
        greater, _ = compute_noisy_tails(smooth[1], size, 1.0 - p, noise)
    below, above = float(noisy[0]), float(noisy[1] if noisy.size == 2 else size - noisy[0])
    share_below, share_above = (min(max(count / size, 0.0), 1.0) for count in (below, above))
    return _OneSidedTests(
        less, greater, (smooth[0], smooth[-1]), share_below, share_above, float(noise.ppf(0.975)) < size
    )


def _test_private_size_counts(noisy: np.ndarray, p: float, rate: float) -> _OneSidedTests:
    """Test with a private number of records: the count below and the count above, each against all other records."""
    others, tied = float(noisy[1:].sum()), noisy.size == 3
    below = NoisyBinaryCounts(float(noisy[0]), others, rate, (1, noisy.size - 1))
    above = NoisyBinaryCounts(float(noisy[-1]), float(noisy[:-1].sum()), rate, (1, noisy.size - 1))
    less, _ = below.compute_tails(p, EXCLUDED_SIZES_PROBABILITY)
    # without ties, the last count is that of all records not below
    greater, _ = above.compute_tails(1.0 - p, EXCLUDED_SIZES_PROBABILITY)
    statistics = (below.compute_statistic(p), above.compute_statistic(1.0 - p))
    return _OneSidedTests(
        less,
        greater,
        statistics,
        below.proportion,
        above.proportion if tied else 1.0 - below.proportion,
        below.is_informative,
    )
