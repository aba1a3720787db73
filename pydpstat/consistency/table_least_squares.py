"""Constrained least squares: a table moved as little as possible until it has its margins."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from pydpstat._answering import answered
from pydpstat._checks import excerpt, flag, is_number, positive
from pydpstat.consistency._least_squares import fit_dual, fit_effects
from pydpstat.consistency._margins import (
    Fit,
    Margin,
    axes_of,
    check_agreement,
    gaps,
    noise_variance,
    read_margins,
    solution,
    table_fit,
)
from pydpstat.consistency._tree import check_size
from pydpstat.consistency.table_controlled import TIME_LIMIT, rounded_table
from pydpstat.consistency.tables import (
    ConvergenceWarning,
    Form,
    TableFit,
    check_not_negative,
    numbers,
    read_table,
)
from pydpstat.errors import PydpstatError
from pydpstat.results.results import DPResults


@answered
def least_squares(
    table: object,
    margins: object,
    *,
    variance: object = None,
    margin_variances: object = None,
    nonnegative: bool = False,
    integer: bool = False,
    time_limit: float = TIME_LIMIT,
) -> TableFit:
    """Change a table as little as possible so that it has given margins.

    The margins may be exact or noisy.

    Parameters
    ----------
    table : array_like, DataFrame, Series or DPResults
        Numbers, negative ones too: an array, a DataFrame, a Series with an index level for each way,
        or a release's result.
    margins : dict
        From an axis, or a tuple of axes, to the sums there, as in `ipf`.
    variance : float or array_like, optional
        Variance of the noise of the table's cells, above 0: one for all, or one for each. By default
        that of a release's noise, or else 1.
    margin_variances : float or dict, optional
        Variances of the noise of the margins, 0 for exact ones: one for all, or a dict with the keys of
        `margins` and numbers or arrays. By default that of a release's noise, or else 0.
    nonnegative : bool, default False
        Whether no cell may be negative.
    integer : bool, default False
        Whether the cells are to be integers (int64), by controlled rounding: exact margins stay
        exact, and must be whole; those of noisy margins are whole too.
    time_limit : float, default 10
        Seconds for the search of integers where there may be none: with three or more ways.

    Returns
    -------
    TableFit
        With ``estimate`` (in the form of `table`), ``bse`` (standard deviation of each cell's remaining
        noise before rounding, where variances are given and are one for each margin, and cells may be
        negative; else NaN), ``gaps``, ``largest_gap``, ``status`` and ``summary()``.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, exact margins do not agree with each other, or no table with
        the asked signs or integers has them.

    Warns
    -----
    ConvergenceWarning
        Where the exact margins are not met.

    See Also
    --------
    ipf : a table that keeps its odds ratios.
    make_consistent : hierarchies.

    Notes
    -----
    Post-processing: it costs no privacy budget, as long as table and margins were released, or are
    public.

    What is least is the sum of squared changes of the cells and of the noisy margins, each divided by
    its noise's variance. For noise that is independent this is the best linear unbiased estimate
    (Aitken 1935). With one variance for each margin the solution is computed effect by effect, without
    iteration; in other cases by Newton's method on the multipliers.

    References
    ----------
    Aitken, A. C. (1935). On least squares and linear combination of observations. Proceedings of the
    Royal Society of Edinburgh 55.
    Barak, B. et al. (2007). Privacy, accuracy, and consistency too: a holistic solution to contingency
    table release. PODS 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.consistency import least_squares
    >>> noisy = np.array([[41, 28], [36, 53]])
    >>> least_squares(noisy, {0: [70, 90], 1: [78, 82]}).estimate
    array([[41.5, 28.5],
           [36.5, 53.5]])
    >>> least_squares(noisy, {0: [70, 90], 1: [78, 82]}, integer=True).estimate.sum(axis=0)
    array([78, 82])
    """
    values, form = read_table(table)
    sign, whole = flag(nonnegative, "nonnegative"), flag(integer, "integer")
    seconds = positive(time_limit, "time_limit", "Give seconds.")
    spread = _table_variance(variance, table, values.shape)
    wanted = _with_variances(read_margins(margins, form, values.shape), margins, margin_variances, form)
    exact = [each for each in wanted if not each.variance.any()]
    check_agreement(exact)
    for each in exact if sign else ():
        check_not_negative(each.goal, each.name)
    goals = [_whole_goal(each) if whole and not each.variance.any() else None for each in wanted]
    deviation = np.nan
    if not sign and all(each.size == 1 for each in (spread, *(each.variance for each in wanted))):
        fitted, left = fit_effects(values, float(spread), wanted)
        found = Fit(fitted, 0, True)
        if variance is not None or isinstance(table, DPResults):
            deviation = left**0.5
    else:
        found = fit_dual(values, np.broadcast_to(spread, values.shape), wanted, sign)
    status = "the exact margins are met" if exact else "the margins are noisy, and now agree"
    if not found.converged:
        status = _why(values.shape, exact, gaps(found.values, exact))
        warnings.warn(ConvergenceWarning(f"least_squares: {status}."), stacklevel=2)
    steps = ["least squares with no negative cells" if sign else "least squares"]
    if whole:
        rounding = rounded_table(found.values, [each.axes for each in wanted], goals, seconds)
        found = found._replace(values=rounding.table)
        steps.append(rounding.step)
    return table_fit("least squares", found, form, wanted, status, tuple(steps), deviation)


def _table_variance(variance: object, table: object, shape: tuple[int, ...]) -> np.ndarray:
    """Return the variance of the table's cells, one or each, above 0."""
    if variance is None:
        return np.asarray(noise_variance(table) if isinstance(table, DPResults) else 1.0)
    read = _variance(variance, "variance", shape)
    if (read <= 0.0).any():
        raise PydpstatError(
            "variance must be above 0 for every cell. Leave cells that are exact out of the fit."
        )
    return read


