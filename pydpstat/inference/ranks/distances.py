"""Kolmogorov-Smirnov tests of one and of two samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._null_distributions.ranks.distances import make_one_sample_distribution, make_two_sample_distribution
from pydpstat._null_distributions.ranks.rank_statistics import (
    UNIT_BITS,
    NoisyTail,
    compute_ks_distance,
    compute_two_sample_ks_distance,
    compute_upper_tail,
)
from pydpstat._records.groups import Keys
from pydpstat._release.options import Missing, check_min_records
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import read_samples_by_unit
from pydpstat.inference._testing import (
    INDEPENDENT_ASSUMPTION,
    describe_equal_distributions,
    make_range_remarks,
    make_test_options,
    read_sample,
    read_samples,
    release_test_statistic,
)
from pydpstat.inference.blocks._block_runs import open_isolated_runner
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import InferenceResults
from pydpstat.results._call import NamedArgument
from pydpstat.results._inference_pictures import NullDistribution

# points at which a user's function is tried; they do not depend on the data
_TRIAL_POINTS = (-1000.0, -10.0, -1.0, 0.0, 0.5, 1.0, 10.0, 1000.0)
CDF_CONDITION = "cdf computes its number for a record from that record alone"


@guard_release
def kstest(
    x: Data,
    cdf: str | Callable[..., object],
    epsilon: float,
    *,
    args: Sequence[object] = (),
    alternative: str = "two-sided",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether a sample has a given distribution (Kolmogorov-Smirnov).

    Parameters
    ----------
    x : array_like of shape (n,)
        Numbers, which need no bounds.
    cdf : str, frozen distribution or callable
        A continuous distribution of `scipy.stats` by its name (``"norm"``), a distribution with its
        parameters (``stats.poisson(2.0)``), or a distribution function that takes an array. It is public,
        with all its parameters.
    epsilon : float
        Privacy parameter; positive and finite.
    args : tuple, default ()
        Parameters for `cdf`. They must not be estimated from the data.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: the sample's distribution function is above the given one somewhere, as
        for smaller values.
    neighbors : {"bounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. Unbounded neighbors are an error.
    missing : "error" or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, a scalar replaces them: a public number.
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
        `statistic` is the noisy distance D.

    Raises
    ------
    PydpstatError
        If an argument is invalid, there is no record, or a value is missing with ``missing="error"``.

    See Also
    --------
    ks_2samp : two samples.
    scipy.stats.kstest : the test without privacy.

    Notes
    -----
    Guarantee: (epsilon, 0). With a callable it rests on its making each record's number from that record
    alone; where it raises or returns no number, the record's number is 1/2.

    Sensitivity: one record changes the empirical distribution function by at most 1 / n anywhere, and so D.
    Its values at each record, and for a function or a frozen distribution those just before it, are
    rounded to multiples of 2^-32, and D is exact from there on. Noise is Laplace of scale 1 / (n epsilon), on
    a grid.

    Validity "exact": p is the probability of such a D plus noise, where records are independent.
    Of a distribution with atoms (frozen, or a function) D is smaller, so p is too large. The distribution
    of D is exact for up to 40 records (one-sided 100), then right to 5e-4 (one-sided 1e-3).

    With epsilon 1e6 p is SciPy's within these numbers.

    References
    ----------
    Kolmogorov, A. N. (1933). Sulla determinazione empirica di una legge di distribuzione. Giornale
    dell'Istituto Italiano degli Attuari 4, 83-91.
    Awan, J. and Wang, Y. (2022). Differentially private Kolmogorov-Smirnov-type tests. arXiv:2208.06236.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> r = pydpstat.kstest(np.linspace(0.0, 1.0, 100) ** 2, "uniform", 1.0, rng=pydpstat.RRandom(123))
    >>> r.pvalue < 0.05
    True
    """
    options = make_test_options("kstest", epsilon, neighbors, missing, rng, budget, alternative, integer=False)
    distribution, name = _resolve_cdf(cdf, args)
    values, options = read_sample(x, "x", options.use_one_record_per_unit(unit))
    size = values.size
    check_min_records(options, size, 1, "test", "x")
    unit = size << UNIT_BITS
    at = _evaluate_cdf(distribution, values)
    # left limits, which differ at atoms of the distribution
    before = at if isinstance(cdf, str) else _evaluate_cdf(distribution, np.nextafter(values, -np.inf))
    distance = compute_ks_distance(at, before, alternative)
    arguments: tuple[tuple[str, object], ...] = (("cdf", name if isinstance(cdf, str) else NamedArgument(name)),)
    if args:
        arguments += (("args", tuple(args)),)
    noisy = release_test_statistic(
        "kstest",
        "D",
        Fraction(distance, unit),
        Fraction(1, size),
        size,
        options,
        data=("x",),
        arguments=arguments,
        alternative=alternative,
        conditions=() if isinstance(cdf, str) else (CDF_CONDITION,),
    )
    d = float(noisy)
    tail = NoisyTail(make_one_sample_distribution(size, alternative), options.epsilon / 2.0**UNIT_BITS, 1.0 / unit)
    return InferenceResults.of(
        noisy,
        test="Kolmogorov-Smirnov test of a distribution",
        statistic=d,
        pvalue=compute_upper_tail(tail.distribution, d * unit, tail.rate),
        alternative=alternative,
        validity="exact",
        assumptions=(INDEPENDENT_ASSUMPTION,),
        remarks=make_range_remarks(noisy, 1.0),
        behind=NullDistribution(tail, d),
    )


