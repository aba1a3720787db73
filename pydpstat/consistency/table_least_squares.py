"""Constrained least squares: the table nearest to a given one that has given margins."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from pydpstat._answering import explain_wrong_calls
from pydpstat._checks import check_boolean, check_positive, format_public_value, is_number
from pydpstat.consistency._margins import (
    Axes,
    Margin,
    MarginFit,
    check_agreement,
    compute_gaps,
    compute_margin,
    expand_margin,
    find_solution_kind,
    get_noise_variance,
    make_table_fit,
    parse_axes,
    read_margins,
    reduce_margin,
)
from pydpstat.consistency._tree import check_integer_range
from pydpstat.consistency.table_adjusted import TIME_LIMIT, round_table
from pydpstat.consistency.tables import (
    ConvergenceWarning,
    TableFit,
    TableForm,
    check_not_negative,
    read_numbers,
    read_table,
)
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import compute_inner_product
from pydpstat.results.results import DPResults

# largest gap of the optimality conditions, relative to the sums
_TOLERANCE = 1e-12
_MAX_STEPS = 200
# ridge relative to the curvature at a gap of 1; smaller gaps allow longer steps
_RIDGE = 0.01
# times the number of cells it is still finite
_MAX_VARIANCE = 1e290


@explain_wrong_calls
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
    """Change a table as little as possible to give it the given margins.

    The margins may be exact or noisy.

    Parameters
    ----------
    table : array_like, DataFrame, Series or DPResults
        Numbers, also negative ones: an array, a DataFrame, a Series with an index level for each way,
        or a release's result.
    margins : dict
        Maps an axis, or a tuple of axes, to the sums there, as in `ipf`.
    variance : float or array_like, optional
        Variance of the noise of the table's cells, above 0: one for all, or one for each. By default
        that of a release's noise, otherwise 1.
    margin_variances : float or dict, optional
        Variances of the noise of the margins, 0 for exact ones: one for all, or a dict with the keys of
        `margins` and numbers or arrays. By default that of a release's noise, otherwise 0.
    nonnegative : bool, default False
        Whether negative cells are excluded.
    integer : bool, default False
        Whether the cells are rounded to integers (int64), by controlled rounding: exact margins remain
        exact, and must be integers; the sums of noisy margins also become integers.
    time_limit : float, default 10
        Time limit in seconds for the search of integers if a solution may not exist: with three or more ways.

    Returns
    -------
    TableFit
        With ``estimate`` (in the form of `table`), ``bse`` (standard deviation of each cell's remaining
        noise before rounding, if variances are given, one for each margin, and cells may be
        negative; otherwise NaN), ``gaps``, ``largest_gap``, ``status`` and ``summary()``.

    Raises
    ------
    PydpstatError
        If an argument is invalid, exact margins do not agree with each other, or no table with the required signs or
        integers has them.

    Warns
    -----
    ConvergenceWarning
        If the exact margins are not met.

    See Also
    --------
    ipf : a fit that preserves odds ratios.
    make_consistent : make hierarchies consistent.

    Notes
    -----
    Post-processing: it costs no privacy budget, as long as table and margins were released, or are
    public.

    The fit minimizes the sum of squared changes of the cells and of the noisy margins, each divided by
    its noise's variance. For independent noise this is the best linear unbiased estimate
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
    is_nonnegative, is_integer = check_boolean(nonnegative, "nonnegative"), check_boolean(integer, "integer")
    seconds = check_positive(time_limit, "time_limit", "Give seconds.")
    spread = _read_table_variance(variance, table, values.shape)
    targets = _set_margin_variances(read_margins(margins, form, values.shape), margins, margin_variances, form)
    exact = [target for target in targets if not target.variance.any()]
    check_agreement(exact)
    for target in exact if is_nonnegative else ():
        check_not_negative(target.goal, target.name)
    goals = [_round_exact_goal(target) if is_integer and not target.variance.any() else None for target in targets]
    deviation = np.nan
    if not is_nonnegative and all(each.size == 1 for each in (spread, *(target.variance for target in targets))):
        fitted, unexplained = fit_effects(values, float(spread), targets)
        fit = MarginFit(fitted, 0, True)
        if variance is not None or isinstance(table, DPResults):
            deviation = unexplained**0.5
    else:
        fit = fit_dual(values, np.broadcast_to(spread, values.shape), targets, is_nonnegative)
    status = "the exact margins are met" if exact else "the margins are noisy, and now agree"
    if not fit.converged:
        status = _explain_dual_failure(values.shape, exact, compute_gaps(fit.values, exact))
        warnings.warn(ConvergenceWarning(f"least_squares: {status}."), stacklevel=2)
    steps = ["least squares with no negative cells" if is_nonnegative else "least squares"]
    if is_integer:
        rounding = round_table(fit.values, [target.axes for target in targets], goals, seconds)
        fit = fit._replace(values=rounding.table)
        steps.append(rounding.step)
    return make_table_fit("least squares", fit, form, targets, status, tuple(steps), deviation)