def _variance(value: object, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Read one variance, or one for each number; at least 0."""
    read = numbers(value, name, least=0)
    if read.size != 1 and read.shape != shape:
        raise PydpstatError(f"{name} must be one number, or have the shape {shape}; got {read.shape}.")
    check_not_negative(read, name, "Variances are 0 or more.")
    return read.reshape(()) if read.size == 1 else read


def _with_variances(found: list[Margin], margins: Any, variances: object, form: Form) -> list[Margin]:
    """Give the margins the variances that were given for them."""
    if variances is None:
        return found
    if not isinstance(variances, Mapping):
        if not is_number(variances):
            raise PydpstatError(
                "margin_variances must be one number, or a dict with the keys of margins; "
                f"got {type(variances).__name__}."
            )
        return [each._replace(variance=_variance(variances, "margin_variances", ())) for each in found]
    kept = [axes_of(key, form.names) for key in margins]
    given = {}
    for key, value in variances.items():
        axes = axes_of(key, form.names)
        if axes not in kept:
            raise PydpstatError(
                f"margin_variances must have keys of margins; {excerpt(key)} is not one. Write the "
                "axes as in margins."
            )
        given[axes] = value
    changed = []
    for axes, each in zip(kept, found):
        if axes in given:
            # as given, in the key's order of axes
            shape = tuple(each.goal.shape[each.axes.index(axis)] for axis in axes)
            read = _variance(given[axes], f"margin_variances for {each.name}", shape)
            each = each._replace(variance=read.transpose(*np.argsort(axes)) if read.ndim else read)
        changed.append(each)
    return changed


def _whole_goal(each: Margin) -> np.ndarray:
    """Return an exact margin as integers."""
    near = np.rint(each.goal)
    if (np.abs(each.goal - near) > 1e-9 * np.maximum(1.0, np.abs(near))).any():
        raise PydpstatError(
            f"{each.name} must be whole numbers for integer=True, as whole numbers cannot add up to "
            "it. Round it first, or give its variance."
        )
    check_size(near)
    return near.astype(np.int64)


def _why(shape: tuple[int, ...], exact: list[Margin], left: list[float]) -> str:
    """Say why a fit did not converge, or raise an error where it cannot."""
    kind = solution(np.ones(shape), exact) if exact else "unknown"
    if kind == "none":
        raise PydpstatError(
            "margins must be those of a table with no negative cells, because nonnegative=True; "
            "there is none, although they agree with each other. Drop a margin, or give variances."
        )
    return f"not converged: a gap of {max(left, default=0.0):.3g} to the exact margins is left"