@guard_release
def ks_2samp(
    x: Data,
    y: Data,
    epsilon: float,
    *,
    alternative: str = "two-sided",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether two samples have the same distribution (Kolmogorov-Smirnov).

    Parameters
    ----------
    x, y : array_like of shape (n1,), (n2,)
        Two samples, of numbers that need no bounds. Their sizes are public.
    epsilon : float
        Privacy parameter; positive and finite.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: the distribution function of `x` is above that of `y` somewhere, as for
        smaller values in `x`.
    unit : str or list of columns, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. One record of each unit is used, drawn at
        random, so that a unit is in one sample. A name is that of a column of each frame; a list has the values for
        each sample. The default is that of `budget`.
    neighbors, missing, rng, budget
        As in `kstest`. A record that is replaced stays in its sample.

    Returns
    -------
    InferenceResults
        `statistic` is the noisy distance D.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or a value is missing with ``missing="error"``.

    See Also
    --------
    kstest : one sample and a given distribution.
    mannwhitneyu : more power where one sample lies higher.
    scipy.stats.ks_2samp : the test without privacy.

    Notes
    -----
    Guarantee: (epsilon, 0), as the groups' sizes and who is in which group are public.

    Sensitivity: a record of `x` changes its distribution function by at most 1 / n1, one of `y` by at most
    1 / n2. Released is the integer n1 n2 D, which changes by at most max(n1, n2), with symmetric geometric
    noise. A record in both samples would change both functions in the same direction, and n1 n2 D
    by at most abs(n1 - n2), which is less.

    Validity "exact": where both samples have one distribution, all orders of the records are equally likely.
    Ties are not broken: they make D smaller, so that p is too large. The distribution of D is that of 9,999
    random orders with a fixed seed up to 1,000 records, then the limit distribution on the values that D can
    take: p is right to 6e-4 where it is 0.05 or less, else to 5e-3.

    With epsilon 1e6 and no ties p is SciPy's within these numbers.

    References
    ----------
    Smirnov, N. V. (1939). Estimate of deviation between empirical distribution functions in two independent
    samples. Bulletin Moscow University 2, 3-16.
    Awan, J. and Wang, Y. (2022). Differentially private Kolmogorov-Smirnov-type tests. arXiv:2208.06236.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0.0, 10.0, 100)
    >>> pydpstat.ks_2samp(x, x + 4.0, 1.0, rng=pydpstat.RRandom(123)).pvalue < 0.05
    True
    """
    options = make_test_options("ks_2samp", epsilon, neighbors, missing, rng, budget, alternative)
    samples = read_samples_by_unit((x, y), ("x", "y"), unit, options)
    (x_values, y_values), options = read_samples(samples, ("x", "y"), options)
    sizes = x_values.size, y_values.size
    pairs, sensitivity = sizes[0] * sizes[1], max(*sizes, 1)
    distance, data = compute_two_sample_ks_distance(x_values, y_values, alternative) if pairs else 0, ("x", "y")
    noisy = release_test_statistic(
        "ks_2samp", "n1 n2 D", distance, sensitivity, sizes, options, data=data, alternative=alternative
    )
    k, tail = float(noisy), None
    if pairs:
        tail = NoisyTail(make_two_sample_distribution(*sizes, alternative), options.epsilon / sensitivity, 1.0 / pairs)
    return InferenceResults.of(
        noisy,
        test="Kolmogorov-Smirnov test of two samples",
        statistic=k / max(pairs, 1),
        pvalue=1.0 if tail is None else compute_upper_tail(tail.distribution, k, tail.rate),
        pvalue_floor=0.0 if tail is None else tail.distribution.pvalue_floor,
        alternative=alternative,
        validity="exact",
        assumptions=(INDEPENDENT_ASSUMPTION, describe_equal_distributions(samples)),
        remarks=make_range_remarks(noisy, float(pairs)),
        behind=None if tail is None else NullDistribution(tail, k / pairs, step=1.0 / pairs),
    )


def _resolve_cdf(cdf: object, args: Sequence[object]) -> tuple[Callable[[Floats], object], str]:
    """Return a vectorized distribution function and its public name."""
    from scipy import stats

    if not isinstance(args, (tuple, list)):
        raise PydpstatError(f"args must be a tuple of parameters; got {checks.describe_value(args)}. Use (0, 1).")
    if isinstance(cdf, str):
        distribution = getattr(stats, cdf, None)
        if not isinstance(distribution, stats.rv_continuous):
            raise PydpstatError(
                "cdf must be a continuous distribution of scipy.stats, or a function; "
                f"got {checks.describe_option(cdf)}. Give for example 'norm' with args=(mean, sd)."
            )
        try:
            is_valid = bool(np.isfinite(distribution.cdf(0.5, *args)))
        except Exception:  # the errors for invalid arguments differ between versions of SciPy
            is_valid = False
        if not is_valid:
            raise PydpstatError(
                f"args must be the parameters of {cdf!r}, as scipy.stats.{cdf}.cdf takes them; got "
                f"{checks.describe_value(args)}. Give all that it needs, within their ranges."
            )
        return (lambda values: distribution.cdf(values, *args)), cdf
    inner = getattr(cdf, "cdf", cdf)
    if callable(inner) and not isinstance(cdf, np.ndarray):
        name = getattr(cdf, "__name__", type(cdf).__name__)
        return _check_cdf(lambda values: inner(values, *args), name), name
    raise PydpstatError(
        f"cdf must be a continuous distribution, by name or frozen, or a function; got {checks.describe_value(cdf)}. "
        "For two samples use ks_2samp."
    )


def _check_cdf(function: Callable[[Floats], object], name: str) -> Callable[[Floats], object]:
    """Return the function if its value is in [0, 1] at some public point; its errors on records are not shown."""
    with open_isolated_runner() as run:
        values = [run(function, (np.array([point]),), _to_single_float) for point in _TRIAL_POINTS]
    if any(0.0 <= value <= 1.0 for value in values):
        return function
    raise PydpstatError(
        f"cdf must be a function that takes an array and returns numbers from 0 to 1; {name!r} does "
        f"not at any of {', '.join(f'{value:g}' for value in _TRIAL_POINTS)}. Try it on made-up values: its "
        "errors are not shown, because they could reveal records."
    )


def _evaluate_cdf(function: Callable[[Floats], object], values: Floats) -> Floats:
    """Return the distribution function at the values, with 1/2 for NaN and for errors.

    If the call with all values fails, each value is evaluated separately, so that a record affects its own result only.
    """
    with open_isolated_runner() as run:
        probabilities = np.asarray(run(function, (values,), _to_floats))
        if probabilities.shape != values.shape:
            # the function may raise an error because of a single record
            probabilities = np.array([run(function, (value,), _to_single_float) for value in values[:, None]])
    return np.clip(np.where(np.isnan(probabilities), 0.5, probabilities), 0.0, 1.0)


def _to_floats(found: object) -> Floats:
    return np.asarray(found, dtype=np.float64)


def _to_single_float(found: object) -> float:
    return float(_to_floats(found).reshape(()))
