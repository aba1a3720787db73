"""How many records meet a condition, and what share of them."""

from __future__ import annotations

import numpy as np

from pydpstat._data.columns import Columns, Data, truths_of
from pydpstat._data.values import fills
from pydpstat._release.additive import Query, Spender
from pydpstat._release.statistic import (
    INTEGER,
    Missing,
    Options,
    column_labels,
    options,
    quiet,
    release_statistic,
    shaped,
)
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results._postprocessing import Derived, PostProcessing, Publish, Scaled
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.partition import norm_of

CUT = "cut to [0, 1]"
STEPS = ("divided by the number of records", CUT)


@quiet
def count(
    condition: Data,
    epsilon: float,
    *,
    delta: float = 0,
    mechanism: str | Mechanism = "geometric",
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release how many records meet a condition.

    Parameters
    ----------
    condition : array_like of bool, shape (n,) or (n, d)
        One truth value a record, such as ``age > 65``. A frame or a matrix is counted column by
        column.
    epsilon : float
        Privacy parameter of the whole release; above 0 and finite.
    delta : float, default 0
        Above 0 and below 1 for ``"gaussian"``; 0 otherwise.
    mechanism : {"geometric", "gaussian"} or Mechanism, default "geometric"
        Symmetric geometric noise, or discrete Gaussian noise. Both are integers.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop", True, False}, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or count
        them as true or false.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate is a float, or a Series for several columns. It is an integer and may be
        negative.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, `condition` is not made of truth values, or a value is
        missing with ``missing="error"``.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` it rests on the public knowledge that no
    value is missing.

    Sensitivity: one record changes a count by at most 1, whether it is replaced, added or removed;
    d columns have the L1 sensitivity d and the L2 sensitivity sqrt(d), so each column's count is
    released with epsilon / d, or all together with Gaussian noise. (For more than two columns that is
    calibrated by concentrated privacy, which asks for a few per cent more noise than an exact curve
    would.) Counts and noise are integers, so nothing is rounded. The number of all records is public
    under bounded neighbors and needs no release.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.
    Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> age = np.array([43, 15, 50, 71, 16, 80])
    >>> r = pydpstat.count(age > 65, 1.0)
    >>> float(r).is_integer(), r.sensitivity
    (True, 1.0)
    """
    how = options(epsilon, delta, mechanism, neighbors, missing, mechanisms=INTEGER, fill=bool, budget=budget)
    columns = truths_of(condition)
    true, _ = _tallies(columns, how.missing)
    query = _query("count", true, columns, how)
    return release_statistic("count", query, how, rng, budget, data=("condition",))


@quiet
def proportion(
    condition: Data,
    epsilon: float,
    *,
    delta: float = 0,
    mechanism: str | Mechanism = "geometric",
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release the share of records that meet a condition.

    Parameters
    ----------
    condition : array_like of bool, shape (n,) or (n, d)
        One truth value a record. A frame or a matrix is treated column by column.
    epsilon : float
        Privacy parameter of the whole release; above 0 and finite.
    delta : float, default 0
        Above 0 and below 1 for ``"gaussian"``; 0 otherwise.
    mechanism : {"geometric", "gaussian"} or Mechanism, default "geometric"
        Symmetric geometric noise, or discrete Gaussian noise.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop", True, False}, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or count
        them as true or false.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate is a float between 0 and 1, or a Series for several columns. `noise` is the distribution
        of the counts' noise; `bse` is in the share's unit.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, `condition` is not made of truth values, it is empty under
        bounded neighbors, or a value is missing with ``missing="error"``.

    Notes
    -----
    Guarantee: (epsilon, delta), split over d columns as `count` does. With ``missing="error"`` it
    rests on the public knowledge that no value is missing.

    Bounded neighbors: the count of true values, of sensitivity 1, is released with integer noise and
    divided by the public n. Unbounded neighbors: the counts of true and of false values are
    released. One record adds 1 to one of the two, so the L1 and the L2 sensitivity of the pair are 1
    and both get the noise of a single count; their share is post-processing. Its error is
    ``sqrt(p^2 + (1 - p)^2)`` times that of a count over n, at most that of the bounded release. In
    both cases the share is cut to [0, 1]; it is 1/2 where the noisy counts add up to nothing.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> employed = np.repeat([True, False], [600, 400])
    >>> r = pydpstat.proportion(employed, 1.0, rng=pydpstat.RRandom(123))
    >>> abs(float(r) - 0.6) < 0.02
    True
    """
    how = options(epsilon, delta, mechanism, neighbors, missing, mechanisms=INTEGER, fill=bool, budget=budget)
    columns = truths_of(condition)
    true, false = _tallies(columns, how.missing)
    publish: Publish
    if how.bounded:
        size = columns.size
        if size == 0:
            raise PydpstatError("condition must have at least one record under bounded neighbors; got none.")
        query = _query("proportion", true, columns, how)

        def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
            return np.clip(noisy / size, 0.0, 1.0), Scaled(1.0 / size, STEPS)

    else:
        query = _query("proportion", true + false, columns, how)

        def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
            met, unmet = noisy.reshape(2, -1)
            positive = met + unmet > 0.0
            total = np.where(positive, met + unmet, 1.0)
            shares = np.where(positive, np.clip(met / total, 0.0, 1.0), 0.5)
            # those of a / (a + b) with respect to the pair (a, b), at the share that is published
            slopes = np.where(positive, np.hypot(shares, 1.0 - shares) / total, np.nan)
            steps = ("share of the noisy counts", CUT)
            return shaped(shares.tolist(), columns), Derived(tuple(slopes.tolist()), steps)

    return release_statistic("proportion", query, how, rng, budget, data=("condition",), publish=publish)


def _tallies(columns: Columns, missing: Missing) -> tuple[list[int], list[int]]:
    """Count the true and the false values of every column."""
    tallies = [_tally(truths, absent, missing) for truths, absent in zip(columns.arrays, columns.missing)]
    return [true for true, _ in tallies], [false for _, false in tallies]


def _tally(truths: np.ndarray, absent: np.ndarray | None, missing: Missing) -> tuple[int, int]:
    """Count true and false values; `absent` says which are missing, and None that none is.

    Examples
    --------
    >>> _tally(np.array([True, False, True]), np.array([False, False, True]), "drop")
    (1, 1)
    """
    gone = 0 if absent is None else int(np.count_nonzero(absent))
    true = int(np.count_nonzero(truths if absent is None else truths & ~absent))
    false = truths.size - gone - true
    if not fills(gone, missing):
        return true, false
    return (true + gone, false) if missing else (true, false + gone)


def _query(statistic: str, counts: list[int], columns: Columns, how: Options) -> Query:
    """Ask for counts, of one or more parts of the records of each column; a record changes one by 1."""
    single = len(counts) == len(columns.arrays)
    return Query(
        statistic,
        shaped(counts, columns) if single else np.array(counts, dtype=np.float64),
        (float(norm_of(len(columns.arrays), how)),),
        column_labels(statistic, columns),
        integer=True,
        nobs=columns.size if how.bounded else None,
        exact=tuple(counts),
    )
