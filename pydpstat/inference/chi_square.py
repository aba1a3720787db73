"""Chi-square tests of noisy tables: of given probabilities, and of independence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns, Data
from pydpstat._data.containers import listed
from pydpstat._release.additive import Spender
from pydpstat._release.statistic import INTEGER, Missing, check_records, options, quiet, release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.inference._laws.nuisance import Floats
from pydpstat.inference._laws.tables import fit_pvalue, independence_pvalue, shares
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.random import source_from
from pydpstat.results import DPResults, InferenceResults
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.cells import cells_query
from pydpstat.statistics._kernels.crossed import table_counts
from pydpstat.statistics._kernels.levels import (
    DECLARED,
    Level,
    PublicLevels,
    axis_of,
    codes_of,
    levels_of,
    plain,
    variables_of,
)
from pydpstat.statistics._kernels.records import records_of
from pydpstat.statistics._kernels.scope import NOTHING

# with less nothing can be seen in any table
LEAST_EPSILON = 1e-9
# simulated tables take memory and time in proportion
MOST_CELLS = 1_000
# about the smallest p-value that the simulated tables can show
SMALL = 0.0012
LEVELS = "that every value is one of the levels is public knowledge"
INDEPENDENT = "the records are independent of each other"


class _Table(NamedTuple):
    """A noisy table, its levels, the rate of its noise, and the number of records where it is public."""

    release: DPResults
    noisy: Floats
    names: tuple[tuple[Level, ...], ...]
    rate: float

    @property
    def released(self) -> tuple[tuple[str, float], ...]:
        labels = Labels("table", dimnames=self.names)
        return tuple(zip(labels.elements(self.noisy), self.noisy.ravel(order="F").tolist()))

    def remarks(self, pvalue: float) -> tuple[str, ...]:
        """Return what is to be said where little can be seen, or where p could be smaller."""
        total = self.noisy.sum() if self.release.nobs is None else self.release.nobs
        if total < self.release.noise.std():
            return (
                "The noise of one cell is wider than the whole table: hardly anything can be seen in it.",
            )
        if pvalue <= SMALL:
            return ("The p-value is found by simulation, which shows none that is much smaller.",)
        return ()


@quiet
def chisquare(
    data: Data,
    epsilon: float,
    *,
    levels: object = None,
    f_exp: object = None,
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> InferenceResults:
    """Test whether the levels of a variable have given probabilities.

    Parameters
    ----------
    data : array_like of shape (n,)
        One variable: the level of each record, and not counts as in SciPy, as counts would have lost their
        protection.
    epsilon : float
        Privacy parameter; above 0 and finite.
    levels : list or "declared", keyword only, needed
        The public levels, or ``"declared"`` for a Categorical whose categories are public. A value that is
        none of them is treated as a missing one.
    f_exp : list or dict by level, optional
        What is expected of each level, as probabilities, shares or frequencies: any numbers above 0, which
        are divided by their sum. By default all levels have the same probability.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or a level, default "error"
        What to do with missing values and those that are no level: raise an error, leave their records out
        (unbounded only), or count them in this level, which is added where it is new.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    InferenceResults
        `statistic` is close to Pearson's where there is little noise. The released numbers are the noisy
        counts, the estimates the levels' shares. There is no interval.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, `levels` is not given, or a value is missing or no level with
        ``missing="error"``.

    Notes
    -----
    Guarantee: epsilon. The counts of the levels are released with symmetric geometric noise, as by
    `crosstab`; all else is post-processing. With ``missing="error"`` it rests on the public knowledge that
    every record has one of the levels.

    Validity: with a public n the null hypothesis leaves nothing unknown, and the p-value is exact up to
    simulation (9,999 tables, fewer where there are more than 25 levels): ``model``, where the records are
    independent. With a private n it is the largest over nine numbers of records that the noisy total leaves
    possible: ``measured``.

    The statistic is the square of the noisy counts' distance from what is expected, in units of sampling and
    noise together, without the one direction in which there is noise alone. A table of two levels has more
    power with a test of one proportion, which needs half the noise.

    References
    ----------
    Gaboardi, M., Lim, H., Rogers, R. and Vadhan, S. (2016). Differentially private chi-squared hypothesis
    testing: goodness of fit and independence testing. ICML 2016.
    Kifer, D. and Rogers, R. (2017). A new class of private chi-square hypothesis tests. AISTATS 2017.

    Examples
    --------
    >>> import pydpstat
    >>> answers = ["yes"] * 70 + ["no"] * 50 + ["perhaps"] * 30
    >>> r = pydpstat.chisquare(answers, 1.0, levels=["yes", "no", "perhaps"], rng=1)
    >>> r.validity, r.pvalue < 0.01
    ('model', True)
    """
    table = _table("chisquare", ("data",), data, epsilon, levels, neighbors, missing, rng, budget, f_exp)
    (names,) = table.names
    p = _probabilities(f_exp, names)
    n = table.release.nobs
    statistic, pvalue = fit_pvalue(table.noisy, p, n, table.rate)
    estimated = shares(table.noisy[None], np.array([_total(table)]))[0].tolist()
    return InferenceResults.of(
        table.release,
        test="Chi-square test of given probabilities",
        statistic=statistic,
        pvalue=pvalue,
        null=tuple((f"share of {name}", share) for name, share in zip(names, p.tolist())),
        released=table.released,
        estimates=tuple((f"share of {name}", share) for name, share in zip(names, estimated)),
        validity="measured" if n is None else "model",
        assumptions=(INDEPENDENT,),
        remarks=table.remarks(pvalue),
    )


@quiet
def chi2_contingency(
    x: Data,
    y: Data,
    epsilon: float,
    *,
    levels: object = None,
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> InferenceResults:
    """Test whether two variables with levels are independent.

    Parameters
    ----------
    x, y : array_like of shape (n,)
        The levels of each record, a record in the same place of both; not a table of counts as in SciPy, as
        counts would have lost their protection.
    epsilon : float
        Privacy parameter; above 0 and finite.
    levels : pair of lists, dict or "declared", keyword only, needed
        The public levels of `x` and of `y`, or ``"declared"`` for Categoricals whose categories are public. A
        value that is none of them is treated as a missing one.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or a level, default "error"
        What to do with missing values and those that are no level: raise an error, leave their records out
        (unbounded only), or count them in this level, which is added where it is new.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    InferenceResults
        `statistic` is close to Pearson's (without a correction for continuity) where there is little noise.
        The released numbers are the noisy counts, the estimates the shares of the levels of `x` and of `y`.
        There is no interval.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, `levels` is not given, or a value is missing or no level with
        ``missing="error"``.

    Notes
    -----
    Guarantee: epsilon. The cells' counts are released with symmetric geometric noise, as by `crosstab`; all
    else is post-processing. With ``missing="error"`` it rests on the public knowledge that every record has
    two of the levels.

    Validity: ``measured``. The statistic is the square of the noisy counts' distance from those of
    independent variables, in units of sampling and noise together, after changes of the margins are taken
    away (a score test). Its law hardly depends on the true margins. It is found by simulation at the
    estimated margins and at two others, more and less concentrated by one standard error; with a private n
    also at two other numbers of records. The largest p-value counts. Empty cells do no harm.

    References
    ----------
    Neyman, J. (1959). Optimal asymptotic tests of composite statistical hypotheses. In Probability and
    Statistics: The Harald Cramer Volume (the statistic's form).
    Gaboardi, M., Lim, H., Rogers, R. and Vadhan, S. (2016). Differentially private chi-squared hypothesis
    testing: goodness of fit and independence testing. ICML 2016.

    Examples
    --------
    >>> import pydpstat
    >>> smokes, ill = ["no", "no", "yes", "yes"] * 50, ["no"] * 150 + ["yes"] * 50
    >>> r = pydpstat.chi2_contingency(smokes, ill, 1.0, levels=(["no", "yes"], ["no", "yes"]), rng=1)
    >>> r.pvalue > 0.05
    True
    """
    if isinstance(levels, (list, tuple)) and not all(
        isinstance(listed(each), (list, tuple, range)) for each in levels
    ):
        raise PydpstatError(
            f"levels must be two lists, of the levels of x and of y; got {checks.shown(levels)}. Give for "
            "example (['no', 'yes'], ['low', 'high'])."
        )
    table = _table("chi2_contingency", ("x", "y"), (x, y), epsilon, levels, neighbors, missing, rng, budget)
    n = table.release.nobs
    statistic, pvalue = independence_pvalue(table.noisy, n, table.rate)
    estimates: list[tuple[str, float]] = []
    for axis, (variable, names) in enumerate(zip("xy", table.names)):
        found = shares(table.noisy.sum(axis=1 - axis)[None], np.array([_total(table)]))[0].tolist()
        estimates += [(f"share of {variable} = {name}", share) for name, share in zip(names, found)]
    return InferenceResults.of(
        table.release,
        test="Chi-square test of independence",
        statistic=statistic,
        pvalue=pvalue,
        released=table.released,
        estimates=tuple(estimates),
        validity="measured",
        assumptions=(INDEPENDENT,),
        remarks=table.remarks(pvalue),
    )


def _total(table: _Table) -> float:
    """Return the number of records, or the noisy one where it is private; at least 1."""
    return max(float(table.noisy.sum() if table.release.nobs is None else table.release.nobs), 1.0)


def _table(
    function: str,
    arguments: tuple[str, ...],
    data: object,
    epsilon: float,
    levels: object,
    neighbors: str | None,
    missing: Missing,
    rng: object,
    budget: Spender | None,
    f_exp: object = None,
) -> _Table:
    """Release the counts of a table's cells."""
    named = INTEGER[:1]
    how = options(
        epsilon, 0, "geometric", neighbors, missing, mechanisms=named, others=False, fill=str, budget=budget
    )
    if how.epsilon < LEAST_EPSILON:
        raise PydpstatError(
            f"epsilon must be at least {LEAST_EPSILON} for a test; got {how.epsilon!r}. 1 is usual."
        )
    argument = " and ".join(arguments)
    variables = variables_of(data, argument)
    if len(variables.columns) != len(arguments):
        raise PydpstatError(
            f"{argument} must be one variable for {function}; got {len(variables.columns)}. Select a column, "
            "or test two of them by chi2_contingency."
        )
    if isinstance(levels, str) and levels == "discover":
        raise PydpstatError(
            "levels must not be 'discover' for a test, whose table has to be public. Give them."
        )
    public = [each._replace(closed=True) for each in levels_of(levels, variables)]
    kept = None if how.missing in ("error", "drop") else how.missing
    axes = [axis_of(each, None, kept) for each in public]
    names = tuple(axis.names for axis in axes)
    if math.prod(map(len, names)) > MOST_CELLS:
        raise PydpstatError(
            f"levels must make at most {MOST_CELLS} cells for a test; they make "
            f"{math.prod(map(len, names))}. Join levels."
        )
    if function == "chisquare":
        _probabilities(f_exp, names[0])
    source = source_from(rng)
    reader = partial(_coded, public=tuple(public))
    records, how = records_of(data, how, NOTHING, source, reader, argument)
    if how.bounded and records.size is not None:
        check_records(records.size, 1, "test", argument)
    # what is missing is left out here, and told below
    counts, size = table_counts(records, axes, "drop" if how.missing == "error" else how.missing)
    if how.missing == "error" and counts.sum() != size:
        raise PydpstatError(
            f"{argument} must have a level in each record: some values are missing or none of the levels, "
            "which this error tells. Name a level that they count in (missing='other'), or use missing='drop' with "
            "neighbors='unbounded'."
        )
    labels = Labels("table", dimnames=names, dimension_names=variables.names if any(variables.names) else ())
    said = "declared" if isinstance(levels, str) else [list(map(plain, each.levels)) for each in public]
    shown: tuple[tuple[str, object], ...] = (
        ("levels", said if said == "declared" or len(said) > 1 else said[0]),
    )
    if f_exp is not None:
        shown = (*shown, ("f_exp", _weights(f_exp, names[0])))
    release = release_statistic(
        function,
        cells_query("table", counts, labels, size, how),
        how,
        source,
        budget,
        data=arguments,
        arguments=shown,
        conditions=(DECLARED,) if said == "declared" else (LEVELS,) if how.missing == "error" else (),
    )
    noise = release.noise
    assert isinstance(noise, SymmetricGeometricNoise)
    return _Table(release, np.asarray(release.value), names, noise.epsilon / noise.sensitivity)


def _coded(data: object, argument: str, public: tuple[PublicLevels, ...]) -> Columns:
    """Read records as the codes of their levels; what is no level is missing."""
    variables = variables_of(data, argument)
    codes = []
    for column, each in zip(variables.columns, public):
        found = codes_of(column, each)
        codes.append(np.where(found < len(each.levels), found, found.dtype.type(-1)))
    return Columns(tuple(codes), (None,) * len(codes), variables.names, None, variables.size)


def _weights(f_exp: object, names: tuple[Level, ...]) -> list[float]:
    """Check what is expected of each level."""
    if isinstance(f_exp, Mapping):
        given = checks.by_name(f_exp, list(map(str, names)), "f_exp", "level", "0.5")
    else:
        given = listed(f_exp)
    fits = isinstance(given, (list, tuple)) and len(given) == len(names) and all(map(checks.is_number, given))
    weights = [checks.as_float(each) for each in given] if fits else []
    if not weights or not all(0.0 < each < math.inf for each in weights):
        raise PydpstatError(
            f"f_exp must have a finite number above 0 for each of the {len(names)} levels, one that missing= "
            f"adds among them; got {checks.shown(f_exp)}. Give expected shares, and leave levels out that "
            "cannot be."
        )
    return weights


def _probabilities(f_exp: object, names: tuple[Level, ...]) -> Floats:
    if f_exp is None:
        return np.full(len(names), 1.0 / len(names))
    exact = [Fraction(each) for each in _weights(f_exp, names)]
    total = sum(exact)
    return np.array([float(each / total) for each in exact])