def _read_table_variance(variance: object, table: object, shape: tuple[int, ...]) -> np.ndarray:
    """Return the positive variance of the table's cells, one for all or one per cell."""
    if variance is None:
        return np.asarray(get_noise_variance(table) if isinstance(table, DPResults) else 1.0)
    read = _read_variance(variance, "variance", shape)
    if (read <= 0.0).any():
        raise PydpstatError("variance must be above 0 for every cell. Leave cells that are exact out of the fit.")
    return read


def _read_variance(value: object, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Read one variance, or one for each number; at least 0."""
    read = read_numbers(value, name, min_dimensions=0)
    if read.size != 1 and read.shape != shape:
        raise PydpstatError(f"{name} must be one number, or have the shape {shape}; got {read.shape}.")
    check_not_negative(read, name, "Variances are 0 or more.")
    if read.size and float(read.max()) > _MAX_VARIANCE:
        raise PydpstatError(
            f"{name} must be at most {_MAX_VARIANCE:g}; got a larger one. Leave out what is so uncertain."
        )
    return read.reshape(()) if read.size == 1 else read


def _set_margin_variances(found: list[Margin], margins: Any, variances: object, form: TableForm) -> list[Margin]:
    """Return the margins with the given variances."""
    if variances is None:
        return found
    if not isinstance(variances, Mapping):
        if not is_number(variances):
            raise PydpstatError(
                "margin_variances must be one number, or a dict with the keys of margins; "
                f"got {type(variances).__name__}."
            )
        return [margin._replace(variance=_read_variance(variances, "margin_variances", ())) for margin in found]
    margin_axes = [parse_axes(key, form.names) for key in margins]
    variance_of = {}
    for key, value in variances.items():
        axes = parse_axes(key, form.names)
        if axes not in margin_axes:
            raise PydpstatError(
                f"margin_variances must have keys of margins; {format_public_value(key)} is not one. Write the "
                "axes as in margins."
            )
        variance_of[axes] = value
    changed = []
    for axes, margin in zip(margin_axes, found):
        if axes in variance_of:
            # as given, in the key's order of axes
            shape = tuple(margin.goal.shape[margin.axes.index(axis)] for axis in axes)
            read = _read_variance(variance_of[axes], f"margin_variances for {margin.name}", shape)
            margin = margin._replace(variance=read.transpose(*np.argsort(axes)) if read.ndim else read)
        changed.append(margin)
    return changed


def _round_exact_goal(each: Margin) -> np.ndarray:
    """Return an exact margin as integers."""
    nearest = np.rint(each.goal)
    if (np.abs(each.goal - nearest) > 1e-9 * np.maximum(1.0, np.abs(nearest))).any():
        raise PydpstatError(
            f"{each.name} must be whole numbers for integer=True, as whole numbers cannot add up to "
            "it. Round it first, or give its variance."
        )
    check_integer_range(nearest)
    return nearest.astype(np.int64)


def _explain_dual_failure(shape: tuple[int, ...], exact: list[Margin], remaining_gaps: list[float]) -> str:
    """Return the reason why a fit did not converge, or raise an error if it cannot converge."""
    kind = find_solution_kind(np.ones(shape), exact) if exact else "unknown"
    if kind == "none":
        raise PydpstatError(
            "margins must be those of a table with no negative cells, because nonnegative=True; "
            "there is none, although they agree with each other. Drop a margin, or give variances."
        )
    return f"not converged: a gap of {max(remaining_gaps, default=0.0):.3g} to the exact margins is left"


def fit_effects(values: np.ndarray, variance: float, margins: list[Margin]) -> tuple[np.ndarray, float]:
    """Return the least squares table and the variance of each of its cells.

    With one variance for each margin the problem separates into one for each effect, as in an analysis of variance: the
    values of an effect in the table and the margins are averaged by precision (Barak et al. 2007), or those of exact
    margins are used. Effects that are in no margin remain unchanged.
    """
    shape, dimensions = values.shape, values.ndim
    missing = {each.axes: each.goal - compute_margin(values, each.axes) for each in margins}
    # increments of the cells, by the axes of the margins
    added = {each.axes: np.zeros(each.goal.shape) for each in margins}
    mean_variance = variance
    for effect in _collect_effects(margins):
        informative = [each for each in margins if set(effect) <= set(each.axes)]
        precise = [each for each in informative if float(each.variance) == 0.0] or informative
        # the precision of a sum over the margin's other axes, in units of the largest one
        variances = [_compute_effect_variance(each, effect, shape) for each in precise]
        unit = min(variances)
        weights = [unit / each for each in variances]
        exact = float(precise[0].variance) == 0.0
        table_weight = 0.0 if exact else unit / (variance * _count_cells_per_sum(effect, shape))
        spoken = [_remove_axis_means(reduce_margin(missing[each.axes], each.axes, effect)) for each in precise]
        weighted = [weight * each for weight, each in zip(weights, spoken)]
        change = np.add.reduce(weighted) / (table_weight + sum(weights))
        home = informative[0].axes
        within = tuple(home.index(axis) for axis in effect)
        added[home] += expand_margin(change / _count_cells_per_sum(effect, shape), within, len(home))
        gained = (
            variance
            if exact
            else variance - unit / ((table_weight + sum(weights)) * _count_cells_per_sum(effect, shape))
        )
        freedom = float(np.prod([shape[axis] - 1 for axis in effect]))
        mean_variance -= gained * freedom / values.size
    fitted = values.copy()
    for axes, change in added.items():
        fitted += expand_margin(change, axes, dimensions)
    return fitted, max(mean_variance, 0.0)


def _collect_effects(margins: list[Margin]) -> list[Axes]:
    """Return the subsets of the margins' axes, the small ones first."""
    effects = {
        subset
        for margin in margins
        for size in range(len(margin.axes) + 1)
        for subset in combinations(margin.axes, size)
    }
    return sorted(effects, key=lambda subset: (len(subset), subset))


def _count_cells_per_sum(axes: Axes, shape: tuple[int, ...]) -> float:
    """Return the number of table cells in one sum on these axes."""
    return float(np.prod([length for axis, length in enumerate(shape) if axis not in axes]))


def _compute_effect_variance(each: Margin, effect: Axes, shape: tuple[int, ...]) -> float:
    """Return the variance of the margin's sums on the effect's axes; 1 for an exact margin."""
    if float(each.variance) == 0.0:
        return 1.0
    terms = np.prod([shape[axis] for axis in each.axes if axis not in effect])
    return float(each.variance) * float(terms)


def _remove_axis_means(sums: np.ndarray) -> np.ndarray:
    """Subtract the means along each axis."""
    centered = sums
    for axis in range(sums.ndim):
        centered = centered - centered.mean(axis=axis, keepdims=True)
    return centered


def fit_dual(values: np.ndarray, variance: np.ndarray, margins: list[Margin], nonnegative: bool) -> MarginFit:
    """Return the table with the smallest weighted sum of squares, not converged if no such table exists.

    It is ``y + v A'l``, clipped at 0 on request, with multipliers l that solve ``A x + w l = b`` (w the variances of
    the sums, 0 for exact sums): the gradient of a convex, piecewise quadratic function. Newton's method with a line
    search (Qi and Sun 1993), each step by conjugate gradients.
    """
    goals = np.concatenate([margin.goal.ravel() for margin in margins])
    spread = np.concatenate([np.broadcast_to(margin.variance, margin.goal.shape).ravel() for margin in margins])
    cuts = np.cumsum([margin.goal.size for margin in margins])[:-1]

    def compute_sums(table: np.ndarray) -> np.ndarray:
        return np.concatenate([compute_margin(table, margin.axes).ravel() for margin in margins])

    def expand_multipliers(multipliers: np.ndarray) -> np.ndarray:
        table = np.zeros(values.shape)
        for margin, multiplier in zip(margins, np.split(multipliers, cuts)):
            table += expand_margin(multiplier.reshape(margin.goal.shape), margin.axes, values.ndim)
        return table

    def evaluate_at(multipliers: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the table for the multipliers, and the gradient and value of the function."""
        table = values + variance * expand_multipliers(multipliers)
        table = np.maximum(table, 0.0) if nonnegative else table
        quadratic = float((table * table / variance).sum() + (spread * multipliers**2).sum())
        slope = compute_sums(table) + spread * multipliers - goals
        return table, slope, 0.5 * quadratic - compute_inner_product(goals, multipliers)

    # in units of the sums, so that none is met at the expense of another
    scale = np.maximum(np.abs(goals), compute_sums(np.abs(values))).max(initial=0.0) or 1.0
    multipliers = np.zeros(goals.size)
    table, slope, height = evaluate_at(multipliers)
    steepest = float((compute_sums(variance) + spread).mean())
    for step in range(_MAX_STEPS + 1):
        gap = np.abs(slope).max() / scale
        if gap <= _TOLERANCE or step == _MAX_STEPS:
            break
        moving = variance * (table > 0.0) if nonnegative else variance
        diagonal = compute_sums(moving) + spread
        # keeps the step finite for multipliers without effect, and short if their cells are all 0
        ridge = max(1e-10, _RIDGE * min(gap, 1.0)) * steepest

        def apply_curvature(direction: np.ndarray) -> np.ndarray:
            return compute_sums(moving * expand_multipliers(direction)) + (spread + ridge) * direction

        direction = _solve_conjugate_gradients(apply_curvature, -slope, diagonal + ridge)
        length, descent = 1.0, compute_inner_product(slope, direction)
        while True:
            ahead = multipliers + length * direction
            table_ahead, slope_ahead, height_ahead = evaluate_at(ahead)
            # near the solution, rounding errors dominate the values, so the gradients are compared
            better = np.abs(slope_ahead).max() < 0.5 * gap * scale
            if better or height_ahead <= height + 1e-4 * length * descent:
                break
            length *= 0.5
            if length < 1e-10:
                return MarginFit(table, step, bool(gap <= 1e-9))
        multipliers, table, slope, height = ahead, table_ahead, slope_ahead, height_ahead
    return MarginFit(table, step, bool(gap <= 1e-9))


def _solve_conjugate_gradients(
    apply_matrix: Callable[[np.ndarray], np.ndarray], target: np.ndarray, diagonal: np.ndarray
) -> np.ndarray:
    """Solve a positive definite system, scaled by its diagonal."""
    solution, residual = np.zeros(target.size), target.copy()
    scaled = residual / diagonal
    direction, power = scaled.copy(), compute_inner_product(residual, scaled)
    goal = 1e-22 * power
    for _ in range(min(20 * target.size, 2000)):
        if power <= goal:
            break
        image = apply_matrix(direction)
        length = power / compute_inner_product(direction, image)
        solution += length * direction
        residual -= length * image
        scaled = residual / diagonal
        before, power = power, compute_inner_product(residual, scaled)
        direction = scaled + (power / before) * direction
    return solution
